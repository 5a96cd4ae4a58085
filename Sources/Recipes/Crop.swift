// SPDX-License-Identifier: Apache-2.0

/// A rectangle to keep. What lies outside the picture is not there: an offset beyond a side counts as 0, and a
/// length ends at the picture's edge.
package struct Crop: Sendable, Hashable {
    /// Of the left edge; nil = 0. Percent are of the picture that is cropped.
    package var x: Recipe.Length?
    package var y: Recipe.Length?
    /// Nil = all that is right of `x`.
    package var width: Recipe.Length?
    package var height: Recipe.Length?
    /// Cut out of the upright original, before it is resized, and not of the resized picture.
    package var beforeResize = false

    package init() {}

    /// Pixels a side that may be asked for: more than any format here can hold.
    package static let pixelRange = 0...65_535
    package static let percentRange = 0.0...100.0
}
