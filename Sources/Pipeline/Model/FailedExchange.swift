// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import SourceURLs
internal import Traces

/// An exchange that gave no answer.
package struct FailedExchange: Error, Sendable, Hashable {
    /// The reason.
    package var failure: OriginFailure
    /// The origin that failed, if redirects led to it; nil if the origin that was asked failed itself.
    package var finalOrigin: SourceOrigin?
    /// The redirects that led there, in order.
    package var redirects: [RedirectHop]
    /// False if no connection was made that could carry the request.
    package var hasConnected: Bool
    /// True if no connection was made for this URL, while other URLs of that origin may well be reached.
    package var dependsOnURL: Bool

    /// By default, the origin that was asked failed after a connection was made.
    package init(
        _ failure: OriginFailure, at origin: SourceOrigin? = nil, redirects: [RedirectHop] = [],
        hasConnected: Bool = true, dependsOnURL: Bool = false
    ) {
        self.dependsOnURL = dependsOnURL
        self.redirects = redirects
        self.failure = failure
        finalOrigin = origin
        self.hasConnected = hasConnected
    }
}

extension FailedExchange: CodedError {
    /// The error code in the answer.
    package var code: String { failure.row.code }
}
