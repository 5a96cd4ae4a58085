// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The recipe with a lower pixel ratio, if an original that may not grow is too small for the requested one. As at
    /// imgproxy, the box keeps its shape, and margins shrink with it. The ratio stays at least 1. A trim lowers nothing,
    /// because only the pixels tell the size that it leaves; a drawing can have any size.
    /// - Parameter ratio: the ratio by which the sizes were multiplied.
    package func loweringRatio(_ ratio: Double, for header: ImageHeader) -> Recipe {
        let factor = loweringFactor(ratio, for: header)
        guard factor < 1 else { return self }
        var lowered = canonicalised
        lowered.scaleBox(by: factor)
        lowered.scaleEdges(by: factor)
        lowered.scaleLeast(by: factor)
        return lowered.canonicalised
    }

    /// The recipe in which a drawing may grow, as at imgproxy; unchanged for other originals. After a trim a drawing
    /// consists of pixels, and does not grow.
    package func enlargingDrawing(_ header: ImageHeader) -> Recipe {
        guard header.format.isVector, trim == nil, withoutEnlargement else { return self }
        var growing = self
        growing.withoutEnlargement = false
        return growing.canonicalised
    }

    /// The factor for the ratio, at most 1.
    func loweringFactor(_ ratio: Double, for header: ImageHeader) -> Double {
        guard ratio > 1, withoutEnlargement, fit != .fill, trim == nil, !header.format.isVector else {
            return 1
        }
        let recipe = canonicalised
        return recipe.reach(of: recipe.keptSize(of: header)).map { min(max($0, 1 / ratio), 1) } ?? 1
    }

    /// The largest factor for the box at which the picture fills it without growing; nil if there is no box.
    private func reach(of picture: PixelSize) -> Double? {
        guard picture.width > 0, picture.height > 0 else { return nil }
        let (width, height) = box(of: picture)
        // Cannot trap: floating-point arithmetic, and a box has sides above 0.
        let across = width.map { Double(picture.width) / Double($0) }
        let down = height.map { Double(picture.height) / Double($0) }
        guard let across, let down else { return across ?? down }
        let isCut =
            fit == .cover || fit == .auto && Geometry.fit(of: picture, width, height) == .cover
        return isCut ? min(across, down) : max(across, down)
    }
}
