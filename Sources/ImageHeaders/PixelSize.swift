// SPDX-License-Identifier: Apache-2.0

/// Width and height, in whole pixels.
package struct PixelSize: Sendable, Hashable {
    /// Pixels.
    package var width: Int
    /// Pixels.
    package var height: Int

    /// Both in pixels.
    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension PixelSize {
    /// Pixels, clamped to `Int.max`.
    package var area: Int { Int(saturatingProduct: width, height) }

    /// The size after a quarter turn.
    package var lyingDown: PixelSize { PixelSize(width: height, height: width) }
}
