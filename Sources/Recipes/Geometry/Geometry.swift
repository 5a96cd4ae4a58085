// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// What a recipe means for a picture of a known size: resize to `resized`, then take or place `canvas`. Of a recipe that
/// turns first, that is done with the turned picture.
package struct Geometry: Sendable, Hashable {
    package enum Placement: Sendable, Hashable {
        /// `resized` is the result; `canvas` equals it, turned first or not.
        case whole
        /// Take `canvas` out of `resized` at this point, from its top left corner.
        case crop(x: Int, y: Int)
        /// Take `canvas` out of `resized` where it is most interesting.
        case cropByEntropy
        case cropByAttention
        /// Put `resized` on `canvas` at this point.
        case embed(x: Int, y: Int)
    }

    package var resized: PixelSize
    package var canvas: PixelSize
    package var placement: Placement

    package init(resized: PixelSize, canvas: PixelSize, placement: Placement) {
        self.resized = resized
        self.canvas = canvas
        self.placement = placement
    }

    package var isEmbedded: Bool { if case .embed = placement { true } else { false } }

    /// The limit in pixels a side that this plan exceeds when written as `format`; nil if it can be written.
    package func limitExceeded(writing format: ImageFormat) -> Int? {
        let sides = [resized.width, resized.height, canvas.width, canvas.height]
        return sides.contains { $0 > format.longestSide } ? format.longestSide : nil
    }
}
