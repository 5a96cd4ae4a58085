// SPDX-License-Identifier: Apache-2.0

/// In whole pixels.
package struct PixelSize: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }
}

extension PixelSize {
    /// `Int.max` where it is more.
    package var area: Int { Int(saturatingProduct: width, height) }

    /// After a quarter turn.
    package var lyingDown: PixelSize { PixelSize(width: height, height: width) }
}
