// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The shapes from which the sides of a result are reckoned: those that the page may have, and between them that of
    /// the box, because no other fills so much of a box that it must lie within; and the part cut out of each before the
    /// resize. Only the pixels tell the size after a trim. The page must be resolved.
    package func shapes(of header: ImageHeader) -> [ImageHeader] {
        var shapes = header.shapes(ofPage: page)
        if shapes.count > 1, let size = folded.sizeLikeBox(for: header) { shapes.append(header.shaped(size)) }
        guard crop?.beforeResize == true else { return shapes }
        let recipe = folded
        return shapes + shapes.compactMap { shape in recipe.sizeCut(from: shape.upright).map(shape.shaped) }
    }

    /// A page of the box's ratio; nil where there is no box, where only the page tells its ratio, and where none is as long.
    private func sizeLikeBox(for header: ImageHeader) -> PixelSize? {
        guard width?.isPercent != true, height?.isPercent != true,
            case let (across?, down?) = box(of: header.upright)
        else { return nil }
        let ratio = Double(across) / Double(down)
        // Cannot trap: of Doubles.
        guard max(ratio, 1 / ratio) <= ImageHeader.longestShape else { return nil }
        let size = PixelSize(pixels: header.pixels(ofPage: page), ratio: ratio)
        // The box that a ratio makes is a part of each page, whatever its zoom.
        if withoutEnlargement || aspect != nil || across <= size.width { return size }
        // An enlarged picture fills the box to the last pixel.
        return PixelSize(width: across, height: down)
    }

    /// The size that the crop before the resize leaves of a picture; nil without one, and for a picture whose sides nobody
    /// knows. The recipe must be folded.
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
