// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs

extension SourceURL {
    /// The URL as a value of `url`, without characters that have a meaning in a query, a list of URLs or HTML.
    package var escapedForQuery: String { QueryText.escape(name: absolute) }
}

/// Text as a value in a query.
package enum QueryText {
    /// Escapes everything except the unreserved characters of RFC 3986 §2.3, which RFC 8187 does not escape either.
    package static func escape(name text: String) -> String { PercentEscape.encode(text) }

    /// Escapes characters that would end the value or be decoded, and those that a URL must not contain.
    static func escape(_ text: String) -> String {
        PercentEscape.encode(text) { (0x21...0x7E).contains($0) && !"%&#\"<>".utf8.contains($0) }
    }
}
