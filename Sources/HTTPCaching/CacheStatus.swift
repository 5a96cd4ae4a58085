// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// `Cache-Status` (RFC 9211): how this cache handled a request. The one place where the field is spelled.
package struct CacheStatus: Sendable, Hashable {
    package enum Handling: Sendable, Hashable {
        case hit
        /// Asked of the origin, for this reason.
        case forwarded(Forward)
    }

    /// RFC 9211 §2.2; those of its reasons that happen here.
    package enum Forward: Sendable, Hashable, CaseIterable {
        /// Not to be cached at all.
        case bypass
        /// Nothing of that URL was held.
        case uriMiss
        /// Something was held, but not what was wanted.
        case miss
        case stale

        var word: StaticString {
            switch self {
            case .bypass: "bypass"
            case .uriMiss: "uri-miss"
            case .miss: "miss"
            case .stale: "stale"
            }
        }
    }

    package var handling: Handling
    /// The status of the origin's answer, where it was asked (RFC 9211 §2.3).
    package var forwardStatus: Int?
    /// Seconds of freshness left; negative when stale (RFC 9211 §2.4).
    package var timeToLive: Int?
    package var isStored = false
    /// The request shared another one's answer (RFC 9211 §2.6).
    package var isCollapsed = false
    /// The outcome's word.
    package var detail: String?

    package init(_ handling: Handling, timeToLive: Int? = nil, detail: String? = nil) {
        self.handling = handling
        self.timeToLive = timeToLive
        self.detail = detail
    }

    /// Bytes that the longest one takes with a detail of at most 64.
    package static let capacity = 192

    /// The field value.
    package func append(to writer: inout ByteWriter) {
        writer.append("pictor")
        switch handling {
        case .hit: writer.append("; hit")
        case .forwarded(let reason):
            writer.append("; fwd=")
            writer.append(reason.word)
            if let forwardStatus {
                writer.append("; fwd-status=")
                writer.append(forwardStatus)
            }
        }
        if let timeToLive {
            writer.append("; ttl=")
            writer.append(timeToLive)
        }
        if isStored { writer.append("; stored") }
        if isCollapsed { writer.append("; collapsed") }
        if let detail, detail.isStructuredToken {
            writer.append("; detail=")
            writer.append(detail)
        }
    }

    package var text: String { String(capacity: Self.capacity) { append(to: &$0) } }
}

extension String {
    /// A token of RFC 9651 §3.3.4, as short as our words are.
    fileprivate var isStructuredToken: Bool {
        guard let first = utf8.first, (0x61...0x7A).contains(first.asciiLowercased) else { return false }
        return utf8.count <= 64 && utf8.allSatisfy(\.isTokenByte)
    }
}
