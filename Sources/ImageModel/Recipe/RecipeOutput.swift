// SPDX-License-Identifier: Apache-2.0

extension Recipe {
    /// The format of the rendition. Where the source's own cannot be written: PNG with alpha, JPEG without.
    /// `.auto` counts as `.source`; resolve it before.
    package func resolvedOutput(for header: ImageHeader) -> ImageFormat {
        if case .format(let format) = output { return format }
        if ImageFormat.writable.contains(header.format) { return header.format }
        return header.hasAlpha ? .png : .jpeg
    }

    /// `output=auto` made definite by what the client accepts; any other recipe comes back folded only.
    /// AVIF is never chosen for an animation, because libheif writes it as a collection of stills that
    /// nothing plays.
    package func resolvingAuto(avif: Bool, webp: Bool, header: ImageHeader) -> Recipe {
        guard output == .auto else { return folded }
        var recipe = self
        let fallback: ImageFormat = header.hasAlpha ? .png : .jpeg
        if pages != 1, header.format.canAnimate, header.pages > 1 {
            recipe.output = .format(webp ? .webp : .gif)
        } else {
            recipe.output = .format(avif ? .avif : webp ? .webp : fallback)
        }
        return recipe.folded
    }

    /// AVIF is dear: a picture of more pixels than this becomes WebP, which whoever takes AVIF takes as well. The
    /// output is definite.
    package func limitingAVIF(to pixels: Int, header: ImageHeader) -> Recipe {
        guard output == .format(.avif) else { return self }
        let canvas = Geometry.plan(upright: header.upright, recipe: self).canvas
        let (area, overflows) = canvas.width.multipliedReportingOverflow(by: canvas.height)
        guard overflows || area > pixels else { return self }
        var recipe = self
        recipe.output = .format(.webp)
        return recipe.folded
    }

    /// The first frame or page that is there to be taken, where it is known before the file is read: the pages of a
    /// document may differ in size, frames do not. Nil: there is no such page.
    package func pageTaken(from header: ImageHeader) -> Int? {
        if header.pages == 1 || header.format.canAnimate, page < 0 { return 0 }
        return page < max(1, header.pages) ? page : nil
    }

    /// Frames that are really taken: those wanted and there, and one unless both formats can be animations.
    package func framesTaken(from header: ImageHeader) -> Int {
        guard header.format.canAnimate, resolvedOutput(for: header).canAnimate else { return 1 }
        let there = max(1, header.pages - max(0, page))
        return pages == -1 ? there : min(pages, there)
    }
}
