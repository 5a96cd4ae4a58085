// SPDX-License-Identifier: Apache-2.0

@testable import Endpoints
import Testing

@Suite("A purge's body does not end the process") struct PurgeBodyTests {
    @Test(arguments: ["[", "{\"a\":", " [", "[[],"], [17, 511, 512, 513, 514, 10_000])
    func `deep nesting is refused`(opening: String, depth: Int) {
        let text = Array(String(repeating: opening, count: depth).utf8)
        #expect(throws: PurgeBody.Mistake.self) { try PurgeBody.read(text) }
    }

    @Test func `brackets in a tag are its own`() throws {
        let tag = String(repeating: "[{", count: 600) + "\\\"["
        let body = try PurgeBody.read(Array("{\"tag\":\"\(tag)\"}".utf8))
        #expect(body.tag?.hasSuffix("\"[") == true)
    }
}
