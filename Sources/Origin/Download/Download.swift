// SPDX-License-Identifier: Apache-2.0

package import Bytes
internal import Hashing
package import HTTPCaching
package import HTTPSemantics
package import Kernel
package import SourceURLs
package import Traces

/// One GET for an original.
///
/// The conditions go to the one URL whose validators they are: `url` itself, or the redirect's target that gave the original.
/// A 304 of another URL (an older file behind a moved "latest.jpg", an entity tag that is just "1") would keep the
/// wrong picture alive. It also follows that no other host sees them.
package struct Download: Sendable {
    /// How far a download goes.
    enum Purpose: Sendable {
        case picture
        /// Name, TCP and TLS, by way of the proxy where there is one; no request.
        case connection
        /// Name, TCP and TLS of a proxy itself, whose URL it is; no request.
        case proxyConnection
    }

    /// The original's URL, which may redirect.
    package var url: SourceURL
    var purpose = Purpose.picture
    /// Field values of `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1), spelled as the origin
    /// spelled them.
    package var ifNoneMatch: String?
    /// As `ifNoneMatch`, for the date of the last change.
    package var ifModifiedSince: String?
    /// The code of the redirect's target that the conditions are for (`code(of:)`); nil for `url`.
    package var conditionTarget: String?
    /// The fields of each of its requests, without these; nil for those of the configuration.
    package var fields: Fields?
    /// Fields of a client, for the profile that counts for `url`. All are part of the key, so a profile that does not pass all of
    /// them ends the fetch as `.overloaded`.
    package var clientFields = ClientFields.none
    /// For the hosts that are told (W3C Trace Context); nil if the fetch is in no trace.
    package var trace: TracePlace?

    /// Without conditions, the request is unconditional.
    package init(url: SourceURL, ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
        self.url = url
        self.ifNoneMatch = ifNoneMatch
        self.ifModifiedSince = ifModifiedSince
    }

    /// SHA-256 in hexadecimal.
    package static func code(of target: SourceURL) -> String {
        SHA256.digest(of: target.absolute.utf8).hex
    }

    /// The key of the original.
    var key: OriginalKey { url.key(variant: clientFields.variant) }

    /// The fields that make it conditional; none for an unconditional one.
    var conditions: [Fields.Field] {
        [("If-None-Match", ifNoneMatch), ("If-Modified-Since", ifModifiedSince)].compactMap { name, value in
            value.map { Fields.Field(name, $0) }
        }
    }
}

/// The final answer, of any status: a complete picture, the 304 to a conditional request, or a head that
/// tells why there is neither.
package struct DownloadReply: Sendable {
    /// A redirect that was followed.
    package struct Hop: Sendable, Hashable {
        /// 301, 302, 303, 307 or 308.
        package let status: Int
        /// The fields of the redirect's head.
        package let fields: Fields
        /// Of the profile for the URL that redirected; nil for none.
        package let rule: CacheControlRule?
    }

    /// A complete body, in a file.
    package struct Payload: Sendable {
        /// Holds the body from offset 0; made by the caller's `makeFile`.
        package let file: OwnedDescriptor
        /// Bytes.
        package let length: Int
        /// SHA-256 of those bytes.
        package let digest: Digest
        /// The content coding of the bytes; nil if they are the picture itself.
        package let coding: ContentCoding?
    }

    /// Durations in microseconds of the monotonic clock.
    package struct Timing: Sendable, Hashable {
        /// Until a request could be sent, summed over the hops; almost 0 on a kept connection.
        package var connect: Int = 0
        /// From the start of the fetch to the head of the final response.
        package var firstByte: Int = 0
        /// From the start of the fetch to its end.
        package var total: Int = 0
    }

    /// The status of the final response.
    package let status: Int
    /// The fields of the final response's head; lines that are no fields are left out.
    package let fields: Fields
    /// Nil unless the status is 200 or 203.
    package let payload: Payload?
    /// The URL that gave the final response.
    package let finalURL: SourceURL
    /// Its code (`Download.code(of:)`) where redirects led there; nil for the URL that was asked for.
    package var target: String? { hops.isEmpty ? nil : Download.code(of: finalURL) }
    /// The redirects followed, in order.
    package let hops: [Hop]
    /// When the final request was sent and the head of its response arrived (RFC 9111 §4.2.3).
    package let requestTime: Timestamp
    /// When the head of the final response arrived.
    package let responseTime: Timestamp
    /// Where the time went.
    package let timing: Timing
    /// Why there is no picture, for operators, where the status alone does not tell; empty otherwise.
    package var words = ""
    /// True if Pictor's own key was refused, by a store also its signature, its clock or the want of a key. That says nothing of
    /// the picture.
    package var isKeyRefused = false
    /// True if Pictor showed who it is, so that the picture is not for everybody.
    package var isPrivate = false
    /// The fields that were sent to the origin that answered; behind redirects, to all. Nil where no request was sent.
    package var sentFields: Fields?
    /// Of the profile for the URL that gave the final response; nil for none.
    package var rule: CacheControlRule?
}

/// A failed fetch: the reason, and the URL of the hop.
package struct FailedDownload: Error, Sendable, Hashable {
    /// The reason of the last try.
    package let reason: DownloadFailure
    /// The URL of the failed hop, after redirects; nil if no request was tried.
    package let place: SourceURL?
    /// The redirects that led there, in order.
    package let hops: [DownloadReply.Hop]
    /// libcurl's or the system's own, for operators: they may name inner addresses. Empty if it had none.
    package let words: String

    /// Nil as `place` if no request was tried.
    package init(
        _ reason: DownloadFailure, at place: SourceURL? = nil, hops: [DownloadReply.Hop] = [],
        words: String = ""
    ) {
        self.hops = hops
        self.reason = reason
        self.place = place
        self.words = words
    }
}

/// Reasons for which a fetch fails.
package enum DownloadFailure: Error, Sendable, Hashable {
    /// The deadline that passed; see `OriginConfiguration`.
    package enum Stage: String, Sendable, Hashable, CaseIterable { case connect, firstByte, idle, total }

    /// Defects of a response.
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
        /// Compressed, although the request asked for `identity`: in an unsupported coding, damaged, or far
        /// beyond a plausible ratio.
        case contentCoding
        /// A transfer coding other than `chunked`, which the request did not offer to accept (RFC 9112 §7.4).
        case transferCoding
        /// Any other error of libcurl, by its number.
        case other(UInt32)
    }

    /// Nothing was sent: the policy forbids the URL, or every address behind its name.
    case refused(by: SourceRefusal)
    /// As `refused`, for the target of a redirect.
    case redirectRefused(by: SourceRefusal)
    case nameNotResolved
    case cannotConnect
    case tls
    case timedOut(Stage)
    /// The announced or received length is over the limit, in bytes.
    case tooLarge(limit: Int)
    /// More redirects than `limit`, or a circle.
    case tooManyRedirects(limit: Int)
    case brokenReply(Defect)
    /// No file could take the body, or this machine ran out of descriptors or memory.
    case fileWrite(SystemError)
    /// The network thread is stalled.
    case stalled
    /// There is no room for the fetch. `transferLimit` was reached before anything was sent, or others kept all connections to
    /// the host for as long as `connectTimeout`, or the transfer was slow while others waited for its permit, or too many
    /// bodies are held (`HeldBytes`). Or a reload ended the passing of fields of clients that are in the key.
    case overloaded
    /// The caller's task was cancelled, or the downloader shut down.
    case cancelled

    /// The failure of a fetch that gets no file, or no more room in it.
    package static func withoutFile(_ error: SystemError) -> DownloadFailure {
        error == .heldBytesSpent ? .overloaded : .fileWrite(error)
    }
}
