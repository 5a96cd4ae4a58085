// SPDX-License-Identifier: Apache-2.0

/// A rectangle to keep, clipped to the picture: an offset beyond the picture counts as 0, and a length ends
/// at the picture's edge.
package struct Crop: Sendable, Hashable {
    /// The offset of the left edge, in pixels or percent of the picture that is cropped; nil = 0. A negative offset leads
    /// to the left from the middle, and counts as 0 from a side.
    package var x: Recipe.Length?
    /// The offset of the top edge, as `x`; nil = 0.
    package var y: Recipe.Length?
    /// The width; nil = everything right of `x`. Negative pixels = everything but that many pixels at the
    /// right edge.
    package var width: Recipe.Length?
    /// The height; nil = everything below `y`. Negative pixels = everything but that many pixels at the
    /// bottom.
    package var height: Recipe.Length?
    /// The rectangle's place before `x` and `y` move it. Along an axis without a length, it is the left or the top side.
    package var anchor = Anchor.side(.topLeft)
    /// True to crop the upright original before the resize, false to crop the resized picture.
    package var beforeResize = false

    /// The place of a rectangle.
    package enum Anchor: Sendable, Hashable {
        /// At a side or a corner, from which the offsets count inwards, or in the middle, from which they count to the right
        /// and down; one of `Crop.sides`.
        case side(Recipe.Alignment)
        /// Centred on this point, as far as the picture reaches.
        case point(FocalPoint)
        /// At the part that draws the eye; without offsets.
        case attention
    }

    /// Keeps the whole picture.
    package init() {}

    /// The alignments whose place does not depend on the picture.
    package static let sides = Recipe.Alignment.allCases.filter { $0.sides != nil }

    /// The allowed lengths in pixels, and offsets in either direction: more than any format here can hold.
    package static let pixelRange = 0...65_535
    /// The allowed offsets and lengths in percent.
    package static let percentRange = 0.0...100.0
}
