// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import ImageHeaders
package import Recipes
package import SourceURLs

/// A class of work; an in-flight request has the highest of its waiters'.
package enum Priority: Int, Sendable, Hashable, Comparable, CaseIterable {
    case refresh = 0
    case prefetch, interactive

    package static func < (a: Priority, b: Priority) -> Bool { a.rawValue < b.rawValue }
}

/// An original without its bytes: small enough to be held in memory for every one. Its validators are looked up where they
/// are needed.
package struct Original: Sendable, Hashable {
    package var key: OriginalKey
    package var digest: OriginalDigest
    /// Bytes.
    package var length: Int
    package var header: ImageHeader
    /// `Last-Modified`, where the origin gave one that could be read.
    package var lastModified: Timestamp?
    package var freshness: Freshness

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
    package var key: RenditionKey
    package var format: ImageFormat
    package var width: Int
    package var height: Int
    package var pages: Int
    /// Bytes.
    package var length: Int

    package init(key: RenditionKey, format: ImageFormat, width: Int, height: Int, pages: Int, length: Int) {
        self.key = key
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.length = length
    }
}
