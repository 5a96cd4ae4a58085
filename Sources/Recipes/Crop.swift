// SPDX-License-Identifier: Apache-2.0

/// A rectangle to keep, clipped to the picture: an offset beyond a side counts as 0, and a length ends at the
/// picture's edge.
package struct Crop: Sendable, Hashable {
    /// Offset of the left edge, in pixels or in percent of the picture that is cropped; nil = 0. Below 0 it leads from the
    /// middle to the left, and counts as 0 from a side.
    package var x: Recipe.Length?
    /// Offset of the top edge; nil = 0.
    package var y: Recipe.Length?
    /// Nil = everything right of `x`. Pixels below 0 = everything but so many at the right edge.
    package var width: Recipe.Length?
    /// Nil = everything below `y`. Pixels below 0 = everything but so many at the bottom.
    package var height: Recipe.Length?
    /// Where the rectangle lies before `x` and `y` move it. Along an axis whose length is all that remains, at the top left
    /// corner.
    package var anchor = Anchor.side(.topLeft)
    /// True to crop the upright original before the resize, false to crop the resized picture.
    package var beforeResize = false

    /// Where a rectangle lies.
    package enum Anchor: Sendable, Hashable {
        /// At a side or a corner, from which the offsets count inwards, or in the middle, from where they count to the right
        /// and down; one of `Crop.sides`.
        case side(Recipe.Alignment)
        /// With its middle at this point, as far as the picture reaches.
        case point(FocalPoint)
        /// Where the picture draws the eye; without offsets.
        case attention
    }

    /// Keeps the whole picture.
    package init() {}

    /// The alignments with a fixed place, whatever the picture shows.
    package static let sides = Recipe.Alignment.allCases.filter { $0.sides != nil }

    /// Lengths that may be asked for, in pixels, and offsets in either direction: more than any format here can hold.
    package static let pixelRange = 0...65_535
    /// Offsets and lengths that may be asked for, in percent.
    package static let percentRange = 0.0...100.0
}
