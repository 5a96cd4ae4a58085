// SPDX-License-Identifier: Apache-2.0

/// An entity tag (RFC 9110 §8.8.3): identifies exactly these bytes (strong), or an equivalent representation (weak).
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// True for a tag with `W/`.
    package var isWeak: Bool
    /// The text between the quotes.
    package var opaque: String

    /// `opaque` must have no quote and no control character.
    package init(opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// Parses a whole field value: one tag, with optional white space around it; nil otherwise.
    package init?(_ text: String) {
        let tag: EntityTag? = text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes.trimmed)
            guard let part = scanner.entityTag(), scanner.isAtEnd else { return nil }
            return EntityTag(part)
        }
        guard let tag else { return nil }
        self = tag
    }

    fileprivate init(_ part: Part) { self.init(opaque: part.opaque.text, isWeak: part.isWeak) }

    package var description: String { isWeak ? "W/\"\(opaque)\"" : "\"\(opaque)\"" }

    /// Strong comparison (RFC 9110 §8.8.3.2): the bytes are certainly the same.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Weak comparison (RFC 9110 §8.8.3.2).
    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

extension EntityTag {
    /// The comparisons of RFC 9110 §8.8.3.2.
    package enum Comparison: Sendable { case strong, weak }

    /// True if `If-None-Match` names the current representation, by a weak match or by `*` (RFC 9110
    /// §13.1.2). `tag` is the `ETag` value. Allocates nothing.
    package static func matches(ifNoneMatch list: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer) -> Bool
    {
        matches(list, tag: tag, by: .weak)
    }

    /// True if a list of tags holds a match, or is `*`. Malformed elements match nothing.
    package static func matches(
        _ list: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer, by comparison: Comparison
    ) -> Bool {
        let trimmed = list.trimmed
        if trimmed.count == 1, trimmed[0] == .asterisk { return true }
        var own = FieldScanner(tag)
        guard let own = own.entityTag(), comparison == .weak || !own.isWeak else { return false }
        var scanner = FieldScanner(trimmed)
        while scanner.nextElement() {
            if let other = scanner.entityTag(), scanner.isAtElementEnd(),
                comparison == .weak || !other.isWeak, own.opaque.elementsEqual(other.opaque)
            {
                return true
            }
            scanner.skipElement()
        }
        return false
    }

    /// The tags of a list, without its malformed elements.
    package static func list(_ text: String) -> [EntityTag] {
        text.withFieldBytes { bytes in
            var scanner = FieldScanner(bytes)
            var tags: [EntityTag] = []
            while scanner.nextElement() {
                if let part = scanner.entityTag(), scanner.isAtElementEnd() { tags.append(EntityTag(part)) }
                scanner.skipElement()
            }
            return tags
        }
    }

    fileprivate struct Part {
        var isWeak: Bool
        var opaque: UnsafeRawBufferPointer
    }
}

extension FieldScanner {
    /// Reads a tag; nil, with nothing read, if there is none. A backslash has no special meaning here, and only an upper-case W marks
    /// a weak tag.
    fileprivate mutating func entityTag() -> EntityTag.Part? {
        var ahead = self
        let isWeak = ahead.take(0x57)
        guard !isWeak || ahead.take(.slash), ahead.take(.quote) else { return nil }
        // etagc of RFC 9110 §8.8.3: visible ASCII except the quote, and bytes from 0x80.
        let opaque = ahead.take { $0 > .space && $0 != .quote && $0 != 0x7F }
        guard ahead.take(.quote) else { return nil }
        self = ahead
        return EntityTag.Part(isWeak: isWeak, opaque: opaque)
    }
}
