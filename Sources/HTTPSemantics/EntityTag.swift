// SPDX-License-Identifier: Apache-2.0

/// A name for exactly these bytes (strong) or for something as good as these (weak), RFC 9110 §8.8.3.
package struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    package var isWeak: Bool
    /// What stands between the quotes.
    package var opaque: String

    package init(opaque: String, isWeak: Bool = false) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// A whole field value: one tag, with white space around it at most.
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

    /// RFC 9110 §8.8.3.2: the same bytes for sure.
    package func matchesStrongly(_ other: EntityTag) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    package func matchesWeakly(_ other: EntityTag) -> Bool { opaque == other.opaque }
}

extension EntityTag {
    package enum Comparison: Sendable { case strong, weak }

    /// Whether `If-None-Match` names the representation that is held: by a tag that matches weakly, or by `*`
    /// (RFC 9110 §13.1.2). `tag` is the `ETag` field value. Neither allocates nor waits.
    package static func matches(ifNoneMatch list: UnsafeRawBufferPointer, tag: UnsafeRawBufferPointer) -> Bool
    {
        matches(list, tag: tag, by: .weak)
    }

    /// Whether a list of tags holds one that matches, or is `*`. Elements that are no tags match nothing.
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

    /// The tags of a list, those that are no tags left out.
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
    /// Reads a tag, or nothing. A backslash means itself here, and the flag is an upper-case W.
    fileprivate mutating func entityTag() -> EntityTag.Part? {
        var ahead = self
        let isWeak = ahead.take(0x57)
        guard !isWeak || ahead.take(.slash), ahead.take(.quote) else { return nil }
        // etagc of RFC 9110 §8.8.3: visible ASCII without the quote, and bytes above it.
        let opaque = ahead.take { $0 > .space && $0 != .quote && $0 != 0x7F }
        guard ahead.take(.quote) else { return nil }
        self = ahead
        return EntityTag.Part(isWeak: isWeak, opaque: opaque)
    }
}
