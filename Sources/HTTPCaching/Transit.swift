// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics

/// When a response was requested and when it arrived (RFC 9111 §4.2.3), and the redirects that led to it.
package struct Transit: Sendable, Hashable {
    /// When the request was sent.
    package var requestTime: Timestamp
    /// When the response's head arrived.
    package var responseTime: Timestamp
    /// The redirects that were followed, in order.
    package var redirects: [RedirectHop]
    /// True if the request had an `Authorization` of a client (RFC 9111 §3.5).
    package var isAuthorized: Bool

    /// Without redirects by default.
    package init(
        requestTime: Timestamp, responseTime: Timestamp, redirects: [RedirectHop] = [],
        isAuthorized: Bool = false
    ) {
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.redirects = redirects
        self.isAuthorized = isAuthorized
    }

    /// The transit of a response that arrived at once.
    package init(
        at time: Timestamp, redirects: [RedirectHop] = [], isAuthorized: Bool = false
    ) {
        self.init(
            requestTime: time, responseTime: time, redirects: redirects, isAuthorized: isAuthorized)
    }
}
