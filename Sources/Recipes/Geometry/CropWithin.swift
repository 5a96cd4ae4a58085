// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The recipe for this original with the crop rules of thumbor and imagor: a rectangle that begins beyond the picture cuts
    /// nothing, and a rectangle that is counted from the right or from the bottom is cut off at the picture's edge. If only the pixels
    /// tell the size, as after a trim or with a TIFF's later pages, the rules of `/img` apply.
    package func croppingWithin(_ header: ImageHeader) -> Recipe {
        var recipe = canonicalised
        guard var crop = recipe.crop, recipe.trim == nil, header.width > 0, header.height > 0,
            !header.isUnseen(recipe.page)
        else { return self }
        let picture = recipe.sizeBeforeCrop(of: header)
        let (x, y) = (crop.x?.pixels(of: picture.width) ?? 0, crop.y?.pixels(of: picture.height) ?? 0)
        guard x < picture.width, y < picture.height else {
            recipe.crop = nil
            return recipe.canonicalised
        }
        guard case .side(let corner) = crop.anchor, let sides = corner.sides else { return self }
        if sides.x == .far { crop.width = crop.width?.ending(picture.width - x, of: picture.width) }
        if sides.y == .far { crop.height = crop.height?.ending(picture.height - y, of: picture.height) }
        recipe.crop = crop
        return recipe.canonicalised
    }

    /// The size of the picture that is cropped. The recipe must be canonical, and must not turn before the crop.
    private func sizeBeforeCrop(of header: ImageHeader) -> PixelSize {
        if crop?.beforeResize == true { return header.upright }
        let plan = Geometry.plan(upright: header.upright, recipe: self)
        return plan.isEmbedded ? plan.resized : plan.canvas
    }
}

extension Recipe.Length {
    /// The length, or the rest of the side if the length is longer than that.
    fileprivate func ending(_ rest: Int, of side: Int) -> Recipe.Length {
        pixels(of: side) > rest ? .pixels(rest) : self
    }
}
