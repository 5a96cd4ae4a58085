// SPDX-License-Identifier: Apache-2.0

/// The 32 bytes of a SHA-256 digest (FIPS 180-4). An adapter computes it.
package struct Digest: Sendable, Hashable {
    /// The bytes as four big-endian words, first bytes first.
    package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil unless there are exactly 32 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in bytes.enumerated() { words[index / 8] = words[index / 8] << 8 | UInt64(byte) }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Takes the bytes as four big-endian words, first bytes first.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// All 32 bytes, in order.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            // Cannot trap: the bytes of a word are numbered from 0 to 7.
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    package static func == (a: Digest, b: Digest) -> Bool { a.words == b.words }

    package func hash(into hasher: inout Hasher) {
        // The words are uniform already; two of them leave nothing to collide by accident.
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}
