// SPDX-License-Identifier: Apache-2.0

import Hashing
import Testing

@Suite("AES in CBC mode is that of NIST SP 800-38A")
struct BlockCipherTests {
    private let vector: [UInt8] = Array(0...15)
    private let key: [UInt8] = [
        0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
    ]
    /// SP 800-38A F.2.1: the first block, followed by a block of padding.
    private let text: [UInt8] = [
        0x76, 0x49, 0xAB, 0xAC, 0x81, 0x19, 0xB2, 0x46, 0xCE, 0xE9, 0x8E, 0x9B, 0x12, 0xE9, 0x19, 0x7D,
        0x89, 0x64, 0xE0, 0xB1, 0x49, 0xC1, 0x0B, 0x7B, 0x68, 0x2E, 0x6E, 0x39, 0xAA, 0xEB, 0x73, 0x1C,
    ]

    @Test func `its test case holds`() {
        #expect(
            BlockCipher.decrypt(text, key: key, vector: vector) == [
                0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93, 0x17,
                0x2A,
            ])
    }

    @Test func `what is no such text has no meaning`() {
        #expect(BlockCipher.decrypt(text.prefix(16), key: key, vector: vector) == nil, "without padding")
        #expect(BlockCipher.decrypt(text.prefix(17), key: key, vector: vector) == nil)
        #expect(BlockCipher.decrypt([], key: key, vector: vector) == nil)
        #expect(BlockCipher.decrypt(text, key: Array(key.dropLast()), vector: vector) == nil)
        #expect(BlockCipher.decrypt(text, key: key, vector: []) == nil)
    }
}
