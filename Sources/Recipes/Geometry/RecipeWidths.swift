// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The same picture at another width, in the best format: all lengths in pixels of the result are scaled
    /// along. Blurs stay as they are.
    package func shown(at width: Int, of header: ImageHeader) -> Recipe {
        var recipe = folded
        // The margins are of that width too.
        // Cannot trap: a side and two margins.
        let factor = Double(width) / Double(recipe.usualWidth(of: header) + recipe.margins)
        recipe.scaleEdges(by: factor)
        recipe.scaleLeast(by: factor)
        // Cannot trap: as above.
        recipe.width = .pixels(max(1, width - recipe.margins))
        // A percentage is of the original, and not of the width.
        recipe.height = recipe.height?.multiplied(by: factor)
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
    /// Pixels of the box, or of the resized picture where the box has no width.
    fileprivate func usualWidth(of header: ImageHeader) -> Int {
        switch width {
        case .pixels(let pixels): pixels
        // Cannot trap: a picture's side, ten times at most.
        case .percent(let percent): max(1, Int((Double(header.upright.width) * percent / 100).rounded()))
        case nil: max(1, Geometry.plan(upright: header.upright, recipe: self).resized.width)
        }
    }

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
