// SPDX-License-Identifier: Apache-2.0

@testable import JSON
import Testing

@Suite("JSON that strangers wrote does not end the process") struct UntrustedJSONTests {
    /// Foundation's decoder traps at 513.
    @Test(arguments: ["[", "{\"a\":", " [", "[[],"], [17, 511, 512, 513, 514, 10_000])
    func `deep nesting is refused`(opening: String, depth: Int) {
        let text = Array(String(repeating: opening, count: depth).utf8)
        #expect(UntrustedJSON.read([Int].self, from: text) == nil)
        #expect(!UntrustedJSON.isShallow(text))
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
        #expect(!UntrustedJSON.isShallow(Array("\"\\\\\"\(String(repeating: "[", count: 17))".utf8)))
    }
}
