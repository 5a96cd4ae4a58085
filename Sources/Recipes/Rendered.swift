// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A decoder's result; its bytes are in the output file.
package struct Rendered: Sendable, Hashable {
    /// The format of the bytes.
    package var format: ImageFormat
    /// The width in pixels.
    package var width: Int
    /// The height of one page in pixels.
    package var height: Int
    /// The number of frames or pages; 1 for a still picture.
    package var pages: Int
    /// Bytes written to the output.
    package var length: Int
    /// Microseconds for decoding, resizing and effects.
    package var decoding: Int
    /// Microseconds for encoding.
    package var encoding: Int
    /// The quality that the search for a likeness found; nil without a search.
    package var quality: Int?
    /// The number of encodings that the search tried; 0 without a search.
    package var tries: Int
    /// True if a JPEG was decoded and resized without libvips.
    package var isPlanar = false

    /// Units are as in the properties.
    package init(
        format: ImageFormat, width: Int, height: Int, pages: Int, length: Int, decoding: Int, encoding: Int,
        quality: Int? = nil, tries: Int = 0
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.length = length
        self.decoding = decoding
        self.encoding = encoding
        self.quality = quality
        self.tries = tries
    }
}
