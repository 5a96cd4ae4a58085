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
    var isUnreserved: Bool { isNameByte || self == UInt8(ascii: "~") }

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
