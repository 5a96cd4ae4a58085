// SPDX-License-Identifier: Apache-2.0

package import Bytes
package import HTTPCaching
package import HTTPSemantics
package import Kernel
package import SourceURLs

/// The final answer, of any status: a complete picture, the 304 to a conditional request, or a head that says why there is
/// neither.
package struct DownloadReply: Sendable {
    /// A redirect that was followed.
    package struct Hop: Sendable, Hashable {
        /// 301, 302, 303, 307 or 308.
        package let status: Int
        /// The fields of the redirect's head.
        package let fields: Fields
        /// The rule of the profile for the URL that redirected; nil for none.
        package let rule: CacheControlRule?
    }

    /// A complete body, in a file.
    package struct Payload: Sendable {
        /// The file with the body from offset 0 on; made by the caller's `makeFile`.
        package let file: OwnedDescriptor
        /// The body's length in bytes.
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
    /// The fields of the final response's head; lines that are not fields are left out.
    package let fields: Fields
    /// Nil unless the status is 200 or 203.
    package let payload: Payload?
    /// The URL that gave the final response.
    package let finalURL: SourceURL
    /// The code of `finalURL` (`Download.code(of:)`) if redirects led there; nil if it is the URL of the request.
    package var target: String? { hops.isEmpty ? nil : Download.code(of: finalURL) }
    /// The redirects followed, in order.
    package let hops: [Hop]
    /// When the final request was sent and the head of its response arrived (RFC 9111 §4.2.3).
    package let requestTime: Timestamp
    /// When the head of the final response arrived.
    package let responseTime: Timestamp
    /// How long the parts of the fetch took.
    package let timing: Timing
    /// Why there is no picture, for operators, if the status alone does not say so; empty otherwise.
    package var words = ""
    /// True if the server refused Pictor's own credentials (a store may also refuse the signature, the clock or the lack of a
    /// key). This says nothing about the picture.
    package var isKeyRefused = false
    /// True if Pictor authenticated itself, so that the picture is not for everybody.
    package var isPrivate = false
    /// The fields that were sent to the origin that answered; after redirects, those that any origin gets. Nil if no request was
    /// sent.
    package var sentFields: Fields?
    /// The rule of the profile for the URL that gave the final response; nil for none.
    package var rule: CacheControlRule?
}
