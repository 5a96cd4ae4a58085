// SPDX-License-Identifier: Apache-2.0

/// The status of an origin's answer, as far as caching asks.
package struct OriginStatus: Sendable, Hashable {
    package let code: Int

    package init(_ code: Int) { self.code = code }

    /// The content is the picture. A 203 is a 200 that a proxy before us has altered (RFC 9110 §15.3.4).
    package var isOriginal: Bool { code == 200 || code == 203 }

    /// May be kept for a guessed time where nothing explicit is said (RFC 9110 §15.1, RFC 7725 §3).
    var isHeuristicallyCacheable: Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501].contains(code)
    }

    /// One whose caching rules this cache knows, as `must-understand` asks (RFC 9111 §5.2.2.3): those of
    /// RFC 9110 §15, RFC 6585 and RFC 7725. For 206 and 304 these rules say more than is done here.
    var isUnderstood: Bool {
        switch code {
        case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505,
            511:
            true
        default: false
        }
    }

    /// The origin says that it cannot answer now, and may be able to later: what RFC 5861 §4 means by an error,
    /// where an unknown 5xx counts as a 500 (RFC 9110 §15), and what 408, 425 and 429 say.
    package var isPassingFailure: Bool { (500..<600).contains(code) || [408, 425, 429].contains(code) }

    /// An answer about the resource that leaves no room for what was there before (RFC 9111 §4.3.3).
    package var isRefusal: Bool { (400..<500).contains(code) && !isPassingFailure }
}
