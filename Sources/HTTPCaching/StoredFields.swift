// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The fields of an original that caching needs later, stored beside it: a field that a 304 leaves out keeps
/// its stored value (RFC 9111 §3.2).
///
/// `Date` and `Age` are not stored, because they describe one message, and a 304 without them has age 0 on arrival.
package struct StoredFields: Sendable, Hashable {
    /// The fields that are stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case cacheControl = "cache-control"
        case targetedCacheControl = "cdn-cache-control"
        case pragma
        case expires
        case lastModified = "last-modified"
        case entityTag = "etag"
        case vary
        case contentType = "content-type"
        case contentLocation = "content-location"
        case cacheTag = "cache-tag"
        case surrogateKey = "surrogate-key"
        /// No response field: the request's values of the fields that `Vary` names, with codes for values that may be secret.
        case variant = "request-variant"
        /// No response field either: a code of the URL that gave the response, if redirects led there. A code and not the URL,
        /// because that may hold a secret.
        case target = "redirect-target"

        /// A field of the response.
        fileprivate var isOfResponse: Bool { self != .variant && self != .target }

        /// True for fields whose lines form a list. Two lines of any other field are an error, and the first one counts.
        fileprivate var isList: Bool {
            switch self {
            case .cacheControl, .targetedCacheControl, .pragma, .vary, .cacheTag, .surrogateKey: true
            case .expires, .lastModified, .entityTag, .contentType, .contentLocation, .variant, .target: false
            }
        }
    }

    private var values: [Name: String] = [:]

    /// Takes the stored fields from a response. It skips fields that `private="…"` or `no-cache="…"` names
    /// (RFC 9111 §5.2.2.4, §5.2.2.7), and values with control characters, which are invalid.
    /// - Parameter target: the code of the URL at the end of the redirects; nil without redirects.
    package init(_ fields: Fields, target: String? = nil) {
        let withheld = ResponseControl(fields).forUs.withheldFields
        for name in Name.allCases where name.isOfResponse && !withheld.contains(name.rawValue) {
            let value = name.isList ? fields.combined(name.rawValue) : fields[name.rawValue]
            if let value, value.utf8.allSatisfy({ $0 >= .space && $0 != 0x7F || $0 == .tab }) {
                values[name] = value
            }
        }
        values[.target] = target
    }

    /// True without any stored field.
    package var isEmpty: Bool { values.isEmpty }

    /// The stored value; nil without such a field.
    package subscript(name: Name) -> String? { values[name] }

    /// All stored fields, in the order of `Name`.
    package var fields: Fields {
        Fields(Name.allCases.compactMap { name in values[name].map { Fields.Field(name.rawValue, $0) } })
    }

    /// The stored fields with the `Date` and the `Age` of `message`, as if it had carried them.
    package func fields(datedBy message: Fields) -> Fields {
        var fields = fields
        for name in ["Date", "Age"] {
            if let value = message[name] { fields.append(name, value) }
        }
        return fields
    }

    /// `ETag` and `Last-Modified` for a conditional request. An unreadable date is left out, because it must not be sent (RFC 9110
    /// §13.1.3), and so is a tag that `If-None-Match` would match with other representations as well.
    package var validators: Validators {
        let date = values[.lastModified].flatMap { HTTPDate.parse($0, now: Timestamp(seconds: 0)) }
        return Validators(
            entityTag: values[.entityTag].flatMap { Self.isSingleTag($0) ? $0 : nil },
            lastModified: date == nil ? nil : values[.lastModified], target: values[.target])
    }

    /// False for `*`, which matches any representation, and for a list (RFC 9110 §13.1.2). Tags that break the grammar otherwise,
    /// such as those without quotation marks, are single.
    private static func isSingleTag(_ text: String) -> Bool {
        guard text.utf8.contains(.comma) else { return text != "*" }
        let opaque = text.hasPrefix("W/") ? text.dropFirst(2) : text[...]
        return opaque.hasPrefix("\"") && opaque.dropFirst().firstIndex(of: "\"") == opaque.indices.last
    }

    /// The date of the last change; nil without a readable one. A date in the future counts as now (RFC 9110 §8.8.2.1): clients that
    /// got it would have their copies confirmed after every change until then. If our own clock has not been set, no date is treated
    /// as being in the future.
    package func lastModified(at now: Timestamp) -> Timestamp? {
        let date = values[.lastModified].flatMap { HTTPDate.parse($0, now: now) }
        return now.isOfSetClock ? date.map { min($0, now) } : date
    }

    /// True if the date of the last change was ahead when the response came, by more than clocks usually differ. By such a date
    /// an origin confirms even what it has changed since, as long as the change is no later than the date.
    /// - Parameter arrival: when the response came.
    package func isModified(after arrival: Timestamp) -> Bool {
        guard arrival.isOfSetClock, let text = values[.lastModified],
            let date = HTTPDate.parse(text, now: arrival)
        else { return false }
        return date.seconds - arrival.seconds > Self.clockDifference
    }

    /// Seconds by which the clock of an origin may be ahead of this one.
    private static let clockDifference: Int64 = 60

    /// Stores the request's values of the fields by which the response was selected.
    /// - Parameter redirects: the redirects to the response; they were selected as well, and followed by the rules of that moment.
    package mutating func select(by sent: Fields, redirects: [RedirectHop] = []) {
        var lists = [values[.vary]] + redirects.map { $0.fields.combined("Vary") }
        if !redirects.isEmpty { lists.append(RedirectRules.field) }
        let list = lists.compactMap(\.self).joined(separator: ", ")
        values[.variant] = SelectingFields(list).map { Self.variant($0, of: sent) }
    }

    /// True if origins that get these fields would select the same response (RFC 9111 §4.1); false if that is unknown.
    /// - Parameter sent: called only if the response varies.
    package func isSelected(by sent: () -> Fields?) -> Bool {
        guard let variant = values[.variant] else { return SelectingFields(values[.vary]) == nil }
        let parts = variant.split(separator: ";", maxSplits: 2, omittingEmptySubsequences: false)
        // Variants that older versions stored lack the profiles' fields.
        guard parts.count == 3, parts[0] == Self.edition,
            let selecting = SelectingFields(String(parts[1])), let sent = sent()
        else { return false }
        return selecting != .everything && Self.variant(selecting, of: sent) == variant
    }

    /// True with `Vary: *`: what selected the response is unknown, so a date confirms it as well as any other response.
    package var variesByAll: Bool { SelectingFields(values[.vary]) == .everything }

    /// The number of the format, written before the names of the selecting fields and their values.
    private static let edition = "2"

    private static func variant(_ selecting: SelectingFields, of sent: Fields) -> String {
        let names = if case .named(let names) = selecting { names } else { ["*"] }
        return "\(edition);\(names.joined(separator: ","));\(selecting.variant(of: sent))"
    }
}

// MARK: As text

extension StoredFields {
    /// `name: value` lines for the disk, without a final line feed; equal values give equal texts.
    package var serialized: String {
        Name.allCases.compactMap { name in values[name].map { "\(name.rawValue): \($0)" } }
            .joined(separator: "\n")
    }

    /// Nil for text in a form that `serialized` does not write.
    package init?(serialized: String) {
        guard !serialized.isEmpty else { return }
        for line in serialized.utf8.split(separator: 0x0A, omittingEmptySubsequences: false) {
            guard let colon = line.firstIndex(of: .colon),
                let name = String(line[..<colon]).flatMap(Name.init),
                let value = String(line[colon...].dropFirst(2)),
                line[colon...].starts(with: [.colon, .space]),
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
    }
}

// MARK: After a 304

extension StoredFields {
    /// The fields after a 304 (RFC 9111 §4.3.4). Nil if the 304 names another representation, so that the
    /// original must be fetched again without conditions.
    package func updated(by notModified: Fields, at now: Timestamp) -> StoredFields? {
        let news = StoredFields(notModified)
        guard isConfirmed(by: news, at: now) else { return nil }
        var result = self
        result.values.merge(news.values) { _, new in new }
        // The stored bytes stay, and so does their type (RFC 9111 §3.2).
        result.values[.contentType] = values[.contentType]
        return result
    }

    /// RFC 9111 §4.3.4: a strong tag must equal the stored one; without a strong tag, a weak validator must match. A 304 without
    /// validators is accepted, because our request had only one condition.
    private func isConfirmed(by news: StoredFields, at now: Timestamp) -> Bool {
        if let text = news[.entityTag] {
            guard let tag = EntityTag(text), let own = self[.entityTag].flatMap(EntityTag.init) else {
                return text == self[.entityTag]
            }
            return tag.isWeak ? tag.matchesWeakly(own) : tag.matchesStrongly(own)
        }
        guard let modified = news[.lastModified] else { return true }
        if modified == self[.lastModified] { return true }
        // The same date can be spelled in three forms (RFC 9110 §5.6.7).
        let dates = [modified, self[.lastModified] ?? ""].map { HTTPDate.parse($0, now: now) }
        return dates[0] != nil && dates[0] == dates[1]
    }
}
