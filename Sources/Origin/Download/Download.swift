// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import HTTPSemantics
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
