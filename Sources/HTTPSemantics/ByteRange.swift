// SPDX-License-Identifier: Apache-2.0

/// One range of bytes as requested (RFC 9110 §14.1.2), before the length is known.
package enum ByteRange: Sendable, Hashable {
    /// `first` to `last`, both included; nil as `last` means to the end.
    case positions(first: Int, last: Int?)
    /// The last bytes, of this number.
    case suffix(Int)

    /// A `Range` value with the unit `bytes` and exactly one range; nil for anything else.
    package init?(_ text: String) {
        let range = text.withFieldBytes(Self.parse)
        guard let range else { return nil }
        self = range
    }

    /// As `init(_:)`, for the field's bytes. Allocates nothing.
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
    /// The part of a representation to send.
    package enum Selection: Sendable, Equatable {
        /// 200 with everything.
        case whole
        /// 206 with these bytes; never empty.
        case part(Range<Int>)
        /// 416.
        case unsatisfiable
    }

    /// The selection in a representation of `length` bytes.
    package func resolve(length: Int) -> Selection {
        switch self {
        case .suffix(0): return .unsatisfiable
        // An empty representation has no last bytes that a Content-Range could name.
        case .suffix where length == 0: return .whole
        case .suffix(let count): return .part(length - min(count, length)..<length)
        case .positions(let first, _) where first >= length: return .unsatisfiable
        case .positions(let first, let last):
            return .part(first..<min(last ?? length - 1, length - 1) + 1)
        }
    }

    /// The selection for a GET. `Range` counts only if `If-Range` is missing or names the same bytes. A
    /// malformed range, or several, select the whole, as RFC 9110 §14.2 allows.
    ///
    /// A date in `If-Range` never matches. It is the original's date, and a rendition may change without it,
    /// so the date is a weak validator (RFC 9110 §8.8.2.2), which must not join parts (§13.1.5).
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
