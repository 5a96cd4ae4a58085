// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// WHATWG URL, "IPv4 parser": one to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`), of which the last fills all
/// remaining bytes. `2130706433`, `0x7f.1` and `0177.0.0.1` are all 127.0.0.1.
enum IPv4Literal {
    /// The dotted quad; nil if the numbers are no address.
    static func parse(_ parts: [String]) -> String? {
        guard (1...4).contains(parts.count) else { return nil }
        let numbers = parts.compactMap(number)
        guard numbers.count == parts.count, let last = numbers.last else { return nil }
        guard numbers.dropLast().allSatisfy({ $0 <= 255 }) else { return nil }
        // Cannot trap: there are at most four parts.
        guard last < 1 << (8 * UInt64(5 - parts.count)) else { return nil }
        var address = last
        for (index, number) in numbers.dropLast().enumerated() {
            // Cannot trap: at most three numbers precede the last.
            address += number << (24 - 8 * UInt64(index))
        }
        return AddressText.text(v4: UInt32(truncatingIfNeeded: address))
    }

    /// Reads a number. More than 32 bits become `UInt64.max`: a number, but no part of any address.
    static func number(_ text: String) -> UInt64? {
        guard !text.isEmpty else { return nil }
        var digits = Substring(text)
        var radix: UInt64 = 10
        if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
            digits = digits.dropFirst(2)
            radix = 16
        } else if digits.count > 1, digits.hasPrefix("0") {
            digits = digits.dropFirst()
            radix = 8
        }
        var value: UInt64 = 0
        for byte in digits.utf8 {
            guard let digit = byte.hexDigitValue, digit < radix else { return nil }
            value = min(value * radix + UInt64(digit), 1 << 32)
        }
        return value == 1 << 32 ? .max : value
    }
}
