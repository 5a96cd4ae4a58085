// SPDX-License-Identifier: Apache-2.0

internal import RawStructuredFieldValues

/// `Cache-Status` (RFC 9211): how this cache handled a request. A library of structured fields writes it, so
/// that every parser of RFC 9651 can read it.
package struct CacheStatus: Sendable, Hashable {
    /// Answered from the cache, or by way of the origin.
    package enum Handling: Sendable, Hashable {
        case hit
        /// The origin was asked, for this reason.
        case forwarded(Forward)
    }

    /// Reasons to ask the origin (RFC 9211 §2.2), as far as they occur here.
    package enum Forward: String, Sendable, Hashable, CaseIterable {
        /// The response must not be cached.
        case bypass
        /// The cache held nothing for the URL.
        case uriMiss = "uri-miss"
        /// The cache held something for the URL, but not the wanted response.
        case miss
        case stale
        /// The held response would do, but the request's directives demanded the origin.
        case request
    }

    /// How the answer came about.
    package var handling: Handling
    /// The status of the origin's answer (RFC 9211 §2.3); nil if the origin was not asked.
    package var forwardStatus: Int?
    /// Seconds of freshness left; negative when stale (RFC 9211 §2.4).
    package var timeToLive: Int?
    /// The cache has kept the origin's answer (RFC 9211 §2.5).
    package var isStored = false
    /// True if the request shared another request's answer (RFC 9211 §2.6).
    package var isCollapsed = false
    /// The outcome's name (RFC 9211 §2.8).
    package var detail: String?

    /// The other parameters start out absent.
    package init(_ handling: Handling, timeToLive: Int? = nil, detail: String? = nil) {
        self.handling = handling
        self.timeToLive = timeToLive
        self.detail = detail
    }

    /// The field value: a list of one member, this cache's token with its parameters.
    package var text: String { spell(remaining: timeToLive.map(Int64.init(clamping:))) }

    /// The field value before and after the number of `ttl`, for cached answers that fill in the number.
    package var aroundTimeToLive: (before: String, after: String) {
        // A number that occurs nowhere else in the value, within the 15 digits of an integer (RFC 9651
        // §3.3.1).
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
        // Every value was fitted to its type above, so nothing is thrown.
        let bytes = (try? serializer.writeListFieldValue([.item(item)])) ?? []
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Clamps to the range of a structured integer.
    private static func integer(_ number: Int64) -> Int64 {
        min(max(number, -999_999_999_999_999), 999_999_999_999_999)
    }

    /// A token if possible; otherwise a string (RFC 9211 §2.8) without the characters that strings exclude.
    private static func item(_ detail: String) -> RFC9651BareItem {
        if detail.structuredHeadersIsValidToken { return .token(detail) }
        return .string(String(decoding: detail.utf8.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self))
    }
}
