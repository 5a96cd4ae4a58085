// SPDX-License-Identifier: Apache-2.0

/// IP addresses as text, and as numbers. Reading an address allocates nothing.
///
/// The sloppy forms of IPv4 that inet_aton(3) takes (`127.1`, `0x7f000001`) are no addresses here.
package enum AddressText {
    /// An IPv4 address: four decimal numbers without leading zeros, because some parsers read a number with a leading zero as
    /// octal.
    /// - Returns: nil if the text is anything else.
    package static func v4(_ text: UnsafeRawBufferPointer) -> UInt32? {
        guard (7...15).contains(text.count) else { return nil }
        var value: UInt32 = 0
        var (parts, digits, number) = (0, 0, UInt32(0))
        for byte in text {
            if byte == UInt8(ascii: ".") {
                guard digits > 0, parts < 3 else { return nil }
                (value, parts, digits, number) = (value << 8 | number, parts + 1, 0, 0)
            } else {
                guard byte.isASCIIDigit, digits == 0 || number > 0 else { return nil }
                // The lower four bits of an ASCII digit are its value.
                number = number * 10 + UInt32(byte & 15)
                guard number <= 255 else { return nil }
                digits += 1
            }
        }
        return parts == 3 && digits > 0 ? value << 8 | number : nil
    }

    /// An IPv6 address (RFC 4291 §2.2) without brackets or zone: eight groups of one to four hexadecimal digits. One `::` stands
    /// for at least one group of zeros; the last two groups may be a dotted quad.
    /// - Returns: nil if the text is anything else.
    package static func v6(_ text: UnsafeRawBufferPointer) -> UInt128? {
        guard (2...45).contains(text.count) else { return nil }
        var groups = Groups()
        var index = 0
        if text[0] == UInt8(ascii: ":") {
            guard text[1] == UInt8(ascii: ":") else { return nil }
            groups.gap = 0
            index = 2
        }
        while index < text.count {
            let start = index
            while index < text.count, text[index].hexDigitValue != nil { index += 1 }
            if index < text.count, text[index] == UInt8(ascii: ".") {
                guard groups.count <= 6, let quad = v4(UnsafeRawBufferPointer(rebasing: text[start...]))
                else { return nil }
                groups.append(quad)
                break
            }
            guard (1...4).contains(index - start), groups.count < 8 else { return nil }
            groups.append(text[start..<index])
            if index == text.count { break }
            guard text[index] == UInt8(ascii: ":") else { return nil }
            index += 1
            // A single colon must not end the address.
            guard index < text.count else { return nil }
            if text[index] == UInt8(ascii: ":") {
                guard groups.gap == nil else { return nil }
                groups.gap = groups.count
                index += 1
            }
        }
        return groups.address
    }

    /// The dotted quad of an address.
    package static func text(v4 address: UInt32) -> String {
        [24, 16, 8, 0].map { String(address >> $0 & 255) }.joined(separator: ".")
    }

    /// The canonical text of an address (RFC 5952 §4): `::` stands for the longest run of at least two zero groups, and for the
    /// first of equally long runs.
    package static func text(v6 address: UInt128) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: address >> (112 - 16 * $0)) }
        var zeros = 0..<0
        var start = 0
        for (index, group) in groups.enumerated() {
            if group != 0 { start = index + 1 }
            if index + 1 - start > zeros.count { zeros = start..<index + 1 }
        }
        let text = { (part: ArraySlice<UInt16>) in
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard zeros.count > 1 else { return text(groups[...]) }
        return "\(text(groups[..<zeros.lowerBound]))::\(text(groups[zeros.upperBound...]))"
    }

    /// The groups read so far, the last one in the lowest bits.
    private struct Groups {
        var value: UInt128 = 0
        var count = 0
        /// The number of groups in front of the "::"; nil before a "::" was read.
        var gap: Int?

        mutating func append(_ digits: Slice<UnsafeRawBufferPointer>) {
            let group = digits.reduce(UInt128(0)) { $0 << 4 | UInt128($1.hexDigitValue ?? 0) }
            (value, count) = (value << 16 | group, count + 1)
        }

        mutating func append(_ quad: UInt32) { (value, count) = (value << 32 | UInt128(quad), count + 2) }

        /// The address, with the zeros of the "::" inserted between the groups in front of it and those behind it. Nil if the
        /// number of groups is wrong.
        var address: UInt128? {
            guard let gap else { return count == 8 ? value : nil }
            guard count < 8 else { return nil }
            let behind = 16 * (count - gap)
            let mask = (UInt128(1) << behind) - 1
            return ((value & ~mask) >> behind) << (128 - 16 * gap) | value & mask
        }
    }
}
