// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

@Suite("What was chosen by the request's fields is used for requests with the same")
struct SelectingFieldsTests {
    @Test(
        arguments: [
            ("Accept", .named(["accept"])), ("accept , User-Agent,accept", .named(["accept", "user-agent"])),
            ("*", .everything), ("Accept, *", .everything), (" * ,Accept", .everything), (", *", .everything),
            ("*foo", .named(["*foo"])), ("", nil), (" , ", nil),
        ] as [(String, SelectingFields?)])
    func `names are read as a list`(text: String, expected: SelectingFields?) {
        #expect(SelectingFields(text) == expected)
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
        #expect(stored.isSelected(by: fields(now)) == matches)
        // On the disk as well.
        guard !stored.serialized.isEmpty else { return }
        let read = try #require(StoredFields(serialized: stored.serialized))
        #expect(read.isSelected(by: fields(now)) == matches)
    }

    @Test func `no origin can say what we asked`() {
        let stored = StoredFields(fields(["Vary: Accept", "Request-Variant: accept=1:a"]))
        #expect(!stored.isSelected(by: fields(["Accept: a"])))
    }

    @Test func `what varies is marked`() throws {
        #expect(try CachePolicy.plain.freshness(["Vary: Accept"]).flags == .varies)
        #expect(try CachePolicy.plain.freshness(["Vary: *"]).flags == [.alwaysValidate, .varies])
    }
}
