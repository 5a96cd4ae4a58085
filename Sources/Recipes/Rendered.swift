// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// What a decoder made; its bytes are in the file it was given.
package struct Rendered: Sendable, Hashable {
    package var format: ImageFormat
    package var width: Int
    /// Of one page.
    package var height: Int
    package var pages: Int
    /// Bytes written to the output.
    package var length: Int
    /// Microseconds spent in making pixels: loading, resizing, colours.
    package var decoding: Int
    /// Microseconds.
    package var encoding: Int
    /// The quality that a search ended at; nil where none was made.
    package var quality: Int?
    /// Encodings tried by that search.
    package var tries: Int
    /// A JPEG was decoded and resized without libvips.
    package var isPlanar = false

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
