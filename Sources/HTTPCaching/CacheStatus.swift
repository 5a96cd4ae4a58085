// SPDX-License-Identifier: Apache-2.0

internal import RawStructuredFieldValues

/// `Cache-Status` (RFC 9211): how this cache handled a request. Spelled by a library of structured fields,
/// so that what is written is what everyone can parse (RFC 9651).
package struct CacheStatus: Sendable, Hashable {
    package enum Handling: Sendable, Hashable {
        case hit
        /// Asked of the origin, for this reason.
        case forwarded(Forward)
    }

    /// RFC 9211 §2.2; those of its reasons that happen here.
    package enum Forward: String, Sendable, Hashable, CaseIterable {
        /// Not to be cached at all.
        case bypass
        /// Nothing of that URL was held.
        case uriMiss = "uri-miss"
        /// Something was held, but not what was wanted.
        case miss
        case stale
        /// What was held would have done, but the request asked for a fresh look at it.
        case request
    }

    package var handling: Handling
    /// The status of the origin's answer, where it was asked (RFC 9211 §2.3).
    package var forwardStatus: Int?
    /// Seconds of freshness left; negative when stale (RFC 9211 §2.4).
    package var timeToLive: Int?
    package var isStored = false
    /// The request shared another one's answer (RFC 9211 §2.6).
    package var isCollapsed = false
    /// The outcome's word (RFC 9211 §2.8).
    package var detail: String?

    package init(_ handling: Handling, timeToLive: Int? = nil, detail: String? = nil) {
        self.handling = handling
        self.timeToLive = timeToLive
        self.detail = detail
    }

    /// The field value: a list of one member, the token of this cache with its parameters.
    package var text: String { spell(remaining: timeToLive.map(Int64.init(clamping:))) }

    /// The field value before and after the seconds of `ttl`, for answers that differ in nothing else.
    package var aroundTimeToLive: (before: String, after: String) {
        // Longer than any other number here, and within the 15 digits of an integer (RFC 9651 §3.3.1).
        let mark: Int64 = 999_999_999_999_999
        let parts = spell(remaining: mark).split(
            separator: String(mark), maxSplits: 1, omittingEmptySubsequences: false)
        return (String(parts.first ?? ""), String(parts.dropFirst().first ?? ""))
    }

    private func spell(remaining: Int64?) -> String {
        var parameters = OrderedMap<String, RFC9651BareItem>()
        switch handling {
        case .hit: parameters["hit"] = .bool(true)
        case .forwarded(let reason):
            parameters["fwd"] = .token(reason.rawValue)
            if let forwardStatus { parameters["fwd-status"] = .integer(Self.integer(Int64(forwardStatus))) }
        }
        if let remaining { parameters["ttl"] = .integer(Self.integer(remaining)) }
        if isStored { parameters["stored"] = .bool(true) }
        if isCollapsed { parameters["collapsed"] = .bool(true) }
        if let detail { parameters["detail"] = Self.item(detail) }
        var serializer = StructuredFieldValueSerializer()
        let item = Item(bareItem: RFC9651BareItem.token("pictor"), parameters: parameters)
        // Everything in it was fitted to its type above, so nothing is left to be thrown.
        let bytes = (try? serializer.writeListFieldValue([.item(item)])) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Within the range of a structured integer.
    private static func integer(_ number: Int64) -> Int64 {
        min(max(number, -999_999_999_999_999), 999_999_999_999_999)
    }

    /// A token where it can be one; otherwise a string (RFC 9211 §2.8), without what no string may hold.
    private static func item(_ detail: String) -> RFC9651BareItem {
        if detail.structuredHeadersIsValidToken { return .token(detail) }
        return .string(String(decoding: detail.utf8.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self))
    }
}
