// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Endpoints
import HTTP1
import HTTPSemantics
import RandomInputs
import Settings
import SourceURLs
import Testing

@Suite("Which fields of a request an origin is told, and how they tell originals apart")
struct PassedFieldRuleTests {
    private func rules(_ text: String) throws -> PassedFieldRules {
        PassedFieldRules(try OriginProfiles(text, path: "p"))
    }

    private func rule(_ names: String, isPublic: Bool = false) throws -> PassedFieldRule {
        let rules = try rules("a: {match: a.example, pass: [\(names)], public: \(isPublic)}")
        return try #require(rules.rule(for: try SourceURL.parse("https://a.example/x")))
    }

    private func sent(
        _ rule: PassedFieldRule, _ lines: [(String, String)], token: AdminToken? = nil
    ) throws(Refusal) -> ClientFields {
        let fields = Fields(lines.map { .init($0.0, $0.1) })
        return try rule.fields(of: Request(method: "GET", target: "/", fields: fields), token: token)
    }

    @Test func `the first profile that matches counts, whether it passes anything or not`() throws {
        let rules = try rules(
            """
            a: {match: a.example, pass: Cookie}
            b: {match: [a.example, '*.b.example', 'http://c.example/in/']}
            c: {match: ['x.b.example', 'http://c.example/'], pass: [Cookie, X-Tenant]}
            """)
        for (url, names) in [
            ("https://a.example/", ["Cookie"]), ("http://a.example/", nil), ("https://a.example:444/", nil),
            ("https://x.b.example/", nil), ("http://c.example/in/a", nil),
            ("http://c.example/a", ["Cookie", "X-Tenant"]), ("https://c.example/a", nil),
            ("s3://a.example/a", nil),
        ] as [(String, [String]?)] {
            #expect(rules.rule(for: try SourceURL.parse(url))?.names == names, "\(url)")
        }
    }

    @Test func `a request without the fields has no variant, and nothing is private in it`() throws {
        let rule = try rule("Cookie, X-Tenant")
        for lines in [
            [], [("Cookie", "")], [("Cookies", "a=1")], [("Cookie", "a=1"), ("Connection", "Cookie")],
            [("Cookie", "a=1"), ("Connection", "close"), ("connection", "x ,\tCOOKIE")],
        ] as [[(String, String)]] {
            #expect(try sent(rule, lines) == .none, "\(lines)")
        }
    }

    @Test func `order of names and spelling make no difference, and values do, byte by byte`() throws {
        let rule = try rule("X-B, X-A, X-C")
        let first = try sent(rule, [("x-a", "1"), ("X-B", "2")])
        #expect(first.variant.utf8.count == 64)
        #expect(try sent(rule, [("X-B", "2"), ("X-A", "1"), ("X-D", "5")]) == first)
        // Two of the values are two spellings of one letter, which Swift treats as the same text.
        let others = [
            [("X-A", "1")], [("X-A", "2"), ("X-B", "1")], [("X-A", "1, 2")], [("X-A", "12")],
            [("X-A", "1x-b:2")], [("X-C", "\u{E9}")], [("X-C", "e\u{301}")], [("X-A", "1"), ("X-C", "2")],
        ]
        let variants = try others.map { try sent(rule, $0).variant } + [first.variant]
        #expect(Set(variants).count == variants.count)
        // Several lines are one list (RFC 9110 §5.3), except for cookies.
        #expect(try sent(rule, [("X-A", "1"), ("x-a", "2")]).list == [.init("x-a", "1, 2")])
        let cookies = try sent(
            try self.rule("Cookie"), [("Cookie", "a=1"), ("cookie", "b=2"), ("Cookie", "")])
        #expect(cookies.list == [.init("cookie", "a=1; b=2")])
    }

    @Test func `random fields have one variant if and only if they are sent alike`() throws {
        var random = SeededRandom(for: "PassedFieldRuleTests")
        let rule = try rule("A, B, C")
        var seen: [String: [Fields.Field]] = [:]
        for _ in 0..<2_000 {
            var lines: [(String, String)] = []
            for name in ["A", "b", "C", "a"] where random.chance(50) {
                let letters = Array("ab:,; =\"é")
                let count = Int.random(in: 0...3, using: &random)
                let value = String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" })
                lines.append((name, value.trimming(while: \.isWhitespace)))
            }
            let sent = try sent(rule, lines)
            let other = seen.updateValue(sent.list, forKey: sent.variant)
            #expect(other == nil || other == sent.list)
            #expect(sent.list.isEmpty == sent.variant.isEmpty)
            #expect(sent.list.allSatisfy { !$0.value.isEmpty })
        }
        let lists = Set(seen.values.map { $0.map { "\($0.name)=\(Array($0.value.utf8))" } })
        #expect(lists.count == seen.count)
    }

    @Test func `what might be read in two ways is refused`() throws {
        let rule = try rule("Cookie, Authorization")
        for lines in [
            [("Cookie", "a\u{0}b")], [("Cookie", "a\tb")], [("Cookie", "a\r\nX: y")], [("Cookie", "a\u{7F}")],
            [("Cookie", "\u{FFFD}")], [("Authorization", "NTLM x")], [("Authorization", "NEGOTIATE x")],
            [("Authorization", "Basic a"), ("Authorization", "Basic b")],
        ] {
            #expect(throws: Refusal.self, "\(lines)") { try sent(rule, lines) }
        }
        let length = PassedFieldRule.longest - "Cookie".utf8.count
        #expect(try sent(rule, [("Cookie", String(repeating: "a", count: length))]) != .none)
        #expect(throws: Refusal.self) {
            try sent(rule, [("Cookie", String(repeating: "a", count: length + 1))])
        }
    }

    @Test func `Pictor's token stays with Pictor, wherever in the request it is`() throws {
        let rule = try rule("Authorization")
        let token = AdminToken(try #require(Secret(settingText: "a-token-for-the-tests")))
        let own = ("Authorization", "bearer a-token-for-the-tests")
        #expect(try sent(rule, [own], token: token) == .none)
        #expect(try sent(rule, [("Authorization", "Basic x"), own], token: token) == .none)
        #expect(try sent(rule, [own], token: nil) != .none)
        #expect(try sent(rule, [("Authorization", "Bearer b")], token: token) != .none)
    }

    @Test(arguments: [
        ("Cookie", true), ("Authorization", true), ("X-Tenant", true), ("Accept-Language", false),
        ("Accept", false), ("User-Agent", false), ("Sec-CH-UA", false), ("Acceptance", true),
    ])
    func `what tells who asks is private, unless the profile says that it is for all`(
        name: String, isPrivate: Bool
    ) throws {
        let sent = try sent(try rule(name), [(name, "a")])
        #expect(sent.isPrivate == isPrivate && sent.isAuthorized == (name == "Authorization"))
        let open = try self.sent(try rule(name, isPublic: true), [(name, "a")])
        #expect(!open.isPrivate && !open.isAuthorized && open.variant == sent.variant)
    }

    @Test func `an answer says what it depends on, and keeps what is for one`() throws {
        let rule = try rule("Cookie, Accept")
        let own = try sent(rule, [("Cookie", "a")])
        for (vary, control, sent, told) in [
            (nil, "public, max-age=5", own, "private, max-age=5"), ("Accept", "no-store", own, "no-store"),
            ("Accept, Origin", "public, no-cache", ClientFields.none, "public, no-cache"),
            ("cookie", "private, max-age=5", own, "private, max-age=5"),
        ] as [(String?, String, ClientFields, String)] {
            var fields = Fields([.init("Cache-Control", control)])
            if let vary { fields.append("Vary", vary) }
            rule.mark(&fields, for: sent)
            #expect(fields["Cache-Control"] == told)
            let names = try #require(fields["Vary"]).lowercased().split(separator: ", ").sorted()
            let expected = Set(
                "cookie, accept\(vary.map { ", " + $0.lowercased() } ?? "")".split(separator: ", "))
            #expect(names == expected.map { $0[...] }.sorted { $0 < $1 })
        }
    }

    @Test func `a picture for one client is for pages of its own site`() throws {
        let rule = try rule("Cookie, Accept")
        let (resources, timing) = ("Cross-Origin-Resource-Policy", "Timing-Allow-Origin")
        for (lines, isPrivate) in [
            ([("Cookie", "a")], true), ([("Accept", "a")], false), ([], false),
        ] as [([(String, String)], Bool)] {
            var fields = Fields([.init(resources, "cross-origin"), .init(timing, "*")])
            rule.mark(&fields, for: try sent(rule, lines))
            #expect(fields.values(resources) == [isPrivate ? "same-site" : "cross-origin"])
            #expect(fields.values(timing) == (isPrivate ? [] : ["*"]))
        }
        // A refusal has no such fields, and gets none.
        var fields = Fields()
        rule.mark(&fields, for: try sent(rule, [("Cookie", "a")]))
        #expect(fields[resources] == nil)
    }

    @Test func `nothing that prints the fields prints a value`() throws {
        let sent = try sent(try rule("Cookie"), [("Cookie", "s3cret")])
        var dumped = ""
        dump(sent, to: &dumped)
        for text in ["\(sent)", String(reflecting: sent), dumped] {
            #expect(text.contains("cookie") && !text.contains("s3cret"), "\(text)")
        }
    }
}
