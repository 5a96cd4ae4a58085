// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// `b64:` and base64url (RFC 4648 §5), as imagor writes names that a path could not hold.
enum Base64URL {
    /// A slash may stand behind it. Nil for a name that has no such form, or whose digits are none.
    static func name(in text: String) -> String? {
        guard text.hasPrefix("b64:") else { return nil }
        let digits = text.hasSuffix("/") ? text.dropFirst(4).dropLast() : text.dropFirst(4)
        return bytes(Array(digits.utf8))
            .flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// With its padding or without it; nil for what is none.
    static func bytes(_ text: [UInt8]) -> [UInt8]? {
        var digits = text[...]
        while digits.last == UInt8(ascii: "="), text.count - digits.count < 2 { digits.removeLast() }
        guard digits.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count * 3 / 4)
        var (bits, count) = (UInt32(0), 0)
        for digit in digits {
            guard let value = value(digit) else { return nil }
            bits = bits << 6 | value
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            bits &= (1 << UInt32(count)) - 1
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt32? {
        switch digit {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(digit - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(digit - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(digit - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
