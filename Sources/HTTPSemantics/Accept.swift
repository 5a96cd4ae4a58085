// SPDX-License-Identifier: Apache-2.0

internal import Bytes

/// Content negotiation by `Accept` (RFC 9110 §12.5.1).
package enum Accept {
    /// A client's preference for one media type.
    package struct Preference: Sendable, Hashable {
        /// Thousandths; 0 means "not acceptable".
        package var quality: Int
        /// True if the client named the type itself, and not only `type/*` or `*/*`.
        package var isExplicit: Bool

        /// `quality` in thousandths, 0…1000.
        package init(quality: Int, isExplicit: Bool) {
            self.quality = quality
            self.isExplicit = isExplicit
        }
    }

    /// The preference for `type`, a media type without parameters. The most specific matching range decides,
    /// and the lowest quality among equally specific ones. A missing or empty field accepts every type.
    package static func preference(for type: StaticString, in accept: String?) -> Preference {
        guard let accept else { return Preference(quality: 1000, isExplicit: false) }
        return accept.withFieldBytes { preference(for: type, in: $0) }
    }

    /// As above, for the field's bytes. Allocates nothing.
    package static func preference(for type: StaticString, in accept: UnsafeRawBufferPointer) -> Preference {
        var best: (specificity: Int, quality: Int)?
        var isEmpty = true
        forEachRange(in: accept) { range in
            isEmpty = false
            guard let specificity = range.specificity(for: type) else { return }
            if let known = best, known.specificity > specificity { return }
            if let known = best, known.specificity == specificity, known.quality <= range.quality { return }
            best = (specificity, range.quality)
        }
        if isEmpty { return Preference(quality: 1000, isExplicit: false) }
        return Preference(quality: best?.quality ?? 0, isExplicit: best?.specificity == 2)
    }
}

extension Accept {
    /// One element of the list, as slices of the field value.
    struct MediaRange {
        /// Empty for `*` and `*/*`.
        var type: UnsafeRawBufferPointer
        /// Empty for `type/*`.
        var subtype: UnsafeRawBufferPointer
        /// Parameters before `q` limit the range to types that have them; our types have none.
        var hasParameters: Bool
        /// Thousandths.
        var quality: Int

        /// 2 for the type itself, 1 for `type/*`, 0 for `*/*`; nil if the range does not match.
        func specificity(for wanted: StaticString) -> Int? {
            if hasParameters { return nil }
            if type.isEmpty { return 0 }
            let name = UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)
            let length = type.count
            guard name.count > length, name[length] == .slash else { return nil }
            guard Self.same(type, UnsafeRawBufferPointer(rebasing: name[..<length])) else { return nil }
            if subtype.isEmpty { return 1 }
            return Self.same(subtype, UnsafeRawBufferPointer(rebasing: name[(length + 1)...])) ? 2 : nil
        }

        private static func same(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
            a.count == b.count && zip(a, b).allSatisfy { $0.asciiLowercased == $1.asciiLowercased }
        }
    }

    /// Calls `body` for every media range; skips malformed elements and those with a malformed weight.
    static func forEachRange(in accept: UnsafeRawBufferPointer, _ body: (MediaRange) -> Void) {
        var scanner = FieldScanner(accept)
        while scanner.nextElement() {
            if let range = scanner.mediaRange(), scanner.isAtElementEnd() { body(range) }
            scanner.skipElement()
        }
    }
}

extension FieldScanner {
    fileprivate mutating func mediaRange() -> Accept.MediaRange? {
        guard let type = token() else { return nil }
        // Java's own client sends a bare "*".
        let subtype = take(.slash) ? token() : type.isWildcard ? type : nil
        guard let subtype, !type.isWildcard || subtype.isWildcard else { return nil }
        var range = Accept.MediaRange(
            type: type.isWildcard ? .empty : type, subtype: subtype.isWildcard ? .empty : subtype,
            hasParameters: false, quality: 1000)
        return parameters(of: &range) ? range : nil
    }

    /// False if the parameters are malformed.
    private mutating func parameters(of range: inout Accept.MediaRange) -> Bool {
        var weighed = false
        while true {
            skipWhitespace()
            guard take(.semicolon) else { return true }
            skipWhitespace()
            if peek == .semicolon || isAtElementEnd() { continue }
            guard let name = token() else { return false }
            if !weighed, name.isSame(as: "q"), take(.equals) {
                guard let quality = QualityValue.scan(&self) else { return false }
                range.quality = quality
                weighed = true
            } else {
                if take(.equals), token() == nil, quotedString() == nil { return false }
                // Parameters behind the weight do not describe the type (RFC 9110 §12.5.1).
                if !weighed { range.hasParameters = true }
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    fileprivate var isWildcard: Bool { count == 1 && self[0] == .asterisk }
}
