// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Hashing
package import HTTPSemantics
package import SourceURLs
package import Traces

/// One GET for an original.
///
/// The conditions are sent only to the URL that gave the validators: `url` itself, or the target of a redirect. A 304 from
/// another URL (an older file behind a moved "latest.jpg", an entity tag that is just "1") would keep the wrong picture alive. So
/// no other host sees the conditions either.
package struct Download: Sendable {
    /// What a download is for, and how far it goes.
    enum Purpose: Sendable {
        case picture
        /// Resolves the name and connects with TCP and TLS, through the proxy if there is one; sends no request.
        case connection
        /// Connects to the proxy itself, whose URL this is; sends no request.
        case proxyConnection
    }

    /// The original's URL, which may redirect.
    package var url: SourceURL
    var purpose = Purpose.picture
    /// Field values of `If-None-Match` and `If-Modified-Since` (RFC 9110 §13.1), in the origin's own spelling.
    package var ifNoneMatch: String?
    /// As `ifNoneMatch`, for the date of the last modification.
    package var ifModifiedSince: String?
    /// The code of the redirect's target to which the conditions belong (`code(of:)`); nil for `url`.
    package var conditionTarget: String?
    /// The fields of each request, without conditions; nil for the configuration's.
    package var fields: Fields?
    /// Fields of a client, which the profile for `url` may pass on. All of them are in the key, so if the profile does not pass
    /// every one, the fetch ends as `.overloaded`.
    package var clientFields = ClientFields.none
    /// The trace, for hosts to which it is passed on (W3C Trace Context); nil if the fetch is not traced.
    package var trace: TracePlace?

    /// Without conditions, the request is unconditional.
    package init(url: SourceURL, ifNoneMatch: String? = nil, ifModifiedSince: String? = nil) {
        self.url = url
        self.ifNoneMatch = ifNoneMatch
        self.ifModifiedSince = ifModifiedSince
    }

    /// The SHA-256 of the target's URL in hexadecimal.
    package static func code(of target: SourceURL) -> String {
        SHA256.digest(of: target.absolute.utf8).hex
    }

    /// The key of the original.
    var key: OriginalKey { url.key(variant: clientFields.variant) }

    /// The fields that make the request conditional; empty if it is not.
    var conditions: [Fields.Field] {
        [("If-None-Match", ifNoneMatch), ("If-Modified-Since", ifModifiedSince)].compactMap { name, value in
            value.map { Fields.Field(name, $0) }
        }
    }
}
