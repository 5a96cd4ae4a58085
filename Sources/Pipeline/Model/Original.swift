// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// An original without its bytes, small enough to hold every one in memory. Its validators are looked up when
/// they are needed.
package struct Original: Sendable, Hashable {
    /// The normalised URL and the variant.
    package var key: OriginalKey
    /// The digest of its bytes.
    package var digest: OriginalDigest
    /// Bytes.
    package var length: Int
    /// The header of its bytes.
    package var header: ImageHeader
    /// `Last-Modified`; nil if the origin gave no readable one.
    package var lastModified: Timestamp?
    /// How long the original may be served, and how.
    package var freshness: Freshness

    /// `length` in bytes.
    package init(
        key: OriginalKey, digest: OriginalDigest, length: Int, header: ImageHeader, lastModified: Timestamp?,
        freshness: Freshness
    ) {
        self.key = key
        self.digest = digest
        self.length = length
        self.header = header
        self.lastModified = lastModified
        self.freshness = freshness
    }

    /// True if this is another original than `known`, or the same one as confirmed by another answer of the origin.
    package func isNewer(than known: Original?) -> Bool {
        digest != known?.digest || freshness.responseTime != known?.freshness.responseTime
    }
}
