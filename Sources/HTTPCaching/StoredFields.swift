// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// The fields of an original that caching needs again, kept beside it: a 304 that leaves one out means the
/// one that is stored (RFC 9111 §3.2).
///
/// `Date` and `Age` are not kept. They tell how old one message was; a 304 that lacks them is as old as its
/// arrival.
package struct StoredFields: Sendable, Hashable {
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
        /// No field of the response, but what the request said in the fields that `Vary` names.
        case variant = "request-variant"

        /// Of the others, a second line is an error, and the first one counts.
        fileprivate var isList: Bool {
            switch self {
            case .cacheControl, .targetedCacheControl, .pragma, .vary, .cacheTag, .surrogateKey: true
            case .expires, .lastModified, .entityTag, .contentType, .contentLocation, .variant: false
            }
        }
    }

    private var values: [Name: String] = [:]

    /// Picks out of a response what is kept. Fields that `private="…"` or `no-cache="…"` name are left out
    /// (RFC 9111 §5.2.2.4, .7), and so are values with control characters, which no field may have.
    package init(_ fields: Fields) {
        let withheld = ResponseControl(fields).forUs.withheldFields
        for name in Name.allCases where name != .variant && !withheld.contains(name.rawValue) {
            let value = name.isList ? fields.combined(name.rawValue) : fields[name.rawValue]
            if let value, value.utf8.allSatisfy({ $0 >= .space && $0 != 0x7F || $0 == .tab }) {
                values[name] = value
            }
        }
    }

    package subscript(name: Name) -> String? { values[name] }

    package var fields: Fields {
        Fields(Name.allCases.compactMap { name in values[name].map { Fields.Field(name.rawValue, $0) } })
    }

    /// As if they had come in this message: with its `Date` and its `Age`.
    package func fields(datedBy message: Fields) -> Fields {
        var fields = fields
        for name in ["Date", "Age"] {
            if let value = message[name] { fields.append(name, value) }
        }
        return fields
    }

    /// A date that cannot be read is none: it must not be sent (RFC 9110 §13.1.3), and no origin could compare it.
    package var validators: Validators {
        let date = values[.lastModified].flatMap { HTTPDate.parse($0, now: Timestamp(seconds: 0)) }
        return Validators(
            entityTag: values[.entityTag], lastModified: date == nil ? nil : values[.lastModified])
    }

    /// Notes what the request for it said in the fields that `Vary` names.
    package mutating func select(by request: Fields) {
        values[.variant] = SelectingFields(values[.vary])?.variant(of: request)
    }

    /// Whether a request with these fields is one that the origin would have answered alike (RFC 9111 §4.1).
    package func isSelected(by request: Fields) -> Bool {
        values[.variant] == SelectingFields(values[.vary])?.variant(of: request)
    }

    /// Tags of one original that are kept, which bounds the index whatever an origin sends.
    package static let tagLimit = 256

    /// The names under which the origin wants the original to be found when it is purged, each once, in the order in
    /// which they came: `Cache-Tag` separates them by commas, `Surrogate-Key` by spaces.
    package var tags: [String] {
        var tags: [String] = []
        var seen: Set<String> = []
        for part in values[.cacheTag]?.split(separator: ",") ?? [] {
            tags.append(String(part).withFieldBytes { $0.trimmed.text })
        }
        let keys = values[.surrogateKey]?.split { $0 == " " || $0 == "\t" || $0 == "," } ?? []
        tags += keys.map(String.init)
        return Array(tags.filter { !$0.isEmpty && seen.insert($0).inserted }.prefix(Self.tagLimit))
    }
}

// MARK: As text

extension StoredFields {
    /// `name: value` lines, as people read them, the last one without a line feed; equal values, equal texts.
    package var serialized: String {
        Name.allCases.compactMap { name in values[name].map { "\(name.rawValue): \($0)" } }
            .joined(separator: "\n")
    }

    /// False: it need not be taken apart to look for tags.
    package static func mayHaveTags(serialized: String) -> Bool {
        [Name.cacheTag, .surrogateKey].contains { serialized.contains("\($0.rawValue): ") }
    }

    /// Nil for what `serialized` does not write.
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
    /// What is stored after a 304, or nil where the 304 speaks of another representation than the stored one,
    /// so that the original has to be fetched again without conditions (RFC 9111 §4.3.4).
    package func updated(by notModified: Fields, at now: Timestamp) -> StoredFields? {
        let news = StoredFields(notModified)
        guard isConfirmed(by: news, at: now) else { return nil }
        var result = self
        result.values.merge(news.values) { _, new in new }
        // The bytes are the old ones, and so is what was said about them (RFC 9111 §3.2).
        result.values[.contentType] = values[.contentType]
        return result
    }

    /// A strong tag must be the stored one; without a strong one, a weak validator must be. A 304 without any
    /// answers the only question that was asked, and is believed.
    private func isConfirmed(by news: StoredFields, at now: Timestamp) -> Bool {
        if let text = news[.entityTag] {
            guard let tag = EntityTag(text), let own = self[.entityTag].flatMap(EntityTag.init) else {
                return text == self[.entityTag]
            }
            return tag.isWeak ? tag.matchesWeakly(own) : tag.matchesStrongly(own)
        }
        guard let modified = news[.lastModified] else { return true }
        if modified == self[.lastModified] { return true }
        // The same second in another of the three spellings is the same date.
        let dates = [modified, self[.lastModified] ?? ""].map { HTTPDate.parse($0, now: now) }
        return dates[0] != nil && dates[0] == dates[1]
    }
}

extension CachePolicy {
    package enum Refresh: Sendable, Hashable {
        /// The stored original is good for longer.
        case refreshed(StoredFields, Freshness)
        /// It is good for this one answer, but must not be kept any more.
        case forget(StorageDecision.Reason)
        /// The 304 does not speak of it.
        case mismatch
    }

    /// Judges a 304 to a conditional request that was made for `stored`.
    package func refresh(
        _ stored: StoredFields, by notModified: Fields, requestTime: Timestamp, responseTime: Timestamp
    ) -> Refresh {
        guard let updated = stored.updated(by: notModified, at: responseTime) else { return .mismatch }
        let fields = updated.fields(datedBy: notModified)
        switch assess(status: 200, fields: fields, requestTime: requestTime, responseTime: responseTime) {
        case .store(let freshness): return .refreshed(updated, freshness)
        case .doNotStore(let reason): return .forget(reason)
        }
    }
}
