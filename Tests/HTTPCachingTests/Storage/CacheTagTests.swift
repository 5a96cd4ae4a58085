// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import Testing

@Suite("An original is found by its tags, however the origin separates them")
struct CacheTagTests {
    @Test(
        arguments: [
            (["Cache-Tag: a,b"], ["a", "b"]), (["Cache-Tag: a b ,\tc d"], ["a b", "c d"]),
            (["Cache-Tag: , a,, b,"], ["a", "b"]), (["Cache-Tag: a", "Cache-Tag: b"], ["a", "b"]),
            (["Surrogate-Key: a b"], ["a", "b"]), (["Surrogate-Key: a\tb"], ["a", "b"]),
            (["Surrogate-Key: a,b"], ["a", "b"]), (["Surrogate-Key:  a \t, b "], ["a", "b"]),
            (["Surrogate-Key: a", "Surrogate-Key: b"], ["a", "b"]),
            (["Surrogate-Key: b c", "Cache-Tag: a, b"], ["a", "b", "c"]),
            (["Cache-Tag: a, A, a"], ["a", "A"]), (["Cache-Tag: ,"], []), (["Vary: a"], []),
        ] as [([String], [String])])
    func `each tag once, in the order in which they came`(lines: [String], tags: [String]) {
        let stored = StoredFields(fields(lines))
        #expect(stored.tags == tags)
        #expect(StoredFields.mayHaveTags(serialized: stored.serialized) || tags.isEmpty)
        let others = StoredFields(fields(lines + ["ETag: \"cache-tag: x\"", "Vary: surrogate-key"]))
        let found = StoredFields.tagLines(serialized: others.serialized)
        #expect(StoredFields(serialized: found)?.tags == tags)
    }

    @Test func `a flood of tags is cut at the limit`() {
        let many = (0..<StoredFields.tagLimit + 9).map { "t\($0)" }
        #expect(StoredFields.tagLimit == 256)
        #expect(
            StoredFields(fields(["Cache-Tag: " + many.joined(separator: ",")])).tags
                == Array(many.prefix(StoredFields.tagLimit)))
    }

    @Test func `all short values have the tags that a search by characters finds`() {
        let alphabet = ["a", "b", "é", ",", " ", "\t"]
        var values = [""]
        for _ in 0..<4 { values += values.flatMap { value in alphabet.map { value + $0 } } }
        for value in Set(values) {
            let parts = value.split(separator: ",").map { part in
                String(part).withFieldBytes { $0.trimmed.text }
            }
            let words = value.split { $0 == " " || $0 == "\t" || $0 == "," }.map { String($0) }
            for (name, tags) in [("cache-tag", parts), ("surrogate-key", words)] {
                var seen: Set<String> = []
                let expected = tags.filter { !$0.isEmpty && seen.insert($0).inserted }
                let stored = StoredFields(serialized: "\(name): \(value)")
                #expect(stored?.tags == expected, "\(name): \(value)")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func `a flood of tags is read no further than to the limit`() throws {
        let many = (0..<10_000).map { "t\($0)" }.joined(separator: ",")
        let stored = try #require(StoredFields(serialized: "cache-tag: \(many)"))
        var count = 0
        for _ in 0..<6_000 { count += stored.tags.count }
        #expect(count == 6_000 * StoredFields.tagLimit)
    }

    @Test func `fields without tags are not taken apart for them`() {
        #expect(
            !StoredFields.mayHaveTags(
                serialized: StoredFields(fields(["ETag: \"a\"", "Vary: x"])).serialized))
    }
}
