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
    }

    @Test func `a flood of tags is cut at the limit`() {
        let many = (0..<StoredFields.tagLimit + 9).map { "t\($0)" }
        #expect(StoredFields.tagLimit == 256)
        #expect(
            StoredFields(fields(["Cache-Tag: " + many.joined(separator: ",")])).tags
                == Array(many.prefix(StoredFields.tagLimit)))
    }

    @Test func `fields without tags are not taken apart for them`() {
        #expect(
            !StoredFields.mayHaveTags(
                serialized: StoredFields(fields(["ETag: \"a\"", "Vary: x"])).serialized))
    }
}
