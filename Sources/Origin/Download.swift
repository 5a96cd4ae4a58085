// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import HTTPSemantics
package import Kernel
package import SourceURLs

/// One GET.
///
/// The conditions are sent to `url` itself and not to where it redirects: they speak of the representation
/// that was got from one URL, and another URL's 304 (an older file behind a moved "latest.jpg", an entity tag
/// that is just "1") would keep the wrong picture alive. It also follows that they never reach another host.
package struct Download: Sendable {
    package var url: SourceURL
    /// Field values of `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1), spelled as the origin
    /// spelled them.
    package var ifNoneMatch: String?
    package var ifModifiedSince: String?

    package init(url: SourceURL, ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
        self.url = url
        self.ifNoneMatch = ifNoneMatch
        self.ifModifiedSince = ifModifiedSince
    }
}

/// The final answer, whatever its status: a complete picture, the 304 to a conditional request, or a head that says
/// why there is neither.
package struct DownloadReply: Sendable {
    /// A redirect that was followed.
    package struct Hop: Sendable, Equatable {
        package let status: Int
        package let fields: Fields
    }

    package struct Payload: Sendable {
        /// Holds the body from offset 0; made by the caller's `makeFile`.
        package let file: OwnedDescriptor
        /// Bytes.
        package let length: Int
        /// SHA-256 of those bytes.
        package let digest: Digest
        /// Nil: they are the picture.
        package let coding: ContentCoding?
    }

    /// Microseconds, by the monotonic clock.
    package struct Timing: Sendable, Hashable {
        /// Until requests could be sent, summed over the hops; next to nothing on a kept connection.
        package var connect: Int = 0
        /// From the start of the fetch to the head of the final response.
        package var firstByte: Int = 0
        package var total: Int = 0
    }

    package let status: Int
    /// Of the final response's head; fields that are no valid text are left out.
    package let fields: Fields
    /// Nil unless the status is 200 or 203.
    package let payload: Payload?
    /// Where the final response came from.
    package let finalURL: SourceURL
    /// In the order in which they were followed.
    package let hops: [Hop]
    /// When the final request was sent and the head of its response arrived (RFC 9111 §4.2.3).
    package let requestTime: Timestamp
    package let responseTime: Timestamp
    package let timing: Timing
}

/// A fetch that failed, and where.
package struct FailedDownload: Error, Sendable, Hashable {
    package let reason: DownloadFailure
    /// What was being asked for, after redirects; nil: nothing was.
    package let place: SourceURL?

    package init(_ reason: DownloadFailure, at place: SourceURL? = nil) {
        self.reason = reason
        self.place = place
    }
}

/// Every way in which a fetch fails.
package enum DownloadFailure: Error, Sendable, Hashable {
    /// What a deadline is for; see `OriginConfiguration`.
    package enum Stage: String, Sendable, Hashable, CaseIterable { case connect, firstByte, idle, total }

    /// What was wrong with a response.
    package enum Defect: Sendable, Hashable {
        /// Not HTTP.
        case malformed
        /// The connection ended before the response did, or before it began.
        case cutShort
        /// The head is larger than `headLimit` or has more lines than `fieldLimit`.
        case headTooLarge
        /// A redirect with a `Location` that cannot be read.
        case badRedirect
        /// A 304 to a request without conditions.
        case notModifiedUnasked
        /// Compressed, though nothing but `identity` was asked for: in a way that is not taken, damaged, or beyond all
        /// proportion.
        case contentCoding
        /// A transfer coding other than `chunked`, which is all that was asked for (RFC 9112 §7.4).
        case transferCoding
        /// Any other error of libcurl, by its number.
        case other(UInt32)
    }

    /// Nothing was sent: the policy forbids the URL, or every address behind its name.
    case refused(by: Refusal)
    /// The same for the target of a redirect.
    case redirectRefused(by: Refusal)
    case nameNotResolved
    case cannotConnect
    case tls
    case timedOut(Stage)
    /// Announced or arrived; the limit in bytes.
    case tooLarge(limit: Int)
    /// More than `limit`, or in a circle.
    case tooManyRedirects(limit: Int)
    case brokenReply(Defect)
    /// The body could not be kept here, or this machine had nothing left to fetch it with.
    case fileWrite(SystemError)
    /// The network thread stands still.
    case stalled
    /// `transferLimit` is reached, and nothing was sent; or it was too slow for a slot that others waited for.
    case overloaded
    /// By the caller's task or by `shutdown()`.
    case cancelled
}
