// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The same picture at another width, in the best format: all lengths in pixels of the result are scaled
    /// along. Blurs stay as they are.
    package func shown(at width: Int, of header: ImageHeader) -> Recipe {
        var recipe = folded
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        let usual =
            if case .pixels(let pixels) = recipe.width { pixels } else { max(1, plan.resized.width) }
        // The margins are of that width too.
        // Cannot trap: a side and two margins.
        let factor = Double(width) / Double(usual + recipe.margins)
        recipe.scaleEdges(by: factor)
        recipe.scaleLeast(by: factor)
        // Cannot trap: as above.
        recipe.width = .pixels(max(1, width - recipe.margins))
        recipe.height = recipe.height?.scaled(by: factor)
        if let crop = recipe.crop, !crop.beforeResize {
            recipe.crop?.x = crop.x?.scaled(by: factor, from: 0)
            recipe.crop?.y = crop.y?.scaled(by: factor, from: 0)
            recipe.crop?.width = crop.width?.scaled(by: factor)
            recipe.crop?.height = crop.height?.scaled(by: factor)
        }
        recipe.output = .auto
        recipe.jsonExtras = []
        return recipe.folded
    }
}

extension Recipe {
    /// Pixels of the padding beside the picture.
    // Cannot trap: twice the longest margin.
    fileprivate var margins: Int { padding.map { $0.sides.second + $0.sides.fourth } ?? 0 }
}

extension Recipe.Length {
    /// Scales pixels; a percentage stays.
    fileprivate func scaled(by factor: Double, from least: Int = 1) -> Recipe.Length {
        guard case .pixels(let pixels) = self, factor.isFinite else { return self }
        if pixels < 0, case .pixels(let margin) = Self.pixels(-pixels).scaled(by: factor) {
            return .pixels(-margin)
        }
        let most = Self.pixelRange.upperBound
        // Cannot trap: a number between the least and the most length.
        return .pixels(Int(min(max((Double(pixels) * factor).rounded(), Double(least)), Double(most))))
    }
}
