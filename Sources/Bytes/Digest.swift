// SPDX-License-Identifier: Apache-2.0

/// The 32 bytes of a SHA-256 digest (FIPS 180-4). Module Hashing computes it.
@usableFromInline package struct Digest: Sendable, Hashable {
    /// The bytes as four big-endian words, in the order of the bytes.
    @usableFromInline package let words: (UInt64, UInt64, UInt64, UInt64)

    /// Nil unless there are exactly 32 bytes.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 32 else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        words = (word(0), word(1), word(2), word(3))
    }

    /// Nil unless there are exactly 32 bytes.
    package init?(_ bytes: some Collection<UInt8>) {
        guard let digest = Array(bytes).withUnsafeBytes({ Digest($0) }) else { return nil }
        self = digest
    }

    /// Takes the 32 bytes that a C function writes to its argument.
    package init(writtenBy write: (UnsafeMutablePointer<UInt8>?) -> Void) {
        var order: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        withUnsafeMutableBytes(of: &order) { write($0.assumingMemoryBound(to: UInt8.self).baseAddress) }
        words = (order.0.bigEndian, order.1.bigEndian, order.2.bigEndian, order.3.bigEndian)
    }

    /// Nil for anything but 64 lower-case hexadecimal digits.
    package init?(hex text: String) {
        guard text.utf8.count == 64 else { return nil }
        var words: [UInt64] = [0, 0, 0, 0]
        for (index, byte) in text.utf8.enumerated() {
            guard let digit = byte.hexDigitValue, digit.hexDigit == byte else { return nil }
            words[index / 16] = words[index / 16] << 4 | UInt64(digit)
        }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Takes the bytes as four big-endian words, in the order of the bytes.
    package init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// All 32 bytes, in order.
    package var bytes: [UInt8] { withBytes { Array($0) } }

    /// Calls `body` with all 32 bytes, in order.
    @inlinable package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        let order = (words.0.bigEndian, words.1.bigEndian, words.2.bigEndian, words.3.bigEndian)
        return withUnsafeBytes(of: order, body)
    }

    /// 64 lower-case hexadecimal digits.
    package var hex: String {
        String(unsafeUninitializedCapacity: 64) { text in
            writeHex(to: UnsafeMutableBufferPointer(rebasing: text[..<64]))
            return 64
        }
    }

    /// Writes the hexadecimal digits, as many as there is room for.
    package func writeHex(to text: UnsafeMutableBufferPointer<UInt8>) {
        var digits: InlineArray<8, UInt64> = [
            Self.digits(of: words.0 >> 32), Self.digits(of: words.0),
            Self.digits(of: words.1 >> 32), Self.digits(of: words.1),
            Self.digits(of: words.2 >> 32), Self.digits(of: words.2),
            Self.digits(of: words.3 >> 32), Self.digits(of: words.3),
        ]
        withUnsafeBytes(of: &digits) { digits in
            UnsafeMutableRawBufferPointer(text).copyMemory(from: .init(rebasing: digits.prefix(text.count)))
        }
    }

    /// The eight hexadecimal digits of the lower 32 bits, in the order of memory. All digits are computed at once: each step
    /// moves every second group of bits out of its neighbour's word, half-word or byte.
    private static func digits(of bits: UInt64) -> UInt64 {
        var digits = bits & 0xFFFF_FFFF
        digits = (digits | digits << 16) & 0x0000_FFFF_0000_FFFF
        digits = (digits | digits << 8) & 0x00FF_00FF_00FF_00FF
        digits = (digits | digits << 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 1 in each byte whose value is 10 or more: adding 6 to such a value carries into the upper four bits.
        let letters = (digits &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        // `zeros` has "0" in each byte. `toLetters` is the distance of "a" from the character that would follow "9".
        let (zeros, toLetters): (UInt64, UInt64) = (0x3030_3030_3030_3030, 39)
        return (digits &+ zeros &+ letters &* toLetters).bigEndian
    }

    @inlinable package static func == (a: Digest, b: Digest) -> Bool { a.words == b.words }

    @inlinable package func hash(into hasher: inout Hasher) {
        // The words are uniform already, so two of them suffice against accidental collisions.
        hasher.combine(words.0)
        hasher.combine(words.1)
    }
}
