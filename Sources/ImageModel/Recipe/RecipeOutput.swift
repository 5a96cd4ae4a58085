// SPDX-License-Identifier: Apache-2.0

extension Recipe {
    /// The format of the rendition. Where the source's own cannot be written, or cannot hold what the recipe makes
    /// transparent: PNG with alpha, JPEG without. `.auto` counts as `.source`; resolve it before.
    package func resolvedOutput(for header: ImageHeader) -> ImageFormat {
        if case .format(let format) = output { return format }
        let isTransparent = header.hasAlpha || addsAlpha(to: header)
        if header.format == .jpeg { return isTransparent ? .png : .jpeg }
        if ImageFormat.writable.contains(header.format) { return header.format }
        return isTransparent ? .png : .jpeg
    }

    /// Whether something transparent is left around a picture that has no alpha itself.
    private func addsAlpha(to header: ImageHeader) -> Bool {
        if let mask, !mask.background.isOpaque { return true }
        if let background, background.isOpaque { return false }
        let leavesCorners = rotation.truncatingRemainder(dividingBy: 90) != 0
        if leavesCorners, !rotationBackground.isOpaque { return true }
        guard fit == .contain, !containBackground.isOpaque else { return false }
        if case .embed = Geometry.plan(upright: header.upright, recipe: self).placement { return true }
        return false
    }

    /// `output=auto` made definite by what the client accepts; any other recipe comes back folded only.
    /// AVIF is never chosen for an animation, because libheif writes it as a collection of stills that
    /// nothing plays.
    package func resolvingAuto(avif: Bool, webp: Bool, header: ImageHeader) -> Recipe {
        guard output == .auto else { return folded }
        var recipe = self
        let fallback: ImageFormat = header.hasAlpha || addsAlpha(to: header) ? .png : .jpeg
        if pages != 1, header.format.canAnimate, header.pages > 1 {
            recipe.output = .format(webp ? .webp : .gif)
        } else {
            recipe.output = .format(avif ? .avif : webp ? .webp : fallback)
        }
        return recipe.folded
    }

    /// Frames that are really taken: those wanted and there, and one unless both formats can be animations.
    package func framesTaken(from header: ImageHeader) -> Int {
        guard header.format.canAnimate, resolvedOutput(for: header).canAnimate else { return 1 }
        return pages == -1 ? header.pages : min(pages, header.pages)
    }
}
