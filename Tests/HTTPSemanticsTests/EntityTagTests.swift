// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import RandomInputs
import Testing

struct EntityTagTests {
    @Test(
        arguments: [
            (#""xyzzy""#, false, "xyzzy"), (#"W/"xyzzy""#, true, "xyzzy"), (#""""#, false, ""),
            (#"W/"""#, true, ""),
            (#""a,b""#, false, "a,b"), (#""a\b""#, false, #"a\b"#), (#""!#~""#, false, "!#~"),
            ("\"é\"", false, "é"),
            (#"  "a" "#, false, "a"), (#""W/""#, false, "W/"),
        ] as [(String, Bool, String)])
    func `a tag is read as RFC 9110 spells it`(text: String, isWeak: Bool, opaque: String) {
        #expect(EntityTag(text) == EntityTag(opaque: opaque, isWeak: isWeak))
    }

    @Test(
        arguments: [
            "", "abc", "*", #"""#, #"w/"a""#, #"W"a""#, #"W/a"#, #"W/ "a""#, #""a"#, #"a""#, #""a" "b""#,
            #""a","b""#,
            #""a b""#, "\"a\u{7F}\"", "\"a\u{1}\"", #""a"x"#, #"W/W/"a""#,
        ])
    func `what is not a tag is none`(text: String) {
        #expect(EntityTag(text) == nil)
    }

    /// The table of RFC 9110 §8.8.3.2.
    @Test(
        arguments: [
            (#"W/"1""#, #"W/"1""#, false, true), (#"W/"1""#, #"W/"2""#, false, false),
            (#"W/"1""#, #""1""#, false, true), (#""1""#, #""1""#, true, true),
            (#""1""#, #""2""#, false, false),
        ] as [(String, String, Bool, Bool)])
    func `strong and weak comparison`(a: String, b: String, strong: Bool, weak: Bool) throws {
        let (a, b) = (try #require(EntityTag(a)), try #require(EntityTag(b)))
        #expect(a.matchesStrongly(b) == strong && b.matchesStrongly(a) == strong)
        #expect(a.matchesWeakly(b) == weak && b.matchesWeakly(a) == weak)
    }

    @Test(
        arguments: [
            (#""a""#, #""a""#, true), (#"W/"a""#, #""a""#, true), (#""a""#, #"W/"a""#, true),
            (#""b""#, #""a""#, false),
            ("*", #""a""#, true), (" * ", #""a""#, true), ("*, \"b\"", #""a""#, false),
            ("**", #""a""#, false),
            (#""b", "a", "c""#, #""a""#, true), (#""b","a""#, #""a""#, true),
            (#""b" , W/"a""#, #""a""#, true),
            (#","a","#, #""a""#, true), (#", ,, "a""#, #""a""#, true), ("", #""a""#, false),
            (",", #""a""#, false),
            ("a", #""a""#, false), (#"w/"a""#, #""a""#, false), (#"x, "a""#, #""a""#, true),
            (#""b"x, "a""#, #""a""#, true), (#""a"x"#, #""a""#, false), (#""a" "b""#, #""a""#, false),
            (#""x, "a""#, #""a""#, false), (#""a,b""#, #""a""#, false), (#""a,b""#, #""a,b""#, true),
            (#""b, "a"#, #""a""#, false), (#""A""#, #""a""#, false), (#""a ""#, #""a""#, false),
            ("\t\"a\"\t", #""a""#, true),
            (#""aa""#, #""a""#, false), (#""a""#, #""aa""#, false), (#""""#, #""""#, true),
            (#""a""#, "a", false),
        ] as [(String, String, Bool)])
    func `If-None-Match compares weakly against a list`(list: String, tag: String, expected: Bool) {
        let matches = Array(list.utf8).withUnsafeBytes { list in
            Array(tag.utf8).withUnsafeBytes { EntityTag.matches(ifNoneMatch: list, tag: $0) }
        }
        #expect(matches == expected)
    }

    @Test func `a list gives its tags in order and leaves out what is none`() {
        #expect(
            EntityTag.list(#""a", W/"b", c, "d,e" , "f"g, "h""#).map(\.description) == [
                #""a""#, #"W/"b""#, #""d,e""#, #""h""#,
            ])
        #expect(EntityTag.list("").isEmpty)
    }

    @Test func `a tag is written as it was read`() {
        for text in [#""xyzzy""#, #"W/"xyzzy""#, #""""#] { #expect(EntityTag(text)?.description == text) }
    }

    @Test func `no bytes make the matcher trap, and it agrees with the list of tags`() {
        var random = SeededRandom(for: "entity tags")
        for _ in 0..<50_000 {
            let list = random.fieldBytes(limit: 24, alphabet: #""""",,W/ab *\ "#)
            guard let text = String(validating: list, as: UTF8.self) else {
                _ = list.withUnsafeBytes { EntityTag.matches(ifNoneMatch: $0, tag: $0) }
                continue
            }
            let fast = list.withUnsafeBytes { list in
                Array(#""a""#.utf8).withUnsafeBytes { EntityTag.matches(ifNoneMatch: list, tag: $0) }
            }
            let isStar = text.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined() == "*"
            let slow = isStar || EntityTag.list(text).contains { $0.opaque == "a" }
            #expect(fast == slow, "seed \(random.seed): \(text)")
        }
    }
}
