// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// An IPv4 or IPv6 address, as a number.
package enum IPAddress: Sendable, Hashable {
    case v4(UInt32)
    /// The upper and the lower 64 bits.
    case v6(UInt64, UInt64)

    /// The IPv4 address of `::ffff:a.b.c.d` (RFC 4291 §2.5.5.2), as which the kernel dials it; otherwise the
    /// address itself.
    package var unmapped: IPAddress {
        if case .v6(0, let low) = self, low >> 32 == 0xFFFF { return .v4(UInt32(truncatingIfNeeded: low)) }
        return self
    }

    /// 128 bits; an IPv4 address is `::ffff:a.b.c.d`.
    package var mapped: UInt128 {
        switch self {
        case .v4(let value): 0xFFFF_0000_0000 | UInt128(value)
        case .v6(let high, let low): UInt128(high) << 64 | UInt128(low)
        }
    }

    /// 128 bits; `::ffff:a.b.c.d` is an IPv4 address.
    package init(mapped value: UInt128) {
        self =
            IPAddress.v6(UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value)).unmapped
    }
}

// MARK: Text

extension IPAddress {
    /// Parses a dotted quad or RFC 4291 §2.2 text, without brackets or zone. The sloppy forms of inet_aton(3)
    /// (`127.1`, `0x7f000001`) are refused here, and judged when they are dialled.
    package init?(_ text: String) {
        guard let address = text.withFieldBytes({ IPAddress($0) }) else { return nil }
        self = address
    }

    /// As `init(_:)` for text, for bytes. Allocates nothing.
    package init?(_ text: UnsafeRawBufferPointer) {
        if let value = Self.quad(text) {
            self = .v4(value)
        } else if let value = Self.groups(text) {
            self = .v6(UInt64(truncatingIfNeeded: value >> 64), UInt64(truncatingIfNeeded: value))
        } else {
            return nil
        }
    }

    /// Four decimal numbers without leading zeros, which some parsers read as octal.
    private static func quad(_ text: UnsafeRawBufferPointer) -> UInt32? {
        guard (7...15).contains(text.count) else { return nil }
        var scanner = FieldScanner(text)
        var value: UInt32 = 0
        for index in 0..<4 {
            if index > 0 { guard scanner.take(.dot) else { return nil } }
            let digits = scanner.take(while: \.isDigit)
            guard (1...3).contains(digits.count), digits.count == 1 || digits[0] != UInt8(ascii: "0")
            else { return nil }
            let number = Int(saturatingDecimal: digits)
            guard number <= 255 else { return nil }
            // Cannot trap: it is no more than 255.
            value = value << 8 | UInt32(number)
        }
        return scanner.isAtEnd ? value : nil
    }

    /// Eight groups of one to four hexadecimal digits. One `::` stands for at least one group of zeros; the last two
    /// groups may be a dotted quad.
    private static func groups(_ text: UnsafeRawBufferPointer) -> UInt128? {
        guard (2...45).contains(text.count) else { return nil }
        var scanner = FieldScanner(text)
        var (value, count): (UInt128, Int) = (0, 0)
        // Groups in front of the "::".
        var gap: Int?
        if scanner.take(.colon) {
            guard scanner.take(.colon) else { return nil }
            gap = 0
        }
        while !scanner.isAtEnd {
            let start = scanner.position
            let digits = scanner.take(while: { $0.hexadecimalValue != nil })
            if scanner.peek == .dot {
                guard count <= 6, let quad = quad(UnsafeRawBufferPointer(rebasing: text[start...]))
                else { return nil }
                (value, count) = (value << 32 | UInt128(quad), count + 2)
                break
            }
            guard (1...4).contains(digits.count), count < 8 else { return nil }
            let group = digits.reduce(UInt128(0)) { $0 << 4 | UInt128($1.hexadecimalValue ?? 0) }
            (value, count) = (value << 16 | group, count + 1)
            if scanner.isAtEnd { break }
            guard scanner.take(.colon) else { return nil }
            if scanner.take(.colon) {
                guard gap == nil else { return nil }
                gap = count
            } else if scanner.isAtEnd {
                return nil
            }
        }
        return spread(value, of: count, gap: gap)
    }

    /// Puts the zeros of the "::" between the groups in front of it and those behind it.
    private static func spread(_ value: UInt128, of count: Int, gap: Int?) -> UInt128? {
        guard let gap else { return count == 8 ? value : nil }
        guard count < 8 else { return nil }
        let behind = 16 * (count - gap)
        let mask = (UInt128(1) << behind) - 1
        return ((value & ~mask) >> behind) << (128 - 16 * gap) | value & mask
    }
}

extension UInt8 {
    fileprivate var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
