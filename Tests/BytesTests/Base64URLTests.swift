// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import RandomInputs
import Testing

@Suite struct Base64URLTests {
    @Test func `it reads what others write, padded or not`() {
        var random = SeededRandom(for: "base64url")
        for count in 0..<200 {
            let bytes = random.bytes(count)
            let text = Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(Base64URL.decode(text.utf8) == bytes)
            #expect(Base64URL.decode(text.replacing("=", with: "").utf8) == bytes)
        }
    }

    @Test(arguments: ["a", "abcde", "ab+d", "ab/d", "a b", "=", "==", "a=", "a===", "ab=c", "äb"])
    func `what is none is told`(text: String) { #expect(Base64URL.decode(text.utf8) == nil) }
}
