// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The recipe with a lower pixel ratio, where an original that may not grow is too small for the one that it has: as at
    /// imgproxy, the box keeps its shape, and margins are smaller along with it. The ratio is 1 at least. What a trim leaves
    /// only the pixels tell, so it lowers nothing; a drawing has any size.
    /// - Parameter ratio: by which the sizes were multiplied.
    package func loweringRatio(_ ratio: Double, for header: ImageHeader) -> Recipe {
        let factor = loweringFactor(ratio, for: header)
        guard factor < 1 else { return self }
        var lowered = folded
        lowered.scaleBox(by: factor)
        lowered.scaleEdges(by: factor)
        lowered.scaleLeast(by: factor)
        return lowered.folded
    }

    /// The recipe by which a drawing may grow, as at imgproxy; any other original's is as it was. What a trim leaves of a
    /// drawing has pixels, and does not grow.
    package func enlargingDrawing(_ header: ImageHeader) -> Recipe {
        guard header.format.isVector, trim == nil, withoutEnlargement else { return self }
        var growing = self
        growing.withoutEnlargement = false
        return growing.folded
    }

    /// By what the ratio is multiplied, 1 at most.
    func loweringFactor(_ ratio: Double, for header: ImageHeader) -> Double {
        guard ratio > 1, withoutEnlargement, fit != .fill, trim == nil, !header.format.isVector else {
            return 1
        }
        let recipe = folded
        return recipe.reach(of: recipe.keptSize(of: header)).map { min(max($0, 1 / ratio), 1) } ?? 1
    }

    /// By what the box may be multiplied at most, so that a picture meets it without growing; nil where there is no box.
    private func reach(of picture: PixelSize) -> Double? {
        guard picture.width > 0, picture.height > 0 else { return nil }
        let (width, height) = box(of: picture)
        // Cannot trap: of Doubles, and sides of a box are above 0.
        let across = width.map { Double(picture.width) / Double($0) }
        let down = height.map { Double(picture.height) / Double($0) }
        guard let across, let down else { return across ?? down }
        let isCut =
            fit == .cover || fit == .auto && Geometry.fit(of: picture, width, height) == .cover
        return isCut ? min(across, down) : max(across, down)
    }
}
