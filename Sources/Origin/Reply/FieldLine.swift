// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// A field line of a response's head as received, including lines that obsolete folding adds to it.
///
/// Origins send lines that break RFC 9110 §5. If such a line may be about caching or a redirect, it must not simply be dropped:
/// otherwise an answer that the origin meant for one client might be stored for all.
struct FieldLine {
    private let name: String
    private var value: [UInt8]

    /// Nil if the line is not a field by RFC 9110 §5.1. White space before the colon is not part of the name (RFC 9112 §5.1).
    init?(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let colon = line.firstIndex(of: .colon) else { return nil }
        var name = line[..<colon]
        // Cannot trap: there is a last byte.
        while let last = name.last, last.isBlank { name.removeLast() }
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else { return nil }
        self.name = String(decoding: name, as: UTF8.self)
        value = Array(line[(colon + 1)...].drop(while: \.isBlank))
    }

    /// RFC 9112 §5.2: a user agent replaces obsolete line folding by a space.
    mutating func fold(_ line: Slice<UnsafeRawBufferPointer>) { value += [.space] + line }

    /// True if the line is about caching or a redirect but its value cannot be understood.
    var isRiddle: Bool { value.contains(where: Self.isControl) && Self.rules(name.utf8) }

    /// The field with control characters replaced, as other programs may read it (RFC 9110 §5.5). Nil for an entity tag that
    /// could not be sent back unchanged.
    var field: Fields.Field? {
        let clean = value.map { Self.isControl($0) ? .space : $0 }
        if let text = String(validating: clean, as: UTF8.self) {
            let isAltered = clean != value
            return Self.isSame(name, "etag") && isAltered ? nil : Fields.Field(name, Self.trimmed(text))
        }
        if Self.isSame(name, "etag") { return nil }
        let text = Self.isSame(name, "location") ? Self.escaped(clean) : Self.latin1(clean)
        return Fields.Field(name, Self.trimmed(text))
    }

    /// True if a line that is not a field may have been meant as one about caching or a redirect.
    static func mayRule(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let colon = line.firstIndex(of: .colon) else {
            let letters = letters(line)
            return ruling.contains { letters.starts(with: $0.utf8) }
        }
        return rules(line[..<colon])
    }

    // MARK: Names

    /// The letters of the names of fields without which a response would be misunderstood.
    private static let ruling = [
        "age", "cachecontrol", "cdncachecontrol", "expires", "location", "pragma", "vary",
    ]

    private static func rules(_ name: some Sequence<UInt8>) -> Bool {
        let letters = letters(name)
        return ruling.contains { letters.elementsEqual($0.utf8) }
    }

    /// The letters of the bytes, in lower case.
    private static func letters(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.lazy.map(\.asciiLowercased).filter { (0x61...0x7A).contains($0) }
    }

    private static func isSame(_ name: String, _ other: String) -> Bool { Fields.same(name, other) }

    // MARK: Values

    /// Escapes the bytes at or above 0x80, which a URI cannot have (RFC 3986 §2); only the origin knows what they stand for.
    private static func escaped(_ bytes: [UInt8]) -> String {
        String(decoding: PercentEscape.encode(bytes[...]) { $0 < 0x80 }, as: UTF8.self)
    }

    /// Decodes ISO 8859-1, the encoding of fields before UTF-8 (RFC 9110 §5.5).
    private static func latin1(_ bytes: [UInt8]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return text
    }

    private static func trimmed(_ text: String) -> String { text.withFieldBytes { $0.trimmed.text } }

    private static func isControl(_ byte: UInt8) -> Bool { byte < .space && byte != .tab || byte == 0x7F }
}
