// SPDX-License-Identifier: Apache-2.0

/// A rectangle to keep, clipped to the picture: an offset beyond a side counts as 0, and a length ends at the
/// picture's edge.
package struct Crop: Sendable, Hashable {
    /// Offset of the left edge, in pixels or in percent of the picture that is cropped; nil = 0.
    package var x: Recipe.Length?
    /// Offset of the top edge; nil = 0.
    package var y: Recipe.Length?
    /// Nil = everything right of `x`. Pixels below 0 = everything but so many at the right edge.
    package var width: Recipe.Length?
    /// Nil = everything below `y`. Pixels below 0 = everything but so many at the bottom.
    package var height: Recipe.Length?
    /// The side or corner from which `x` and `y` count, inwards, or the middle, from where they count to the right and down.
    /// Along an axis whose length is all that remains, it is the top left corner.
    package var anchor: Recipe.Alignment = .topLeft
    /// True to crop the upright original before the resize, false to crop the resized picture.
    package var beforeResize = false

    /// Keeps the whole picture.
    package init() {}

    /// Those that have a place of their own, whatever the picture shows.
    package static let anchors = Recipe.Alignment.allCases.filter { $0.sides != nil }

    /// Offsets and lengths that may be asked for, in pixels: more than any format here can hold.
    package static let pixelRange = 0...65_535
    /// Offsets and lengths that may be asked for, in percent.
    package static let percentRange = 0.0...100.0
}
