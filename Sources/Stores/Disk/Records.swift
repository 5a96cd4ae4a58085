// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import ImageModel

/// What the far shelf knows of an original without touching the disk.
///
/// The response fields that a cache must keep are not in it: they are of any length, asked for only before a
/// request to the origin, and read from the index then (`DiskStore.cachingFields(of:)`).
package struct StoredOriginal: Sendable, Hashable {
    package var key: OriginalKey
    package var digest: OriginalDigest
    /// Bytes.
    package var length: Int
    package var header: ImageHeader
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

/// What the far shelf knows of a rendition without touching the disk.
package struct StoredRendition: Sendable, Hashable {
    package var key: RenditionKey
    package var format: ImageFormat
    /// Pixels, of one page.
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
