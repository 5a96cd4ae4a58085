// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The shapes from which the sides of a result are computed: those that the page may have, and the box's shape among
    /// them, because no other shape fills so much of a box around it; and for each the part that is cut out before the
    /// resize. A trim's result is unknown. The page must be resolved.
    package func shapes(of header: ImageHeader) -> [ImageHeader] {
        var shapes = header.shapes(ofPage: page)
        if shapes.count > 1, let size = canonicalised.sizeLikeBox(for: header) {
            shapes.append(header.shaped(size))
        }
        guard crop?.beforeResize == true else { return shapes }
        let recipe = canonicalised
        return shapes + shapes.compactMap { shape in recipe.sizeCut(from: shape.upright).map(shape.shaped) }
    }

    /// A page of the box's ratio. Nil if there is no box, if its ratio depends on the page, or if no page is that long.
    private func sizeLikeBox(for header: ImageHeader) -> PixelSize? {
        guard width?.isPercent != true, height?.isPercent != true,
            case let (across?, down?) = box(of: header.upright)
        else { return nil }
        let ratio = Double(across) / Double(down)
        // Cannot trap: floating-point arithmetic.
        guard max(ratio, 1 / ratio) <= ImageHeader.longestShape else { return nil }
        let size = PixelSize(pixels: header.pixels(ofPage: page), ratio: ratio)
        // A box by ratio is a part of the page, whatever its zoom.
        if withoutEnlargement || aspect != nil || across <= size.width { return size }
        // An enlarged picture fills the box exactly.
        return PixelSize(width: across, height: down)
    }

    /// The size that the crop before the resize leaves of a picture. Nil without such a crop, or if the picture's sides
    /// are unknown. The recipe must be canonical.
    private func sizeCut(from upright: PixelSize) -> PixelSize? {
        let picture = liesDownFirst ? upright.lyingDown : upright
        let sides = 1...Int(Int32.max)
        guard let crop, crop.beforeResize, sides.contains(picture.width), sides.contains(picture.height)
        else { return nil }
        return crop.area(of: picture).size
    }
}

extension Recipe.Length {
    fileprivate var isPercent: Bool { if case .percent = self { true } else { false } }
}
