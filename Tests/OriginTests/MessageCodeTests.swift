// SPDX-License-Identifier: Apache-2.0

import Bytes
import Hashing
import Testing

@Suite("Message authentication codes are those of RFC 2104")
struct MessageCodeTests {
    /// RFC 4231 §4: key, message, code.
    static let vectors: [([UInt8], String, String)] = [
        (
            Array(repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            Array(repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            Array(repeating: 0xAA, count: 131),
            "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
    ]

    @Test(arguments: vectors)
    func `the published examples`(key: [UInt8], message: String, code: String) {
        #expect(MessageCode.of(Array(message.utf8), key: key).hex == code)
    }

    @Test func `an empty message and an empty key have a code`() {
        #expect(
            MessageCode.of([], key: []).hex
                == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}
