// SPDX-License-Identifier: Apache-2.0

/// Splits HTML or XML into tags and text. It accepts malformed documents, and reads each byte a limited number of times.
package struct MarkupScanner {
    /// A piece of the document; names are in lower case, and values are unescaped.
    package enum Token: Sendable, Equatable {
        case start(String, attributes: [String: String])
        case end(String)
        case text(String)
    }

    private var rest: ArraySlice<UInt8>

    /// Reads UTF-8; other bytes become U+FFFD.
    package init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next token; nil at the end.
    package mutating func next() -> Token? {
        while let first = rest.first {
            guard first == UInt8(ascii: "<") else {
                return .text(Self.unescaped(take { $0 != UInt8(ascii: "<") }))
            }
            if skip("<!--") {
                _ = take(through: "-->")
            } else if skip("<![CDATA[") {
                return .text(Self.text(take(through: "]]>")))
            } else if skip("<!") || skip("<?") {
                _ = take(through: ">")
            } else if skip("</") {
                let name = Self.name(take { !Self.endsName($0) })
                _ = take(through: ">")
                return .end(name)
            } else if rest.dropFirst().first.map(Self.isLetter) ?? false {
                return startTag()
            } else {
                rest = rest.dropFirst()
                return .text("<")
            }
        }
        return nil
    }

    private mutating func startTag() -> Token {
        rest = rest.dropFirst()
        let name = Self.name(take { !Self.endsName($0) })
        var attributes: [String: String] = [:]
        while let byte = rest.first {
            if byte == UInt8(ascii: ">") {
                rest = rest.dropFirst()
                break
            }
            if byte == UInt8(ascii: "/") || Self.isSpace(byte) {
                rest = rest.dropFirst()
                continue
            }
            let (key, value) = attribute()
            // As in HTML, the first of several attributes with one name counts.
            if attributes[key] == nil { attributes[key] = value }
        }
        // The content of these elements is not markup.
        if name == "script" || name == "style" { skipContent(of: name) }
        return .start(name, attributes: attributes)
    }

    private mutating func attribute() -> (String, String) {
        var first = true
        let key = Self.name(
            take { byte in
                // A leading "=" belongs to the name, so that each turn consumes a byte.
                defer { first = false }
                return first || !(Self.endsName(byte) || byte == UInt8(ascii: "="))
            })
        _ = take(while: Self.isSpace)
        guard rest.first == UInt8(ascii: "=") else { return (key, "") }
        rest = rest.dropFirst()
        _ = take(while: Self.isSpace)
        guard let quote = rest.first else { return (key, "") }
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            return (key, Self.unescaped(take { !Self.isSpace($0) && $0 != UInt8(ascii: ">") }))
        }
        rest = rest.dropFirst()
        let value = take { $0 != quote }
        rest = rest.dropFirst()
        return (key, Self.unescaped(value))
    }

    private mutating func skipContent(of name: String) {
        while !rest.isEmpty {
            _ = take { $0 != UInt8(ascii: "<") }
            let ahead = rest.prefix(name.utf8.count + 2)
            if String(decoding: ahead, as: UTF8.self).lowercased() == "</\(name)" { return }
            rest = rest.dropFirst()
        }
    }

    // MARK: Bytes

    private mutating func take(while isMeant: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let taken = rest.prefix(while: isMeant)
        rest = rest.dropFirst(taken.count)
        return taken
    }

    /// The bytes before `text`, which is dropped; all bytes if `text` does not occur.
    private mutating func take(through text: String) -> ArraySlice<UInt8> {
        guard let range = rest.firstRange(of: Array(text.utf8)) else {
            defer { rest = [] }
            return rest
        }
        defer { rest = rest[range.upperBound...] }
        return rest[..<range.lowerBound]
    }

    private mutating func skip(_ text: String) -> Bool {
        guard rest.starts(with: text.utf8) else { return false }
        rest = rest.dropFirst(text.utf8.count)
        return true
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func endsName(_ byte: UInt8) -> Bool {
        isSpace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }
    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    private static func name(_ bytes: ArraySlice<UInt8>) -> String { text(bytes).lowercased() }

    // MARK: References

    private static let named: [String: Character] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'",
    ]
    /// The most bytes of a reference that is decoded, without "&" and ";".
    private static let longestReference = 8

    /// Decodes character references, as far as URLs need them.
    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> String {
        var pieces = text(bytes).split(separator: "&", omittingEmptySubsequences: false)[...]
        var result = pieces.popFirst().map(String.init) ?? ""
        for piece in pieces {
            let name = piece.prefix(longestReference).prefix { $0 != ";" }
            if piece.dropFirst(name.count).first == ";", let character = character(name) {
                result.append(character)
                result += piece.dropFirst(name.count + 1)
            } else {
                result += "&" + piece
            }
        }
        return result
    }

    private static func character(_ name: Substring) -> Character? {
        guard name.first == "#" else { return named[String(name)] }
        let digits = name.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        let value = isHexadecimal ? Int(digits.dropFirst(), radix: 16) : Int(digits)
        return value.flatMap(UInt32.init(exactly:)).flatMap(Unicode.Scalar.init).map(Character.init)
    }
}
