// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs

extension SourceURL {
    /// As the value of `url`, with nothing in it that a query, a list of URLs or HTML gives a meaning to.
    package var escapedForQuery: String { QueryText.escape(name: absolute) }
}

/// Text as a value in a query.
package enum QueryText {
    /// Escapes all but the unreserved characters of RFC 3986 §2.3, which RFC 8187 leaves alone too.
    package static func escape(name text: String) -> String { PercentEscape.encode(text) }

    /// Escapes what would end the value or be decoded, and what a URL may not hold.
    static func escape(_ text: String) -> String {
        PercentEscape.encode(text) { (0x21...0x7E).contains($0) && !"%&#\"<>".utf8.contains($0) }
    }
}
