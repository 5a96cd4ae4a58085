// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// A class of work; an in-flight request has the highest class of its waiters.
package enum Priority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case refresh = 0
    case prefetch, interactive

    package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}

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
    /// How long it may be served, and how.
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
}

/// A rendition without its bytes.
package struct Rendition: Sendable, Hashable {
    /// The cache key.
    package var key: RenditionKey
    /// The format of the bytes.
    package var format: ImageFormat
    /// Pixels.
    package var width: Int
    /// Pixels of one page.
    package var height: Int
    /// Frames or pages; 1 for a still.
    package var pages: Int
    /// Bytes.
    package var length: Int

    /// Sides in pixels, `length` in bytes.
    package init(key: RenditionKey, format: ImageFormat, width: Int, height: Int, pages: Int, length: Int) {
        self.key = key
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.length = length
    }
}
