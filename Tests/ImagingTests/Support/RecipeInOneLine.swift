// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes

extension Recipe {
    /// Makes a recipe in one line.
    static func make(
        _ output: ImageFormat, w: Int? = nil, h: Int? = nil, _ fit: Fit = .inside,
        _ alignment: Alignment = .center, enlarging: Bool = false, n: Int = 1, q: Int? = nil
    ) -> Recipe {
        var recipe = Recipe()
        recipe.output = .format(output)
        recipe.width = w.map(Length.pixels)
        recipe.height = h.map(Length.pixels)
        recipe.fit = fit
        recipe.alignment = alignment
        recipe.withoutEnlargement = !enlarging
        recipe.pages = n
        recipe.quality = q.map(Quality.number)
        return recipe
    }
}
