// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPSemantics

/// `Cache-Status` (RFC 9211): how a cache handled a request, as a member of a structured field (RFC 9651).
package struct CacheStatus: Sendable, Hashable {
    /// The caches of a fleet, by their tokens in the field.
    package enum Cache: String, Sendable, Hashable, CaseIterable {
        /// The store that several nodes share.
        case store = "pictor-store"
        /// Memory and disk of this node.
        case node = "pictor"
    }

    /// Whether the request was answered from the cache, or the origin was asked.
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
        /// The cache held nothing usable, whether or not it held something for the URL.
        case miss
        case stale
        /// The held response was usable, but the request's directives demanded the origin.
        case request
    }

    /// The cache that this member is about.
    package var cache: Cache
    /// How the answer came about.
    package var handling: Handling
    /// The status of the origin's answer (RFC 9211 §2.3); nil if the origin was not asked.
    package var forwardStatus: Int?
    /// Seconds of freshness left; negative when stale (RFC 9211 §2.4).
    package var timeToLive: Int?
    /// True if the cache has kept the origin's answer (RFC 9211 §2.5).
    package var isStored = false
    /// True if the request shared another request's answer (RFC 9211 §2.6).
    package var isCollapsed = false
    /// A word of Pictor's own, such as the outcome's name (RFC 9211 §2.8).
    package var detail: String?

    /// The parameters that are not given are absent.
    package init(
        _ handling: Handling, of cache: Cache = .node, timeToLive: Int? = nil, detail: String? = nil
    ) {
        self.cache = cache
        self.handling = handling
        self.timeToLive = timeToLive
        self.detail = detail
    }

    /// The field value for several caches, the one closest to the origin first (RFC 9211 §2).
    package static func text(_ members: [CacheStatus]) -> String {
        members.map(\.text).joined(separator: ", ")
    }

    /// The field value as a list of one member, the cache's token with its parameters.
    package var text: String {
        let (before, after) = (before, after)
        guard let timeToLive else { return before + after }
        return "\(before);ttl=\(Self.integer(timeToLive))\(after)"
    }

    /// The field value before and after the number of `ttl`, for cached answers that fill in the number.
    package var aroundTimeToLive: (before: String, after: String) { (before + ";ttl=", after) }

    private var before: String {
        switch handling {
        case .hit: return "\(cache.rawValue);hit"
        case .forwarded(let reason):
            let status = forwardStatus.map { ";fwd-status=\(Self.integer($0))" } ?? ""
            return "\(cache.rawValue);fwd=\(reason.rawValue)\(status)"
        }
    }

    private var after: String {
        (isStored ? ";stored" : "") + (isCollapsed ? ";collapsed" : "")
            + (detail.map { ";detail=\(Self.item($0))" } ?? "")
    }

    /// Clamps to the 15 digits of an integer (RFC 9651 §3.3.1).
    private static func integer(_ number: Int) -> Int {
        min(max(number, -999_999_999_999_999), 999_999_999_999_999)
    }

    /// A token (RFC 9651 §3.3.4) if possible; otherwise a string (§3.3.3) without the characters that strings exclude.
    private static func item(_ detail: String) -> String {
        if isToken(detail) { return detail }
        let text = String(decoding: detail.utf8.filter { (0x20..<0x7F).contains($0) }, as: UTF8.self)
        let escaped = text.flatMap { $0 == "\"" || $0 == "\\" ? "\\\($0)" : "\($0)" }
        return "\"\(String(escaped))\""
    }

    private static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first else { return false }
        return (first.isASCIILetter || first == UInt8(ascii: "*"))
            && text.utf8.allSatisfy { $0.isTokenByte || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") }
    }
}
