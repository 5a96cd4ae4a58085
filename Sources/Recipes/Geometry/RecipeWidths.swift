// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The same picture at another width, in the best format: all lengths in pixels of the result are scaled with it, except
    /// blurs. If the picture may not be enlarged, it becomes no wider than the original allows, because otherwise only the
    /// lengths would grow.
    package func shown(at width: Int, of header: ImageHeader) -> Recipe {
        var recipe = canonicalised
        let kept = recipe.keptSize(of: header)
        let plan = Geometry.plan(upright: kept, recipe: recipe)
        recipe.countZoomedBox(of: kept)
        recipe.fitBox(to: plan, of: kept)
        // The width includes the margins. Cannot trap: the sum is one side and two margins.
        let usual = Double((recipe.box(of: kept).width ?? max(1, plan.resized.width)) + recipe.margins)
        let factor = min(Double(width) / usual, recipe.growth(to: plan, of: kept))
        recipe.scaleEdges(by: factor)
        recipe.scaleLeast(by: factor)
        // Cannot trap: the number is no more than the width.
        recipe.width = .pixels(max(1, Int((usual * factor).rounded()) - recipe.margins))
        // A percentage refers to the original and not to the width.
        recipe.height = recipe.height?.multiplied(by: factor)
        recipe.scaleCrop(by: factor)
        recipe.output = .auto
        recipe.jsonExtras = []
        return recipe.canonicalised
    }
}

extension Recipe {
    /// Multiplies the pixel lengths of a crop of the resized picture.
    mutating func scaleCrop(by factor: Double) {
        guard let crop, !crop.beforeResize else { return }
        self.crop?.x = crop.x?.scaled(by: factor, from: 0)
        self.crop?.y = crop.y?.scaled(by: factor, from: 0)
        self.crop?.width = crop.width?.scaled(by: factor)
        self.crop?.height = crop.height?.scaled(by: factor)
    }

    /// Replaces a zoomed box by ratio with a box in pixels, if the pixels are within the allowed range.
    fileprivate mutating func countZoomedBox(of picture: PixelSize) {
        guard zoom != 1, case let (across?, down?) = box(of: picture) else { return }
        zoom = 1
        let range = Length.pixelRange
        guard range.contains(across), range.contains(down) else { return }
        (width, height, aspect) = (.pixels(across), .pixels(down), nil)
    }

    /// Reduces a box that the picture does not fill, because the picture may not grow or lies within the box, to the
    /// picture's size. Scaled unchanged, the box could limit a picture that it does not limit now.
    fileprivate mutating func fitBox(to plan: Geometry, of picture: PixelSize) {
        guard picture.width > 0, picture.height > 0, fit != .contain, !turnsBox, !liesDownFirst else {
            return
        }
        let box = box(of: picture)
        func fitted(_ length: Length?, _ side: Int?, _ found: Int) -> Length? {
            // A difference of one pixel may come from rounding.
            guard let side, length != nil, (side - found).magnitude > 1, Length.pixelRange.contains(found)
            else {
                return length
            }
            return .pixels(found)
        }
        width = fitted(width, box.width, plan.canvas.width)
        height = fitted(height, box.height, plan.canvas.height)
    }

    /// How many times larger the resized picture may become; at least 1.
    fileprivate func growth(to plan: Geometry, of picture: PixelSize) -> Double {
        guard withoutEnlargement, plan.resized.width > 0, plan.resized.height > 0 else { return .infinity }
        // Cannot trap: floating-point arithmetic.
        let across = Double(picture.width) / Double(plan.resized.width)
        // Cannot trap: as above.
        let down = Double(picture.height) / Double(plan.resized.height)
        return max(1, min(across, down))
    }

    /// The width of the padding on both sides in pixels.
    // Cannot trap: twice the longest margin.
    fileprivate var margins: Int { padding.map { $0.sides.second + $0.sides.fourth } ?? 0 }
}

extension Recipe.Length {
    /// Scales pixels; percentages stay as they are.
    fileprivate func scaled(by factor: Double, from least: Int = 1) -> Recipe.Length {
        guard case .pixels(let pixels) = self, factor.isFinite else { return self }
        if pixels < 0 { return .pixels(-(-pixels).multiplied(by: factor, within: Self.pixelRange)) }
        return .pixels(pixels.multiplied(by: factor, within: least...Self.pixelRange.upperBound))
    }
}
