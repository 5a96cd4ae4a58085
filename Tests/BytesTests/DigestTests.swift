// SPDX-License-Identifier: Apache-2.0

import Bytes
import RandomInputs
import Testing

@Suite("A digest is 32 bytes")
struct DigestTests {
    private static let rising = (0..<32).map { UInt8($0) }

    @Test func `of another length there is none`() {
        for count in [0, 1, 31, 33, 64] { #expect(Digest([UInt8](repeating: 7, count: count)) == nil) }
        #expect(Digest(Self.rising) != nil)
    }

    @Test func `its words are big-endian, and the first bytes come first`() throws {
        let digest = try #require(Digest(Self.rising))
        #expect(digest.words.0 == 0x0001_0203_0405_0607)
        #expect(digest.words.1 == 0x0809_0A0B_0C0D_0E0F)
        #expect(digest.words.2 == 0x1011_1213_1415_1617)
        #expect(digest.words.3 == 0x1819_1A1B_1C1D_1E1F)
        #expect(digest.bytes == Self.rising)
    }

    @Test func `its text is 64 small hexadecimal digits`() throws {
        let text = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        #expect(try #require(Digest(Self.rising)).hex == text)
        #expect(Digest(words: (.max, 0, 0xABCD, 1 << 63)).hex.hasPrefix("ffffffffffffffff0000000000000000"))
    }

    @Test func `its text is written as far as there is room, and no further`() throws {
        let digest = try #require(Digest(Self.rising.map { $0 &* 37 &+ 9 }))
        for room in 0...70 {
            var text = [UInt8](repeating: UInt8(ascii: "-"), count: 72)
            text.withUnsafeMutableBufferPointer {
                digest.writeHex(to: UnsafeMutableBufferPointer(rebasing: $0[1..<(1 + room)]))
            }
            let written = min(room, 64)
            #expect(
                String(decoding: text, as: UTF8.self)
                    == "-\(digest.hex.prefix(written))\(String(repeating: "-", count: 71 - written))")
        }
    }

    @Test func `bytes, words and text tell the same`() throws {
        var random = SeededRandom(for: "digests")
        for _ in 0..<500 {
            let bytes = random.bytes(32)
            let digest = try #require(Digest(bytes))
            #expect(digest.bytes == bytes)
            #expect(Digest(words: digest.words) == digest)
            #expect(Set([digest, Digest(words: digest.words)]).count == 1)
            let pairs = zip(digest.hex.utf8, digest.hex.utf8.dropFirst()).enumerated()
            let read = pairs.filter { $0.offset % 2 == 0 }.map {
                ($0.element.0.hexDigitValue ?? 0) << 4 | ($0.element.1.hexDigitValue ?? 0)
            }
            #expect(read == bytes)
            #expect(Digest(hex: digest.hex) == digest)
        }
    }

    @Test func `another text than 64 small hexadecimal digits tells no digest`() throws {
        let text = try #require(Digest(Self.rising)).hex
        #expect(Digest(hex: text.uppercased()) == nil)
        #expect(Digest(hex: String(text.dropLast())) == nil)
        #expect(Digest(hex: text + "0") == nil)
        for wrong in ["g", "G", "/", ":", "@", "`", " "] {
            #expect(Digest(hex: text.dropLast() + wrong) == nil)
        }
    }

    @Test func `a bit that differs makes another digest`() throws {
        let digest = try #require(Digest(Self.rising))
        for bit in 0..<256 {
            var bytes = Self.rising
            bytes[bit / 8] ^= 1 << (bit % 8)
            #expect(Digest(bytes) != digest)
        }
    }
}
