// SPDX-License-Identifier: Apache-2.0

/// One range of bytes as a client asks for it (RFC 9110 §14.1.2), before the length is known.
package enum ByteRange: Sendable, Hashable {
    /// From `first` to `last`, both included; without `last`, to the end.
    case positions(first: Int, last: Int?)
    /// The last so many bytes.
    case suffix(Int)

    /// A `Range` field of the unit `bytes` with exactly one range; nil for everything else.
    package init?(_ text: String) {
        let range = text.withFieldBytes(Self.parse)
        guard let range else { return nil }
        self = range
    }

    package static func parse(_ bytes: UnsafeRawBufferPointer) -> ByteRange? {
        var scanner = FieldScanner(bytes.trimmed)
        guard let unit = scanner.token(), unit.isSame(as: "bytes"), scanner.take(.equals),
            scanner.nextElement(), let range = scanner.byteRange(), scanner.isAtElementEnd(),
            !scanner.nextElement()
        else { return nil }
        return range
    }
}

extension ByteRange {
    /// What of a representation is sent.
    package enum Selection: Sendable, Equatable {
        /// 200 with everything.
        case whole
        /// 206 with these bytes; never empty.
        case part(Range<Int>)
        /// 416.
        case unsatisfiable
    }

    package func resolve(length: Int) -> Selection {
        switch self {
        case .suffix(0): return .unsatisfiable
        // There is no Content-Range for the last bytes of nothing.
        case .suffix where length == 0: return .whole
        case .suffix(let count): return .part(length - min(count, length)..<length)
        case .positions(let first, _) where first >= length: return .unsatisfiable
        case .positions(let first, let last):
            return .part(first..<min(last ?? length - 1, length - 1) + 1)
        }
    }

    /// The answer to a GET: `Range` counts only where `If-Range`, if there is one, names the same bytes. A
    /// range that is not understood, or several, are answered by the whole, as RFC 9110 §14.2 allows.
    ///
    /// A date in `If-Range` never holds: the date is the original's, and a rendition of it may change without
    /// it, which makes the date weak (RFC 9110 §8.8.2.2), and weak validators do not join parts (§13.1.5).
    package static func select(
        range: String?, ifRange: String?, tag: EntityTag?, length: Int
    ) -> Selection {
        guard let range, let wanted = ByteRange(range) else { return .whole }
        if let ifRange {
            guard let tag, let held = EntityTag(ifRange), held.matchesStrongly(tag) else { return .whole }
        }
        return wanted.resolve(length: length)
    }

    /// The `Content-Range` value of a 206.
    package static func contentRange(_ part: Range<Int>, of length: Int) -> String {
        "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(length)"
    }

    /// The `Content-Range` value of a 416.
    package static func contentRange(unsatisfiedOf length: Int) -> String { "bytes */\(length)" }
}

extension FieldScanner {
    fileprivate mutating func byteRange() -> ByteRange? {
        if take(.dash) { return decimal().map(ByteRange.suffix) }
        guard let first = decimal(), take(.dash) else { return nil }
        guard let last = decimal() else { return .positions(first: first, last: nil) }
        return first <= last ? .positions(first: first, last: last) : nil
    }
}
