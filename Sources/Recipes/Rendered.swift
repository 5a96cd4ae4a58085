// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A decoder's result; its bytes are in the output file.
package struct Rendered: Sendable, Hashable {
    /// The format of the bytes.
    package var format: ImageFormat
    /// Pixels.
    package var width: Int
    /// Pixels of one page.
    package var height: Int
    /// Frames or pages; 1 for a still.
    package var pages: Int
    /// Bytes written to the output.
    package var length: Int
    /// Microseconds for decoding, resizing and effects.
    package var decoding: Int
    /// Microseconds for encoding.
    package var encoding: Int
    /// The quality found by the search for a likeness; nil without a search.
    package var quality: Int?
    /// Encodings that the search tried; 0 without a search.
    package var tries: Int
    /// A JPEG was decoded and resized without libvips.
    package var isPlanar = false

    /// Units as in the properties.
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
