// SPDX-License-Identifier: Apache-2.0

package import Kernel
package import SourceURLs

/// A failed fetch: the reason, and the URL of the hop that failed.
package struct FailedDownload: Error, Sendable, Hashable {
    /// The reason of the last attempt.
    package let reason: DownloadFailure
    /// The URL of the failed hop, after redirects; nil if no request was tried.
    package let place: SourceURL?
    /// The redirects that led there, in order.
    package let hops: [DownloadReply.Hop]
    /// The words of libcurl or the system, for operators only, because they may name internal addresses. Empty if there were
    /// none.
    package let words: String
    /// True if no connection was made, and other URLs of that origin may well be reached: in another way
    /// (`OriginConfiguration.hasOtherWays`), or because TLS ended only once the request could be sent.
    package let dependsOnURL: Bool

    /// `place` is nil if no request was tried.
    package init(
        _ reason: DownloadFailure, at place: SourceURL? = nil, hops: [DownloadReply.Hop] = [],
        words: String = "", dependsOnURL: Bool = false
    ) {
        self.hops = hops
        self.reason = reason
        self.place = place
        self.words = words
        self.dependsOnURL = dependsOnURL
    }
}

/// Reasons for which a fetch fails.
package enum DownloadFailure: Error, Sendable, Hashable {
    /// The deadline that passed; see `OriginConfiguration`.
    package enum Stage: String, Sendable, Hashable, CaseIterable { case connect, firstByte, idle, total }

    package enum Defect: Sendable, Hashable {
        /// Not HTTP.
        case malformed
        /// HTTP, but with a status line whose form is not HTTP's.
        case statusLine
        /// The connection ended before the response did, or before it began.
        case cutShort
        /// The head is larger than `headLimit` or has more lines than `fieldLimit`.
        case headTooLarge
        /// A redirect with a `Location` that cannot be read.
        case badRedirect
        /// A 304 to a request without conditions.
        case notModifiedUnasked
        /// Compressed, although the request asked for `identity`: in an unsupported coding, damaged, or far
        /// beyond a plausible ratio.
        case contentCoding
        /// A transfer coding other than `chunked`, which the request did not offer to accept (RFC 9112 §7.4).
        case transferCoding
        /// Any other error of libcurl, by its number.
        case other(UInt32)
    }

    /// Nothing was sent: the policy refuses the URL, or every address of its name.
    case refused(by: SourceRefusal)
    /// As `refused`, for the target of a redirect.
    case redirectRefused(by: SourceRefusal)
    case nameNotResolved
    case cannotConnect
    case tls
    case timedOut(Stage)
    /// The announced or received length is over the limit, in bytes.
    case tooLarge(limit: Int)
    /// More redirects than `limit`, or a loop.
    case tooManyRedirects(limit: Int)
    case brokenReply(Defect)
    /// No file could be made for the body, or this machine ran out of descriptors or memory.
    case fileWrite(SystemError)
    /// The network thread is stalled.
    case stalled
    /// There is no room for the fetch: `transferLimit` was reached before anything was sent, or others used all connections to
    /// the host for as long as `connectTimeout`, or the transfer was slow while others waited for its permit, or too many bodies
    /// are held (`HeldBytes`). Or, after a reload, client fields that are in the key are not passed on any more.
    case overloaded
    /// The caller's task was cancelled, or the downloader shut down.
    case cancelled

    /// The failure of a fetch whose body gets no file, or no more room in its file.
    package static func withoutFile(_ error: SystemError) -> DownloadFailure {
        error == .heldBytesSpent ? .overloaded : .fileWrite(error)
    }
}
