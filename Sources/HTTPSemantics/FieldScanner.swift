// SPDX-License-Identifier: Apache-2.0

/// Reads a field value from left to right, over bytes that someone else keeps alive (RFC 9110 §5.6).
///
/// It never traps and never reads outside its bytes, whatever they hold; what does not match is left unread.
/// The event loop and the String versions of every parser here share it, so they cannot disagree.
package struct FieldScanner {
    package let bytes: UnsafeRawBufferPointer
    package private(set) var position = 0

    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    package var isAtEnd: Bool { position >= bytes.count }

    package var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    package mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    package mutating func take(while isWanted: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, isWanted(bytes[position]) { position += 1 }
        return slice(start..<position)
    }

    /// OWS of RFC 9110 §5.6.3.
    package mutating func skipWhitespace() {
        while position < bytes.count, bytes[position] == .space || bytes[position] == .tab { position += 1 }
    }

    /// A token of RFC 9110 §5.6.2, or nil where there is none.
    package mutating func token() -> UnsafeRawBufferPointer? {
        let token = take(while: \.isTokenByte)
        return token.isEmpty ? nil : token
    }

    /// What stands between the quotes of a quoted-string (RFC 9110 §5.6.4), its backslashes included. Nil,
    /// and nothing read, where none begins or the closing quote is missing.
    package mutating func quotedString() -> UnsafeRawBufferPointer? {
        guard peek == .quote else { return nil }
        var end = position + 1
        while end < bytes.count, bytes[end] != .quote { end += bytes[end] == .backslash ? 2 : 1 }
        guard end < bytes.count else { return nil }
        defer { position = end + 1 }
        return slice(position + 1..<end)
    }

    /// Decimal digits as a number that stops at `Int.max`, or nil where there is no digit.
    package mutating func decimal() -> Int? {
        let digits = take(while: \.isDigit)
        return digits.isEmpty ? nil : Int(saturatingDecimal: digits)
    }

    /// Moves to the next element of a comma-separated list, over empty ones (RFC 9110 §5.6.1.2); false at the
    /// end.
    package mutating func nextElement() -> Bool {
        while let byte = peek, byte == .comma || byte == .space || byte == .tab { position += 1 }
        return !isAtEnd
    }

    /// True where an element of a list is complete: at the end, or before a comma, after optional white
    /// space.
    package mutating func isAtElementEnd() -> Bool {
        skipWhitespace()
        return isAtEnd || peek == .comma
    }

    /// Leaves the rest of an element unread: up to the next comma outside quotes.
    package mutating func skipElement() {
        while let byte = peek, byte != .comma {
            if byte == .quote {
                // Without a closing quote, everything that follows belongs to the broken string.
                if quotedString() == nil { position = bytes.count }
            } else {
                position += 1
            }
        }
    }

    private func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: bytes[range])
    }
}

extension UInt8 {
    package static let tab: UInt8 = 0x09
    package static let space: UInt8 = 0x20
    package static let quote: UInt8 = 0x22
    package static let asterisk: UInt8 = 0x2A
    package static let comma: UInt8 = 0x2C
    package static let dash: UInt8 = 0x2D
    package static let dot: UInt8 = 0x2E
    package static let slash: UInt8 = 0x2F
    package static let colon: UInt8 = 0x3A
    package static let semicolon: UInt8 = 0x3B
    package static let equals: UInt8 = 0x3D
    package static let backslash: UInt8 = 0x5C

    package var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    package var asciiLowercased: UInt8 { self >= 0x41 && self <= 0x5A ? self | 0x20 : self }

    /// tchar of RFC 9110 §5.6.2.
    package var isTokenByte: Bool {
        // One bit a character: !#$%&'*+-. and the digits in the low word; A–Z ^_` a–z | ~ in the high one.
        // Cannot trap: 8 bits into 64.
        if self < 64 { return 0x03FF_6CFA_0000_0000 as UInt64 >> UInt64(self) & 1 == 1 }
        // Cannot trap: it is 64 at least.
        if self < 128 { return 0x57FF_FFFF_C7FF_FFFE as UInt64 >> UInt64(self - 64) & 1 == 1 }
        return false
    }
}

extension UnsafeRawBufferPointer {
    /// ASCII case-insensitive equality.
    package func isSame(as text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index].asciiLowercased != text.utf8Start[index].asciiLowercased {
            return false
        }
        return true
    }

    /// Without the white space around it.
    package var trimmed: UnsafeRawBufferPointer {
        var range = indices
        // Cannot trap: there is a first.
        while let first = range.first, self[first] == .space || self[first] == .tab { range.removeFirst() }
        // Cannot trap: there is a last.
        while let last = range.last, self[last] == .space || self[last] == .tab { range.removeLast() }
        return UnsafeRawBufferPointer(rebasing: self[range])
    }

    package var text: String { String(decoding: self, as: UTF8.self) }
}

extension String {
    /// The bytes of the text, alive during the call.
    package func withFieldBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension Int {
    /// Digits only; stops at `Int.max`.
    package init(saturatingDecimal digits: UnsafeRawBufferPointer) {
        var value = 0
        for digit in digits {
            let (product, tooLarge) = value.multipliedReportingOverflow(by: 10)
            let (sum, stillTooLarge) = product.addingReportingOverflow(Int(digit) - 0x30)
            guard !tooLarge, !stillTooLarge else {
                value = .max
                break
            }
            value = sum
        }
        self = value
    }
}
