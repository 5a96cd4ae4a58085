// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders
package import Recipes

/// A rendition without its bytes.
package struct Rendition: Sendable, Hashable {
    /// The cache key.
    package var key: RenditionKey
    /// The format of the bytes.
    package var format: ImageFormat
    /// Pixels of a frame or page.
    package var width: Int
    /// Pixels of a frame or page.
    package var height: Int
    /// Frames or pages; 1 for a still.
    package var pages: Int
    /// Bytes.
    package var length: Int

    /// `width` and `height` in pixels, `length` in bytes.
    package init(key: RenditionKey, format: ImageFormat, width: Int, height: Int, pages: Int, length: Int) {
        self.key = key
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.length = length
    }
}
