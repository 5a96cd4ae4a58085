// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// `0`…`9`.
    @inlinable package var isASCIIDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

    /// `A`…`Z` and `a`…`z`.
    @inlinable package var isASCIILetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(asciiLowercased)
    }

    /// The unreserved bytes of RFC 3986 §2.3 without `~`: letters, digits, `.`, `_` and `-`, which need no escape in a URL.
    package var isNameByte: Bool {
        isASCIILetter || isASCIIDigit
            || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(self)
    }

    /// RFC 3986 §2.3: a byte that needs no escape in any part of a URL.
    package var isUnreserved: Bool { isNameByte || self == UInt8(ascii: "~") }

    /// The lower-case letter of an upper-case letter; any other byte unchanged.
    @inlinable package var asciiLowercased: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    /// The upper-case letter of a lower-case letter; any other byte unchanged.
    @inlinable package var asciiUppercased: UInt8 {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self) ? self & ~0x20 : self
    }

    /// The value of a hexadecimal digit of either case, 0…15; nil for any other byte.
    @inlinable package var hexDigitValue: UInt8? {
        switch asciiLowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): asciiLowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The lower-case hexadecimal digit of the lower four bits.
    @inlinable package var hexDigit: UInt8 {
        let value = self & 15
        return value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }
}

/// RFC 3986 §2.1: `%` and two hexadecimal digits.
package enum PercentEscape {
    /// The byte that the escape at `index` stands for; nil if no whole escape begins there.
    package static func byte(in bytes: ArraySlice<UInt8>, at index: Int) -> UInt8? {
        guard index + 2 < bytes.endIndex, bytes[index] == UInt8(ascii: "%"),
            let high = bytes[index + 1].hexDigitValue, let low = bytes[index + 2].hexDigitValue
        else { return nil }
        return high << 4 | low
    }

    /// The bytes with every escape replaced by its byte; nil if a `%` begins no escape.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            if bytes[index] != UInt8(ascii: "%") {
                decoded.append(bytes[index])
                index += 1
            } else {
                guard let byte = byte(in: bytes, at: index) else { return nil }
                decoded.append(byte)
                index += 3
            }
        }
        return decoded
    }

    /// The bytes with every escape replaced by its byte; a `%` that begins no escape stands for itself.
    package static func decode(lenient bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = byte(in: bytes, at: index)
            decoded.append(byte ?? bytes[index])
            index += byte == nil ? 1 : 3
        }
        return decoded
    }

    /// The bytes with an escape in place of each byte that is not kept. By default the unreserved bytes are kept.
    package static func encode(
        _ bytes: ArraySlice<UInt8>, keeping isKept: (UInt8) -> Bool = { $0.isUnreserved }
    ) -> [UInt8] {
        escaped(bytes, isKept)
    }

    /// As `encode` of bytes, for the text's UTF-8.
    package static func encode(
        _ text: String, keeping isKept: (UInt8) -> Bool = { $0.isUnreserved }
    ) -> String {
        String(decoding: escaped(text.utf8, isKept), as: UTF8.self)
    }

    private static func escaped(_ bytes: some Collection<UInt8>, _ isKept: (UInt8) -> Bool) -> [UInt8] {
        var escaped: [UInt8] = []
        escaped.reserveCapacity(bytes.count)
        for byte in bytes { if isKept(byte) { escaped.append(byte) } else { append(byte, to: &escaped) } }
        return escaped
    }

    /// Appends the escape of `byte`, with upper-case digits (RFC 3986 §2.1).
    package static func append(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "%"))
        bytes.append((byte >> 4).hexDigit.asciiUppercased)
        bytes.append(byte.hexDigit.asciiUppercased)
    }
}
