// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A recipe applied to a picture of known size: resize it to `resized`, then cut out or fill `canvas`. If the
/// recipe turns first, the resized picture is turned in between.
package struct Geometry: Sendable, Hashable {
    /// How the resized picture becomes the canvas.
    package enum Placement: Sendable, Hashable {
        /// `canvas` is all of `resized`, whether turned first or not.
        case whole
        /// Cut `canvas` out of `resized` at this point, in pixels from its top left corner.
        case crop(x: Int, y: Int)
        /// Cut `canvas` out of `resized` at the place with the highest entropy.
        case cropByEntropy
        case cropByAttention
        /// Put `resized` on `canvas` at this point, in pixels from its top left corner.
        case embed(x: Int, y: Int)
    }

    /// The size in pixels after the resize, before a turn.
    package var resized: PixelSize
    /// The size of the result of this step in pixels.
    package var canvas: PixelSize
    /// How `resized` becomes `canvas`.
    package var placement: Placement
    /// The recipe's focal point in the resized picture.
    package var focalPoint = FocalPoint()
    /// The canvas with the recipe's padding around it, in pixels, before a crop or a turn changes it.
    package var padded: PixelSize

    /// Stores a plan as it is; `plan(upright:recipe:)` computes one.
    package init(resized: PixelSize, canvas: PixelSize, placement: Placement) {
        self.resized = resized
        (self.canvas, padded) = (canvas, canvas)
        self.placement = placement
    }

    /// True if bars surround the picture.
    package var isEmbedded: Bool { if case .embed = placement { true } else { false } }

    /// The longest side that `format` can hold in pixels, if this plan exceeds it; nil if the format can hold
    /// the picture.
    package func limitExceeded(writing format: ImageFormat) -> Int? {
        let sides = [resized.width, resized.height, padded.width, padded.height]
        return sides.contains { $0 > format.longestSide } ? format.longestSide : nil
    }
}
