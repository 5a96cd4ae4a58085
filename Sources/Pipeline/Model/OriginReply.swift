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
        /// Any other status. Its fields still tell how long the answer may be kept.
        case refused(status: Int)
    }

    /// The kind of answer.
    package var payload: Payload
    /// The status of an answer with content: 200, or 203 where a proxy has changed it.
    package var contentStatus = 200
    /// The fields of the answer's head.
    package var fields: Fields
    /// The exchange's times, and the redirects that were followed.
    package var transit: Transit
    /// A code of the URL at the end of the redirects, for comparison with later answers (`Validators.target`); nil without redirects.
    package var target: String?
    /// The origin that answered, if redirects led to it; nil if the origin that was asked answered itself.
    package var finalOrigin: SourceOrigin?
    /// The fields that the origin got, as in `OriginPort.sentFields`; nil if it got the request's fields.
    package var sentFields: Fields?
    /// True if the answer was given to Pictor's own credentials, so that no shared cache behind Pictor may keep it.
    package var isPrivate: Bool
    /// The operator's `Cache-Control` for the origin that answered; nil if the origin's own applies.
    package var rule: CacheControlRule?

    package init(
        payload: Payload, fields: Fields, by transit: Transit, target: String? = nil,
        finalOrigin: SourceOrigin? = nil, sentFields: Fields? = nil, isPrivate: Bool = false
    ) {
        self.sentFields = sentFields
        self.isPrivate = isPrivate
        self.payload = payload
        self.fields = fields
        self.transit = transit
        self.target = target
        self.finalOrigin = finalOrigin
    }
}
