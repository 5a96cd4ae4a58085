// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// A scanner over a field value (RFC 9110 §5.6), from left to right. Its bytes must outlive it.
///
/// It never traps and never reads outside its bytes; it leaves bytes that do not match unread. All parsers here use it, for bytes of
/// the event loop and for Strings, so both give the same result.
package struct FieldScanner {
    /// The field value.
    package let bytes: UnsafeRawBufferPointer
    /// Index of the next byte, at most `bytes.count`.
    package private(set) var position = 0

    /// Starts at the first byte.
    package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// True if no byte is left.
    package var isAtEnd: Bool { position >= bytes.count }

    /// The next byte, unread; nil at the end.
    package var peek: UInt8? { position < bytes.count ? bytes[position] : nil }

    /// Reads `byte` if it is next; false otherwise.
    package mutating func take(_ byte: UInt8) -> Bool {
        guard peek == byte else { return false }
        position += 1
        return true
    }

    /// Reads bytes while `isWanted` is true; the result may be empty.
    package mutating func take(while isWanted: (UInt8) -> Bool) -> UnsafeRawBufferPointer {
        let start = position
        while position < bytes.count, isWanted(bytes[position]) { position += 1 }
        return slice(start..<position)
    }

    /// Skips OWS (RFC 9110 §5.6.3).
    package mutating func skipWhitespace() {
        while position < bytes.count, bytes[position] == .space || bytes[position] == .tab { position += 1 }
    }

    /// Reads a token (RFC 9110 §5.6.2); nil if none is next.
    package mutating func token() -> UnsafeRawBufferPointer? {
        let token = take(while: \.isTokenByte)
        return token.isEmpty ? nil : token
    }

    /// Reads a quoted-string (RFC 9110 §5.6.4) and returns the text between its quotes, backslashes included.
    /// Nil, with nothing read, if none is next or its closing quote is missing.
    package mutating func quotedString() -> UnsafeRawBufferPointer? {
        guard peek == .quote else { return nil }
        var end = position + 1
        while end < bytes.count, bytes[end] != .quote { end += bytes[end] == .backslash ? 2 : 1 }
        guard end < bytes.count else { return nil }
        defer { position = end + 1 }
        return slice(position + 1..<end)
    }

    /// Reads decimal digits as a number, clamped to `Int.max`; nil if no digit is next.
    package mutating func decimal() -> Int? {
        let digits = take(while: \.isASCIIDigit)
        return digits.isEmpty ? nil : Int(saturatingDecimal: digits)
    }

    /// Moves to the next element of a comma-separated list, skipping empty ones (RFC 9110 §5.6.1.2); false at
    /// the end.
    package mutating func nextElement() -> Bool {
        while let byte = peek, byte == .comma || byte == .space || byte == .tab { position += 1 }
        return !isAtEnd
    }

    /// Skips white space; true if an element of a list ends here, at a comma or at the end.
    package mutating func isAtElementEnd() -> Bool {
        skipWhitespace()
        return isAtEnd || peek == .comma
    }

    /// Skips the rest of an element, up to the next comma outside of quotes.
    package mutating func skipElement() {
        while let byte = peek, byte != .comma {
            if byte == .quote {
                // An unclosed quoted string extends to the end.
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

    /// tchar of RFC 9110 §5.6.2.
    @inlinable package var isTokenByte: Bool {
        // One bit a character: !#$%&'*+-. and the digits in the low word; A–Z ^_` a–z | ~ in the high one.
        let word: UInt64 = self < 64 ? 0x03FF_6CFA_0000_0000 : 0x57FF_FFFF_C7FF_FFFE
        // Cannot trap: widens 8 bits to 64.
        return self < 128 && word &>> UInt64(self & 63) & 1 == 1
    }
}

extension UnsafeRawBufferPointer {
    /// ASCII case-insensitive equality.
    package func isSame(as text: StaticString) -> Bool {
        guard count == text.utf8CodeUnitCount else { return false }
        for index in 0..<count where self[index] != text.utf8Start[index] {
            guard self[index].asciiLowercased == text.utf8Start[index].asciiLowercased else { return false }
        }
        return true
    }

    /// The bytes without the white space around them.
    package var trimmed: UnsafeRawBufferPointer {
        var range = indices
        // Cannot trap: the range has a first index.
        while let first = range.first, self[first] == .space || self[first] == .tab { range.removeFirst() }
        // Cannot trap: the range has a last index.
        while let last = range.last, self[last] == .space || self[last] == .tab { range.removeLast() }
        return UnsafeRawBufferPointer(rebasing: self[range])
    }

    /// The bytes as UTF-8; invalid sequences become U+FFFD.
    package var text: String { String(decoding: self, as: UTF8.self) }
}

extension String {
    /// Calls `body` with the text's UTF-8 bytes, which are valid during the call.
    @inlinable package func withFieldBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var copy = self
        return copy.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}

extension Int {
    /// A value of `Content-Length` (RFC 9110 §8.6): digits only. More than 18 digits are refused, because they might not fit into 63
    /// bits.
    package init?(contentLength text: UnsafeRawBufferPointer) {
        guard (1...18).contains(text.count), text.allSatisfy(\.isASCIIDigit) else { return nil }
        self.init(saturatingDecimal: text)
    }

    /// The value of digits only, clamped to `Int.max`.
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
