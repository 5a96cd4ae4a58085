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

    /// A parameter of a media type that is offered, such as `version=1.0.0`.
    package struct Parameter: Sendable {
        let name: StaticString
        /// Nil allows every value.
        let value: StaticString?

        /// - Parameter value: nil if the type is the same for every value of the parameter.
        package init(_ name: StaticString, _ value: StaticString?) { (self.name, self.value) = (name, value) }
    }

    /// The preference for `type`. The most specific matching range decides, and among equally specific ones the lowest quality. A
    /// missing or empty field accepts every type.
    /// - Parameter parameters: the type's own parameters; a range that names others does not match.
    package static func preference(
        for type: StaticString, having parameters: [Parameter] = [], in accept: String?
    ) -> Preference {
        guard let accept else { return Preference(quality: 1000, isExplicit: false) }
        return accept.withFieldBytes { preference(for: type, having: parameters, in: $0) }
    }

    /// As above, for the field's bytes. Allocates nothing.
    package static func preference(
        for type: StaticString, having parameters: [Parameter] = [], in accept: UnsafeRawBufferPointer
    ) -> Preference {
        var best: (specificity: Specificity, quality: Int)?
        var isEmpty = true
        forEachRange(in: accept) { range in
            isEmpty = false
            guard let specificity = range.specificity(for: type, having: parameters) else { return }
            if let known = best, known.specificity > specificity { return }
            if let known = best, known.specificity == specificity, known.quality <= range.quality { return }
            best = (specificity, range.quality)
        }
        if isEmpty { return Preference(quality: 1000, isExplicit: false) }
        return Preference(quality: best?.quality ?? 0, isExplicit: best?.specificity.level == .type)
    }
}

extension Accept {
    /// How closely a range describes a type.
    struct Specificity: Comparable {
        enum Level: Int { case any, main, type }

        var level: Level
        /// The number of parameters in the range, all of which the type has.
        var parameters = 0

        static func < (a: Specificity, b: Specificity) -> Bool {
            (a.level.rawValue, a.parameters) < (b.level.rawValue, b.parameters)
        }
    }
}

extension Accept {
    /// One element of the list, as slices of the field value.
    struct MediaRange {
        /// Empty for `*` and `*/*`.
        var type: UnsafeRawBufferPointer
        /// Empty for `type/*`.
        var subtype: UnsafeRawBufferPointer
        /// Parameters before `q`, each with its semicolon: they limit the range to types that have them.
        var parameters: UnsafeRawBufferPointer
        /// Thousandths.
        var quality: Int

        /// True if the range covers only representations with certain parameters.
        var hasParameters: Bool { !parameters.isEmpty }

        /// How closely the range describes `wanted`; nil if it does not match.
        func specificity(for wanted: StaticString, having offered: [Parameter] = []) -> Specificity? {
            guard let level = level(for: wanted) else { return nil }
            var specificity = Specificity(level: level)
            var scanner = FieldScanner(parameters)
            while let (name, value) = scanner.nextParameter() {
                guard
                    offered.contains(where: { parameter in
                        name.isSame(as: parameter.name) && parameter.value.map(value.isSame(as:)) ?? true
                    })
                else { return nil }
                specificity.parameters += 1
            }
            return specificity
        }

        private func level(for wanted: StaticString) -> Specificity.Level? {
            if type.isEmpty { return .any }
            let name = UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount)
            let length = type.count
            guard name.count > length, name[length] == .slash else { return nil }
            guard Self.same(type, UnsafeRawBufferPointer(rebasing: name[..<length])) else { return nil }
            if subtype.isEmpty { return .main }
            return Self.same(subtype, UnsafeRawBufferPointer(rebasing: name[(length + 1)...])) ? .type : nil
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
        // Java's own HTTP client sends a bare "*".
        let subtype = take(.slash) ? token() : type.isWildcard ? type : nil
        guard let subtype, !type.isWildcard || subtype.isWildcard else { return nil }
        var range = Accept.MediaRange(
            type: type.isWildcard ? .empty : type, subtype: subtype.isWildcard ? .empty : subtype,
            parameters: .empty, quality: 1000)
        return parameters(of: &range) ? range : nil
    }

    /// False if the parameters are malformed.
    private mutating func parameters(of range: inout Accept.MediaRange) -> Bool {
        var weighed = false
        let start = position
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
                // Parameters after the weight do not describe the type (RFC 9110 §12.5.1).
                if !weighed { range.parameters = UnsafeRawBufferPointer(rebasing: bytes[start..<position]) }
            }
        }
    }

    /// The name and the unquoted value of the next parameter; nil after the last. The parameters must have been found well-formed
    /// before.
    fileprivate mutating func nextParameter() -> (
        name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    )? {
        while take(.semicolon) || peek == .space || peek == .tab { skipWhitespace() }
        guard let name = token() else { return nil }
        return (name, take(.equals) ? token() ?? quotedString() ?? .empty : .empty)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

    fileprivate var isWildcard: Bool { count == 1 && self[0] == .asterisk }
}
