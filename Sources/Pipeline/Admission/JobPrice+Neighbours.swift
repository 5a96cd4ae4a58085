// SPDX-License-Identifier: Apache-2.0
//
// A step that looks at neighbours, or that goes by way of CIE Lab, holds what it makes of one tile and of the pixels around it, in
// floats. A blur in front of it has to give it as much, and looks farther itself. Measured with a picture of 2,400 × 1,600 as JPEG,
// in MiB beyond its price without this: with `sharp` or `sat` 6, with both 12, and with a blur of 24, 75 and 128 in front of both 32,
// 68 and 121. A wider one is made in a smaller picture of one tile, and adds nothing.

internal import Recipes

extension JobPrice {
    /// Bytes of the tiles that steps with neighbours hold.
    /// - Parameter side: the longer one of the result.
    static func neighbours(_ recipe: Recipe, side: Int) -> Int {
        let steps =
            (recipe.sharpen?.sigma == nil ? 0 : 1)
            + (recipe.modulation == .none && recipe.tint == nil ? 0 : 1)
        guard case .gaussian(let sigma) = recipe.blur else { return steps * (8 << 20) }
        // Cannot trap: a sigma is 1,000 at the most.
        return steps * (8 << 20 + Int(min(sigma, Double(side) / 16) * 480_000))
    }
}
