// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import RandomInputs
import Testing

@Suite("What was chosen by the request's fields is used for requests with the same")
struct SelectingFieldsTests {
    @Test(
        arguments: [
            ("Accept", .named(["accept"])), ("accept , User-Agent,accept", .named(["accept", "user-agent"])),
            ("*", .everything), ("Accept, *", .everything), (" * ,Accept", .everything), (", *", .everything),
            ("*foo", .named(["*foo"])), ("", nil), (" , ", nil),
            // An unreadable name may be any field.
            ("Accept; Cookie", .everything), ("Accept Cookie", .everything),
            ("Accept, \"Cookie\"", .everything),
            ("Accept, Co\u{F6}kie", .everything), ("Accept, @", .everything),
        ] as [(String, SelectingFields?)])
    func `names are read as a list`(text: String, expected: SelectingFields?) {
        #expect(SelectingFields(text) == expected)
    }

    @Test func `a list of a thousand names may choose by anything`() {
        let names = (1...1_000).map { "X-\($0)" }
        #expect(SelectingFields(names.joined(separator: ",")) == .everything)
        #expect(SelectingFields(names.prefix(100).joined(separator: ",")) != .everything)
    }

    @Test func `no field, no choice`() { #expect(SelectingFields(nil) == nil) }

    private func kept(_ vary: String?, by request: [String]) -> StoredFields {
        var stored = StoredFields(fields(vary.map { ["Vary: \($0)"] } ?? []))
        stored.select(by: fields(request))
        return stored
    }

    @Test(
        arguments: [
            (nil, [], ["Accept: a"], true), ("Accept", ["Accept: a"], ["accept: a"], true),
            ("Accept", ["Accept: a"], ["Accept: b"], false), ("Accept", ["Accept: a"], [], false),
            ("Accept", [], ["Accept: a"], false), ("Accept", [], [], true),
            ("Accept", ["Accept: "], [], false),
            ("Accept", ["Accept: a", "User-Agent: x"], ["Accept: a", "User-Agent: y"], true),
            ("Accept, User-Agent", ["Accept: a", "User-Agent: x"], ["Accept: a", "User-Agent: y"], false),
            ("a, b", ["a: 1, b=1:2"], ["a: 1", "b: 2"], false),
            ("Cookie", ["Accept: a"], ["Accept: b"], true),
        ] as [(String?, [String], [String], Bool)])
    func `equal requests match, others do not`(
        vary: String?, before: [String], now: [String], matches: Bool
    ) throws {
        let stored = kept(vary, by: before)
        #expect(stored.isSelected { fields(now) } == matches)
        // The same after storing on disk.
        guard !stored.serialized.isEmpty else { return }
        let read = try #require(StoredFields(serialized: stored.serialized))
        #expect(read.isSelected { fields(now) } == matches)
    }

    @Test func `no origin can say what we asked`() {
        let stored = StoredFields(fields(["Vary: Accept", "Request-Variant: accept=1:a"]))
        #expect(!stored.isSelected { fields(["Accept: a"]) })
    }

    @Test func `what an older version kept, or nobody can tell of, does not match`() throws {
        for text in ["accept=1:a", "accept", "*", "2;accept", "1;accept;accept=1:a", ";;", "2;;"] {
            let stored = try #require(StoredFields(serialized: "vary: accept\nrequest-variant: \(text)"))
            #expect(
                !stored.isSelected { fields(["Accept: a"]) } && !stored.isSelected { Fields() }, "\(text)")
        }
        #expect(!kept("Accept", by: []).isSelected { nil } && kept(nil, by: []).isSelected { nil })
    }

    @Test func `what varies by more than the request matches nothing`() {
        for vary in ["*", "Accept, *", "Accept; Cookie"] {
            #expect(!kept(vary, by: ["Accept: a"]).isSelected { fields(["Accept: a"]) })
        }
    }

    @Test func `redirects are chosen as well`() throws {
        func hop(_ vary: String) -> RedirectHop {
            RedirectHop(status: 302, fields: fields(["Vary: \(vary)"]))
        }
        for vary in [nil, "Accept"] {
            var stored = StoredFields(fields(vary.map { ["Vary: \($0)"] } ?? []), target: "code")
            stored.select(by: fields(["User-Agent: a", "Accept: b"]), redirects: [hop("User-Agent")])
            let read = try #require(StoredFields(serialized: stored.serialized))
            #expect(read.isSelected { fields(["User-Agent: a", "Accept: b"]) })
            #expect(read.isSelected { fields(["User-Agent: a", "Accept: c"]) } == (vary == nil))
            #expect(!read.isSelected { fields(["User-Agent: c", "Accept: b"]) })
        }
        var stored = StoredFields(Fields(), target: "code")
        stored.select(by: Fields(), redirects: [hop("*")])
        #expect(!stored.isSelected { Fields() })
    }

    @Test func `what redirects led to is chosen by the rules that they were followed by, too`() throws {
        var (direct, redirected) = (StoredFields(Fields()), StoredFields(Fields(), target: "code"))
        let rules = fields(["\(RedirectRules.field): a"])
        direct.select(by: rules)
        redirected.select(by: rules, redirects: [RedirectHop(status: 301, fields: Fields())])
        let read = try #require(StoredFields(serialized: redirected.serialized))
        #expect(read.isSelected { rules })
        #expect(!read.isSelected { fields(["\(RedirectRules.field): b"]) } && !read.isSelected { nil })
        #expect(direct.isSelected { fields(["\(RedirectRules.field): b"]) })
    }

    @Test func `what varies is marked`() throws {
        #expect(try CachePolicy.plain.freshness(["Vary: Accept"]).flags == .varies)
        #expect(try CachePolicy.plain.freshness(["Vary: *"]).flags == [.alwaysValidate, .varies])
    }
}

@Suite("Requests have one variant if, and only if, the fields that choose are the same")
struct VariantTests {
    private static let names = ["accept", "cookie", "a"]
    /// Values that look like parts of a variant's text.
    private static let values = ["", "a", "a, b", "1:a", ", accept=1:a", "=", "a=1:a", ":", "é"]

    /// The values of the selecting fields, several lines joined as a recipient may join them.
    private func chosen(_ request: Fields, by names: [String]) -> [String?] {
        names.map { request.combined($0) }
    }

    @Test func `whatever the values look like`() throws {
        var random = SeededRandom(for: "SelectingFields")
        func request() -> Fields {
            let lines = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let name = Self.names.randomElement(using: &random) ?? ""
                let spelled = Bool.random(using: &random) ? name : name.uppercased()
                return Fields.Field(spelled, Self.values.randomElement(using: &random) ?? "")
            }
            return Fields(lines)
        }
        var equal = 0
        for _ in 0..<20_000 {
            let names = Self.names.filter { _ in Bool.random(using: &random) }
            guard let selecting = SelectingFields(names.joined(separator: ",")) else {
                #expect(names.isEmpty)
                continue
            }
            let (one, other) = (request(), request())
            let isSame = chosen(one, by: names) == chosen(other, by: names)
            equal += isSame ? 1 : 0
            #expect(
                (selecting.variant(of: one) == selecting.variant(of: other)) == isSame,
                "seed \(random.seed): \(names) of \(one) and \(other)")
        }
        #expect(equal > 100)
    }

    @Test func `the order and the case of the names mean nothing`() {
        let request = fields(["Accept: a", "Cookie: b"])
        let variants = ["accept, cookie", "Cookie,ACCEPT", "cookie, accept, Cookie", " ,cookie,,accept"].map {
            SelectingFields($0)?.variant(of: request)
        }
        #expect(Set(variants) == ["accept=1:a, cookie=1:b"])
        #expect(SelectingFields("x")?.variant(of: request) == "x")
        #expect(SelectingFields("*")?.variant(of: request) == "*")
    }
}
