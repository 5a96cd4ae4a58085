// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// As much of RFC 9651 as reads a dictionary of cache directives: every type is recognised, so that what is
/// malformed is told from what is unknown, but only integers, booleans and strings keep their value.
enum StructuredDictionary {
    enum Value: Equatable {
        case integer(Int)
        case boolean(Bool)
        case string(String)
        /// Decimal, token, byte sequence, date, display string, inner list.
        case other
    }

    struct Member: Equatable {
        var key: String
        var value: Value
    }

    /// RFC 9651 §4.2.2; nil where parsing fails. An empty field is an empty dictionary.
    static func parse(_ bytes: UnsafeRawBufferPointer) -> [Member]? {
        var scanner = FieldScanner(bytes)
        var members: [Member] = []
        // A field may have thousands of members; each is looked up once.
        var places: [String: Int] = [:]
        scanner.skipSpaces()
        while !scanner.isAtEnd {
            guard let member = scanner.member() else { return nil }
            if let place = places[member.key] {
                members[place] = member
            } else {
                places[member.key] = members.count
                members.append(member)
            }
            scanner.skipWhitespace()
            if scanner.isAtEnd { break }
            guard scanner.take(.comma) else { return nil }
            scanner.skipWhitespace()
            if scanner.isAtEnd { return nil }
        }
        return members
    }
}

extension FieldScanner {
    fileprivate mutating func skipSpaces() { _ = take { $0 == .space } }

    fileprivate mutating func member() -> StructuredDictionary.Member? {
        guard let key = key() else { return nil }
        var value = StructuredDictionary.Value.boolean(true)
        if take(.equals) {
            guard let given = peek == 0x28 ? innerList() : bareItem() else { return nil }
            value = given
        }
        return parameters() ? StructuredDictionary.Member(key: key, value: value) : nil
    }

    private mutating func key() -> String? {
        guard let first = peek, first.isLowercaseLetter || first == .asterisk else { return nil }
        return take {
            $0.isLowercaseLetter || $0.isDigit || $0 == 0x5F || $0 == .dash || $0 == .dot || $0 == .asterisk
        }.text
    }

    private mutating func parameters() -> Bool {
        while take(.semicolon) {
            skipSpaces()
            guard key() != nil else { return false }
            if take(.equals), bareItem() == nil { return false }
        }
        return true
    }

    private mutating func innerList() -> StructuredDictionary.Value? {
        guard take(0x28) else { return nil }
        while true {
            skipSpaces()
            if take(0x29) { return .other }
            guard bareItem() != nil, parameters(), peek == .space || peek == 0x29 else { return nil }
        }
    }

    private mutating func bareItem() -> StructuredDictionary.Value? {
        guard let first = peek else { return nil }
        switch first {
        case .quote: return string()
        case .colon: return byteSequence()
        case 0x3F: return boolean()
        case 0x40: return date()
        case 0x25: return displayString()
        case .dash, 0x30...0x39: return number()
        default: return item(token: first)
        }
    }

    /// At most 15 digits; a decimal has at most 12 before its dot and 1…3 after it (RFC 9651 §4.2.4).
    private mutating func number() -> StructuredDictionary.Value? {
        let sign = take(.dash) ? -1 : 1
        let digits = take(while: \.isDigit)
        guard (1...15).contains(digits.count) else { return nil }
        guard take(.dot) else { return .integer(sign * Int(saturatingDecimal: digits)) }
        let fraction = take(while: \.isDigit)
        return digits.count <= 12 && (1...3).contains(fraction.count) ? .other : nil
    }

    private mutating func string() -> StructuredDictionary.Value? {
        guard take(.quote) else { return nil }
        var text: [UInt8] = []
        while let byte = peek, byte >= .space, byte < 0x7F {
            _ = take(byte)
            if byte == .quote { return .string(String(decoding: text, as: UTF8.self)) }
            if byte == .backslash {
                guard let escaped = peek, escaped == .quote || escaped == .backslash else { return nil }
                _ = take(escaped)
                text.append(escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }

    private mutating func item(token first: UInt8) -> StructuredDictionary.Value? {
        guard first.asciiLowercased.isLowercaseLetter || first == .asterisk else { return nil }
        _ = take { $0.isTokenByte || $0 == .colon || $0 == .slash }
        return .other
    }

    private mutating func boolean() -> StructuredDictionary.Value? {
        guard take(0x3F) else { return nil }
        return take(0x31) ? .boolean(true) : take(0x30) ? .boolean(false) : nil
    }

    private mutating func byteSequence() -> StructuredDictionary.Value? {
        guard take(.colon) else { return nil }
        // Base64 with its padding; what it holds is nobody's business here.
        _ = take {
            $0.isDigit || $0.asciiLowercased.isLowercaseLetter || $0 == 0x2B || $0 == .slash || $0 == .equals
        }
        return take(.colon) ? .other : nil
    }

    private mutating func date() -> StructuredDictionary.Value? {
        guard take(0x40), case .integer = number() else { return nil }
        return .other
    }

    private mutating func displayString() -> StructuredDictionary.Value? {
        guard take(0x25), take(.quote) else { return nil }
        _ = take { $0 >= .space && $0 < 0x7F && $0 != .quote }
        return take(.quote) ? .other : nil
    }
}

extension UInt8 {
    fileprivate var isLowercaseLetter: Bool { self >= 0x61 && self <= 0x7A }
}
