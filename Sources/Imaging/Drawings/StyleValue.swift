// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Checks the value of a CSS property: it may hold words, numbers, strings, and functions that load nothing. Escapes are
/// refused, so each word is what it looks like.
enum StyleValue {
    /// The allowed functions in lower case. `url` is allowed besides, only as a reference to a part of the
    /// drawing.
    private static let functions: Set<String> = Set(
        """
        rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix calc min max clamp \
        matrix translate translatex translatey scale scalex scaley rotate skew skewx skewy \
        blur brightness contrast drop-shadow grayscale hue-rotate invert opacity saturate sepia \
        circle ellipse polygon inset rect xywh path cubic-bezier steps
        """.split(separator: " ").map(String.init))

    /// True if the value loads nothing, ends where it seems to, and holds no escape.
    static func isSafe(_ text: String) -> Bool {
        var rest = Array(text.utf8)[...]
        var open = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let after = skipString(rest) else { return false }
                rest = after
            // A comment is refused, because its end could lie in another value.
            case UInt8(ascii: "/") where rest.starts(with: "/*".utf8): return false
            case UInt8(ascii: "("):
                open += 1
                rest = rest.dropFirst()
            case UInt8(ascii: ")"):
                guard open > 0 else { return false }
                open -= 1
                rest = rest.dropFirst()
            case let byte where isNameByte(byte):
                let word = rest.prefix(while: isNameByte)
                rest = rest[word.endIndex...]
                guard rest.first == UInt8(ascii: "(") else { continue }
                let name = String(decoding: word, as: UTF8.self).lowercased()
                if name == "url" {
                    guard let after = skipReference(rest.dropFirst()) else { return false }
                    rest = after
                } else if !functions.contains(name) {
                    return false
                }
            case let byte where marks.contains(byte) || isSpace(byte): rest = rest.dropFirst()
            default: return false
            }
        }
        return open == 0
    }

    /// True for `#name`.
    static func isReference(_ text: String) -> Bool {
        let name = text.utf8.dropFirst()
        return text.utf8.first == UInt8(ascii: "#") && !name.isEmpty
            && name.allSatisfy { isNameByte($0) || ".:".utf8.contains($0) }
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            || byte >= 0x80
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The text without the space around it.
    static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text = text.dropLast() }
        return text
    }

    private static let marks = Set("#.,%+*/!".utf8)

    /// The text behind the string. Nil if the string does not end in its line, or holds an escape.
    private static func skipString(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let quote = text.first else { return nil }
        let rest = text.dropFirst()
        guard let end = rest.firstIndex(of: quote) else { return nil }
        guard rest[..<end].allSatisfy({ $0 >= 0x20 && !"\\<>{};@".utf8.contains($0) }) else { return nil }
        return rest[(end + 1)...]
    }

    /// The text behind the parenthesis that closes `url(#name)`; nil for another kind of URL.
    private static func skipReference(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let end = text.firstIndex(of: UInt8(ascii: ")")) else { return nil }
        var inner = trimmed(text[..<end])
        if let quote = inner.first, quote == 0x22 || quote == 0x27 {
            guard inner.count >= 2, inner.last == quote else { return nil }
            inner = inner.dropFirst().dropLast()
        }
        return isReference(String(decoding: inner, as: UTF8.self)) ? text[(end + 1)...] : nil
    }
}
