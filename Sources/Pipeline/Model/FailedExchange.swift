// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import SourceURLs
internal import Traces

/// An exchange that gave no answer.
package struct FailedExchange: Error, Sendable, Hashable {
    /// The reason.
    package var failure: OriginFailure
    /// The origin at the end of the redirects, which failed; nil for the one that was asked.
    package var finalOrigin: SourceOrigin?
    /// The redirects that led there, in order.
    package var redirects: [RedirectHop]
    /// False if there was no connection to send the request over.
    package var hasConnected: Bool

    /// By default, the origin that was asked failed after the connection.
    package init(
        _ failure: OriginFailure, at origin: SourceOrigin? = nil, redirects: [RedirectHop] = [],
        hasConnected: Bool = true
    ) {
        self.redirects = redirects
        self.failure = failure
        finalOrigin = origin
        self.hasConnected = hasConnected
    }
}

extension FailedExchange: CodedError {
    /// As it stands in the answer.
    package var code: String { failure.row.code }
}
