// SPDX-License-Identifier: Apache-2.0

/// The part of the resized picture that is made.
package struct PlaneWindow: Sendable, Hashable {
    /// Pixels from the picture's left edge to the window.
    package let x: Int
    /// Pixels from the picture's top edge to the window.
    package let y: Int
    package let width: Int
    package let height: Int
    /// Whether the picture will be shown from right to left. Pixels that share a sample of chroma are then counted
    /// from the right.
    package let isReversed: Bool
    /// Whether the picture will be shown from the bottom up.
    package let isUpsideDown: Bool

    package init(
        x: Int = 0, y: Int = 0, width: Int, height: Int, isReversed: Bool = false, isUpsideDown: Bool = false
    ) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
        (self.isReversed, self.isUpsideDown) = (isReversed, isUpsideDown)
    }

    /// Whether the window lies within a picture of this size.
    func fits(width: Int, height: Int) -> Bool {
        x >= 0 && y >= 0 && self.width > 0 && self.height > 0 && self.width <= width - x
            && self.height <= height - y
    }
}
