// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// A field line of a reply's head, as its bytes came, with what obsolete folding adds to it.
///
/// Origins send lines that break RFC 9110 §5. Where such a line may be about caching or a redirect it is never just left out:
/// without it, what an origin keeps for one client would be kept for all.
struct FieldLine {
    private let name: String
    private var value: [UInt8]

    /// Nil for a line that is no field by RFC 9110 §5.1. White space before the colon is none of the name (RFC 9112 §5.1).
    init?(_ line: Slice<UnsafeRawBufferPointer>) {
        guard let colon = line.firstIndex(of: .colon) else { return nil }
        var name = line[..<colon]
        // Cannot trap: there is a last.
        while let last = name.last, last.isBlank { name.removeLast() }
        guard !name.isEmpty, name.allSatisfy(\.isTokenByte) else { return nil }
        self.name = String(decoding: name, as: UTF8.self)
        value = Array(line[(colon + 1)...].drop(while: \.isBlank))
    }

    /// RFC 9112 §5.2: a user agent replaces obsolete line folding by a space.
    mutating func fold(_ line: Slice<UnsafeRawBufferPointer>) { value += [.space] + line }

    /// True if the line rules what may be kept, and nobody can tell what it says.
    var isRiddle: Bool { value.contains(where: Self.isControl) && Self.rules(name.utf8) }

    /// The field as others may read it, without control characters (RFC 9110 §5.5). Nil for an entity tag that could not
    /// be sent back as it came.
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

    /// True if a line that is no field may have been meant as one that rules what is kept, or where to go.
    static func mayRule(_ line: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard let colon = line.firstIndex(of: .colon) else {
            let letters = letters(line)
            return ruling.contains { letters.starts(with: $0.utf8) }
        }
        return rules(line[..<colon])
    }

    // MARK: Names

    /// The letters of the fields without which a reply would be taken for another.
    private static let ruling = [
        "age", "cachecontrol", "cdncachecontrol", "expires", "location", "pragma", "vary",
    ]

    private static func rules(_ name: some Sequence<UInt8>) -> Bool {
        let letters = letters(name)
        return ruling.contains { letters.elementsEqual($0.utf8) }
    }

    /// In lower case.
    private static func letters(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        bytes.lazy.map(\.asciiLowercased).filter { (0x61...0x7A).contains($0) }
    }

    private static func isSame(_ name: String, _ other: String) -> Bool { Fields.same(name, other) }

    // MARK: Values

    /// The bytes at or above 0x80 of a reference are no URI (RFC 3986 §2); what they stand for is known to their origin alone.
    private static func escaped(_ bytes: [UInt8]) -> String {
        String(decoding: PercentEscape.encode(bytes[...]) { $0 < 0x80 }, as: UTF8.self)
    }

    /// RFC 9110 §5.5: what fields were in, before UTF-8.
    private static func latin1(_ bytes: [UInt8]) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return text
    }

    private static func trimmed(_ text: String) -> String { text.withFieldBytes { $0.trimmed.text } }

    private static func isControl(_ byte: UInt8) -> Bool { byte < .space && byte != .tab || byte == 0x7F }
}
