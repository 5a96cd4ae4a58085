// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics

/// A `Cache-Control` of the operator's, which replaces the origin's own, or is used if the origin sends none.
///
/// The lifetime counts from the answer's arrival, and so does our own `Age`: an origin's `Age` and `Date` tell how much of its
/// own lifetime is used up.
package struct CacheControlRule: Sendable, Hashable {
    /// The value of the field.
    package let value: String
    /// True if the rule applies only to answers without caching fields of their own.
    package let isDefault: Bool

    /// What a value must be, for people.
    package static let form =
        "directives of Cache-Control that this cache knows, each once, as max-age=3600, stale-if-error=86400"

    /// Nil unless each element is a directive that this cache obeys, well-formed and given once, because a typing mistake must not
    /// change how long pictures are kept.
    package init?(_ value: String, isDefault: Bool = false) {
        var names: Set<String> = []
        for element in value.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = element.drop { $0 == " " }
                .split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            // Cannot trap: a text without a separator is one part, even if it is empty.
            guard names.insert(parts[0].lowercased()).inserted,
                Self.isDirective(parts[0], parts.count > 1 ? parts[1] : nil)
            else { return nil }
        }
        (self.value, self.isDefault) = (value, isDefault)
    }

    private static func isDirective(_ name: String, _ argument: String?) -> Bool {
        name.withFieldBytes { name in
            if let argument {
                return CacheControl.secondsDirective(name) != nil
                    && argument.withFieldBytes { DeltaSeconds.parse($0) != nil }
            }
            return CacheControl.plainFlag(name) != nil || name.isSame(as: "no-cache")
                || name.isSame(as: "private")
        }
    }

    /// Fields in which origins say how long an answer may be kept.
    private static let words = ["Cache-Control", "CDN-Cache-Control", "Expires", "Pragma"]

    /// The fields of an answer as the cache must read them.
    func applied(to fields: Fields) -> Fields {
        if isDefault, Self.words.contains(where: { fields[$0] != nil }) { return fields }
        var ruled = fields
        for name in Self.words + ["Age", "Date"] { ruled.remove(name) }
        ruled.append("Cache-Control", value)
        return ruled
    }
}

extension Fields {
    /// The fields as the cache must read them.
    func ruled(by rule: CacheControlRule?) -> Fields { rule?.applied(to: self) ?? self }
}
