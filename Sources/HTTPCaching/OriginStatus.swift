// SPDX-License-Identifier: Apache-2.0

/// The status code of an origin's response, with its meaning for caches.
package struct OriginStatus: Sendable, Hashable {
    /// The code of the status line, not checked for its range.
    package let code: Int

    /// Any code is allowed.
    package init(_ code: Int) { self.code = code }

    /// True if the content is the picture. A 203 is a 200 that a proxy before Pictor has altered (RFC 9110 §15.3.4).
    package var isOriginal: Bool { code == 200 || code == 203 }

    /// True if the response may be kept by a heuristic, without explicit fields (RFC 9110 §15.1, RFC 7725
    /// §3).
    var isHeuristicallyCacheable: Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 451, 501].contains(code)
    }

    /// True if this cache implements the status's caching rules, for `must-understand` (RFC 9111 §5.2.2.3): the rules of RFC 9110
    /// §15, RFC 6585 and RFC 7725, except 206 and 304, whose rules go further.
    var isUnderstood: Bool {
        switch code {
        case 200...205, 300...303, 305, 307, 308, 400...417, 421, 422, 426, 428, 429, 431, 451, 500...505,
            511:
            true
        default: false
        }
    }

    /// True for temporary failures: the errors of RFC 5861 §4, where an unknown 5xx counts as a 500 (RFC 9110
    /// §15), and 408, 425 and 429.
    package var isPassingFailure: Bool { (500..<600).contains(code) || [408, 425, 429].contains(code) }

    /// True for a definite answer about the resource, after which older responses must not be served (RFC
    /// 9111 §4.3.3).
    package var isRefusal: Bool { (400..<500).contains(code) && !isPassingFailure }
}
