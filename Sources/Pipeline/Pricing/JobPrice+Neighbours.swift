// SPDX-License-Identifier: Apache-2.0
//
// A step that looks at neighbouring pixels, or converts through CIE Lab, holds its result for one tile and the pixels around the
// tile, in floats. A blur before it must deliver all of these pixels, and itself needs a wider margin. Measured with a picture of
// 2,400 × 1,600 as JPEG, in MiB beyond its price without this: `sharp` or `sat` 6, both 12; both after a blur of 24, 75 and 128: 32,
// 68 and 121. A wider blur is made in a smaller picture of one tile, and adds nothing.

internal import Recipes

extension JobPrice {
    /// Bytes of the tiles that such steps hold.
    /// - Parameter side: the longer side of the result.
    static func neighbours(_ recipe: Recipe, side: Int) -> Int {
        let steps =
            (recipe.sharpen?.sigma == nil ? 0 : 1)
            + (recipe.modulation == .none && recipe.tint == nil ? 0 : 1)
        guard case .gaussian(let sigma) = recipe.blur else { return steps * (8 << 20) }
        // Cannot trap: a sigma is 1,000 at the most.
        return steps * (8 << 20 + Int(min(sigma, Double(side) / 16) * 480_000))
    }
}
