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
    /// Its times, and the redirects that were followed.
    package var transit: Transit
    /// A code of their target's URL, by which it is known again (`Validators.target`); nil without redirects.
    package var target: String?
    /// The origin at the end of the redirects, which answered; nil for the one that was asked.
    package var finalOrigin: SourceOrigin?
    /// The fields that the origin got, as `OriginPort.sentFields` has them; nil for the request's fields.
    package var sentFields: Fields?
    /// True if it was given to Pictor's own credentials, so that no shared cache behind this one may keep it.
    package var isPrivate: Bool
    /// The operator's `Cache-Control` for the origin that answered; nil for the origin's own words.
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
