// SPDX-License-Identifier: Apache-2.0

internal import Foundation
@testable import JSON
import Testing

@Suite("JSON that strangers wrote does not end the process") struct UntrustedJSONTests {
    /// Foundation's decoder traps at a depth of 513.
    @Test(arguments: ["[", "{\"a\":", " [", "[[],"], [17, 511, 512, 513, 514, 10_000])
    func `deep nesting is refused`(opening: String, depth: Int) {
        let text = Array(String(repeating: opening, count: depth).utf8)
        #expect(UntrustedJSON.read([Int].self, from: text) == nil)
        #expect(!UntrustedJSON.isDecodable(text))
    }

    @Test func `in another encoding as well`() {
        let bracket = UInt8(ascii: "[")
        for unit in [[bracket, 0], [0, bracket]] as [[UInt8]] {
            let text = [[UInt8]](repeating: unit, count: 513).flatMap(\.self)
            #expect(UntrustedJSON.read([Int].self, from: text) == nil)
        }
    }

    @Test func `brackets in texts do not count`() throws {
        let tag = String(repeating: "[{", count: 600) + "\\\"["
        let read = UntrustedJSON.read([String: String].self, from: Array("{\"tag\":\"\(tag)\"}".utf8))
        #expect(read?["tag"]?.hasSuffix("\"[") == true)
        #expect(UntrustedJSON.read([[Int]].self, from: Array("[[1],[2]]".utf8)) == [[1], [2]])
        #expect(!UntrustedJSON.isDecodable(Array("\"\\\\\"\(String(repeating: "[", count: 17))".utf8)))
    }

    private func nested(_ depth: Int, _ opening: String, _ closing: String) -> [UInt8] {
        Array((String(repeating: opening, count: depth) + String(repeating: closing, count: depth)).utf8)
    }

    @Test func `sixteen are the deepest, of arrays and of objects alike`() {
        for (opening, closing) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
            let levels = opening.utf8.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
            #expect(UntrustedJSON.isDecodable(nested(16 / levels, opening, closing)))
            #expect(!UntrustedJSON.isDecodable(nested(16 / levels + 1, opening, closing)))
        }
    }

    @Test func `what stands side by side is not nested`() {
        let flat = Array(("[" + Array(repeating: "[{},[]]", count: 500).joined(separator: ",") + "]").utf8)
        #expect(UntrustedJSON.isDecodable(flat))
    }

    /// The text is followed by 17 brackets, one more than are allowed; the second value says whether they are outside of the text
    /// and count.
    @Test(arguments: [
        (#""""#, true), (#""a""#, true), (#""\""#, false), (#""\"""#, true), (#""\\""#, true),
        (#""\\\""#, false),
        (#""["#, false), (#""[""#, true), (#""\[""#, true), ("", true), (#"\""#, false), (#"\"""#, true),
    ])
    func `a text ends at the first quote that is not escaped`(text: String, ends: Bool) {
        let brackets = String(repeating: "[", count: 17)
        #expect(UntrustedJSON.isDecodable(Array((text + brackets).utf8)) == !ends)
    }

    @Test func `a zero is no JSON, in a text or out of it`() {
        #expect(!UntrustedJSON.isDecodable([0]))
        #expect(!UntrustedJSON.isDecodable(Array("\"a\0b\"".utf8)))
        #expect(UntrustedJSON.isDecodable([1, 0x7F, 0x80, 0xFF]))
    }

    @Test(arguments: [
        "[1,]", "[1 ,\n\t\r ]", "[[1],]", "[,]", "\u{FEFF}[1]", "[[1,],2]", "{\"a\":1,}", "{\"a\":[1,]}",
    ])
    func `what Foundation takes and RFC 8259 does not is no JSON`(text: String) {
        #expect(!UntrustedJSON.isDecodable(Array(text.utf8)))
        #expect(UntrustedJSON.read([Int].self, from: Array(text.utf8)) == nil)
        #expect(UntrustedJSON.read([String: Int].self, from: Array(text.utf8)) == nil)
    }

    @Test func `a comma in a text, and one before another member, are in their place`() {
        for text in [#"[",]"]"#, #"["\",]"]"#, "[1 , 2]", #"{"a,}":"b,}"}"#] {
            #expect(UntrustedJSON.isDecodable(Array(text.utf8)), "\(text)")
        }
        #expect(UntrustedJSON.read([String].self, from: Array(#"[ ",]" , "\",}" ]"#.utf8)) == [",]", "\",}"])
    }

    @Test func `what is not as expected is nothing`() {
        struct Body: Decodable, Equatable { var firstName: String }
        let text = Array(#"{"first_name":"a","more":[1]}"#.utf8)
        #expect(UntrustedJSON.read(Body.self, from: text) == nil)
        #expect(
            UntrustedJSON.read(Body.self, from: text, keys: .convertFromSnakeCase) == Body(firstName: "a"))
        for wrong in ["", "{", "[]", #"{"first_name":1}"#, #"{"first_name":"a"} x"#] {
            #expect(
                UntrustedJSON.read(Body.self, from: Array(wrong.utf8), keys: .convertFromSnakeCase) == nil)
        }
    }
}
