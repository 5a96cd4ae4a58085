// SPDX-License-Identifier: Apache-2.0

/// Width and height, in whole pixels.
package struct PixelSize: Sendable, Hashable {
    /// The width in pixels.
    package var width: Int
    /// The height in pixels.
    package var height: Int

    /// Width and height in pixels.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension PixelSize {
    /// Pixels, clamped to `Int.max`.
    package var area: Int { Int(saturatingProduct: width, height) }

    /// The largest size with this ratio of width to height and at most this many pixels; each side is at least 1.
    package init(pixels: Int, ratio: Double) {
        func side(_ square: Double) -> Int {
            // Cannot trap: the value is at most the longest side.
            Int(min(max(square.squareRoot().rounded(.down), 1), Double(ImageHeader.longestSide)))
        }
        self.init(width: side(Double(pixels) * ratio), height: side(Double(pixels) / ratio))
    }

    /// The size after a quarter turn.
    package var lyingDown: PixelSize { PixelSize(width: height, height: width) }

    /// The size after a turn by an EXIF orientation, or before it: 5…8 exchange the sides.
    package func turned(by orientation: Int) -> PixelSize { orientation >= 5 ? lyingDown : self }
}
