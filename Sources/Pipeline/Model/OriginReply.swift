// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import SourceURLs

/// The origin's final answer, of any status. An exchange without an answer is a `FailedExchange`.
package struct OriginReply<Body: Sendable>: Sendable {
    /// The kind of answer.
    package enum Payload: Sendable {
        /// The 304 to a conditional request.
        case notModified
        /// A 200 or a 203 with its body; `length` in bytes.
        case complete(body: Body, length: Int, digest: OriginalDigest)
        /// Any other status; its fields still tell for how long it holds.
        case refused(status: Int)
    }

    /// The kind of answer.
    package var payload: Payload
    /// The status of an answer with content: 200, or 203 where a proxy has changed it.
    package var contentStatus = 200
    /// The fields of the answer's head.
    package var fields: Fields
    /// The redirects followed, in order.
    package var redirects: [RedirectHop]
    /// A code of their target's URL, by which it is known again (`Validators.target`); nil without redirects.
    package var target: String?
    /// The origin at the end of the redirects, which answered; nil for the one that was asked.
    package var finalOrigin: SourceOrigin?
    /// When the request was sent (RFC 9111 §4.2.3).
    package var requestTime: Timestamp
    /// When the head of the answer arrived.
    package var responseTime: Timestamp
    /// The fields that the origin got, as `OriginPort.sentFields` has them; nil for the request's fields.
    package var sentFields: Fields?
    /// True if it was given to Pictor's own credentials, so that no shared cache behind this one may keep it.
    package var isPrivate: Bool
    /// The operator's `Cache-Control` for the origin that answered; nil for the origin's own words.
    package var rule: CacheControlRule?

    /// Without redirects by default.
    package init(
        payload: Payload, fields: Fields, redirects: [RedirectHop] = [], target: String? = nil,
        finalOrigin: SourceOrigin? = nil, sentFields: Fields? = nil, requestTime: Timestamp,
        responseTime: Timestamp,
        isPrivate: Bool = false
    ) {
        self.sentFields = sentFields
        self.isPrivate = isPrivate
        self.payload = payload
        self.fields = fields
        self.redirects = redirects
        self.target = target
        self.finalOrigin = finalOrigin
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}
