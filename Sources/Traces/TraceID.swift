// SPDX-License-Identifier: Apache-2.0

/// The ID of a trace: 128 bits that are not all zero.
package struct TraceID: Sendable, Hashable {
    let high: UInt64
    let low: UInt64

    /// Nil for all zeros, which are not a valid ID (W3C Trace Context §3.2.2.3).
    package init?(high: UInt64, low: UInt64) {
        guard high != 0 || low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// 32 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.text(high) + Hexadecimal.text(low) }

    var bytes: [UInt8] { Hexadecimal.bytes(high) + Hexadecimal.bytes(low) }
}

/// The ID of a span within its trace: 64 bits that are not all zero.
package struct SpanID: Sendable, Hashable {
    let bits: UInt64

    /// Nil for all zeros, which are not a valid ID.
    package init?(_ bits: UInt64) {
        guard bits != 0 else { return nil }
        self.bits = bits
    }

    /// 16 lower-case hexadecimal digits.
    package var text: String { Hexadecimal.text(bits) }

    var bytes: [UInt8] { Hexadecimal.bytes(bits) }
}

enum Hexadecimal {
    static func text(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }

    /// The bytes of a number, the most significant first.
    static func bytes(_ word: UInt64) -> [UInt8] { withUnsafeBytes(of: word.bigEndian) { Array($0) } }

    /// The number spelled by at most 16 lower-case hexadecimal digits; nil for anything else.
    static func number(_ digits: some Sequence<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case 0x30...0x39: number = number << 4 | UInt64(truncatingIfNeeded: digit &- 0x30)
            case 0x61...0x66: number = number << 4 | UInt64(truncatingIfNeeded: digit &- 0x57)
            default: return nil
            }
        }
        return number
    }
}
