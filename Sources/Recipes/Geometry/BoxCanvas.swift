// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A canvas around a picture that is cut to a box. Only the original tells whether it is too small for the box, and whether
/// `auto` cuts, so the canvas is added to the recipe once the original is known.
package struct BoxCanvas: Sendable, Hashable {
    /// True if the canvas is the smallest one with the box's ratio; false if it is as large as the box.
    package var hasRatioOnly: Bool
    /// The colour behind the picture.
    package var background = Color.transparent
    /// The picture's own colour, which replaces `background`.
    package var sample: ColourSample?
    /// The sigma of the blurred picture that is laid behind the picture; nil = the colour.
    package var blur: Double?
    /// The picture's place on the canvas.
    package var alignment = Recipe.Alignment.center
    /// The point for the alignment `.focal`.
    package var focus = Focus()
    /// The offset from that place; pixels are multiplied by the pixel ratio.
    package var shift = PositionOffset()

    /// The picture in the middle of a transparent canvas.
    package init(hasRatioOnly: Bool) { self.hasRatioOnly = hasRatioOnly }
}

extension Recipe {
    /// The recipe for this original.
    /// - Parameters:
    ///   - ratio: as in `loweringRatio`.
    ///   - canvas: for a recipe without a crop or a trim whose fit is `cover` or `auto`; nil = none.
    package func fitting(_ header: ImageHeader, from ratio: Double, on canvas: BoxCanvas?) -> Recipe {
        let lowered = loweringRatio(ratio, for: header)
        guard var canvas, lowered.crop == nil, lowered.trim == nil else { return lowered }
        canvas.shift = canvas.shift.multiplied(by: ratio * loweringFactor(ratio, for: header))
        let (width, height) = lowered.box(of: header.upright)
        guard let width, let height, header.upright.width > 0, header.upright.height > 0 else {
            return lowered
        }
        switch lowered.fit {
        case .auto where Geometry.fit(of: header.upright, width, height) != .cover:
            var fitted = lowered
            fitted.shrinksBox = canvas.hasRatioOnly
            return fitted.lying(on: canvas).canonicalised
        case .cover, .auto:
            return lowered.extendingCut(to: PixelSize(width: width, height: height), canvas, header)
        case .inside, .outside, .contain, .fill: return lowered
        }
    }

    private func lying(on canvas: BoxCanvas) -> Recipe {
        var recipe = self
        (recipe.fit, recipe.containBackground) = (.contain, canvas.background)
        (recipe.containSample, recipe.containBlur) = (canvas.sample, canvas.blur)
        (recipe.alignment, recipe.focus, recipe.shift) = (canvas.alignment, canvas.focus, canvas.shift)
        return recipe
    }

    /// The recipe for a cut that is smaller than its box. Such a picture is not resized, so the part is cut out first and
    /// then laid on the canvas.
    private func extendingCut(to box: PixelSize, _ canvas: BoxCanvas, _ header: ImageHeader) -> Recipe {
        let plan = Geometry.plan(upright: header.upright, recipe: self)
        let cut = plan.canvas
        let size =
            canvas.hasRatioOnly ? AspectRatio(box.width, box.height).box(of: cut, around: true) : box
        guard plan.resized == header.upright, size.width > cut.width || size.height > cut.height else {
            return self
        }
        var extended = lying(on: canvas)
        extended.shrinksBox = false
        (extended.width, extended.height) = (.pixels(size.width), .pixels(size.height))
        var crop = Crop()
        (crop.beforeResize, crop.width, crop.height) = (true, .pixels(cut.width), .pixels(cut.height))
        switch plan.placement {
        case .whole, .embed, .cropByEntropy: return extended.canonicalised
        case .crop(let x, let y): (crop.x, crop.y) = (.pixels(x), .pixels(y))
        case .cropByAttention: crop.anchor = .attention
        }
        extended.crop = crop
        return extended.canonicalised
    }
}
