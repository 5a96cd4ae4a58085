// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The format of the rendition. Where the source's own cannot be written, or is JPEG and the result has
    /// transparent parts: PNG with alpha, JPEG without. `.auto` and `.json` count as `.source`; resolve them before.
    package func resolvedOutput(for header: ImageHeader) -> ImageFormat {
        if case .format(let format) = output { return format }
        let hasAlpha = leavesAlpha(in: header)
        if header.format == .jpeg, hasAlpha { return .png }
        if ImageFormat.writable.contains(header.format) { return header.format }
        return hasAlpha ? .png : .jpeg
    }

    /// Whether something of the result may be transparent: what the source brings or a step leaves, unless a
    /// background is laid under it, and what a mask leaves after that.
    package func leavesAlpha(in header: ImageHeader) -> Bool {
        if let mask, !mask.background.isOpaque { return true }
        if background?.isOpaque == true { return false }
        return header.hasAlpha || leavesBars(around: header) || leavesCorners
    }

    private func leavesBars(around header: ImageHeader) -> Bool {
        guard fit == .contain, !containBackground.isOpaque else { return false }
        if case .embed = Geometry.plan(upright: header.upright, recipe: self).placement { return true }
        return false
    }

    private var leavesCorners: Bool {
        !isQuarterTurn && !rotationBackground.isOpaque
    }

    /// `output=auto` made definite by what the client accepts; any other recipe comes back folded only.
    /// AVIF is never chosen for an animation, because libheif writes it as a collection of stills that
    /// nothing plays, and no format for a picture that is too long for it. A quality that was given is on JPEG's and WebP's scale, on which AVIF's lies 20 lower.
    package func resolvingAuto(avif: Bool, webp: Bool, header: ImageHeader) -> Recipe {
        guard output == .auto else { return folded }
        var recipe = self
        if pages != 1, header.format.canAnimate, header.pages > 1 {
            recipe.output = .format(webp && fits(.webp, header) ? .webp : .gif)
        } else if avif, fits(.avif, header) {
            recipe.output = .format(.avif)
            if case .number(let number) = quality {
                recipe.quality = .number(max(number - Self.avifStep, 1))
            }
        } else {
            recipe.output = .format(webp ? webPOrSimilar(header) : withoutWebP(header))
        }
        return recipe.folded
    }

    /// WebP, or what can hold a picture that is too long for it.
    private func webPOrSimilar(_ header: ImageHeader) -> ImageFormat {
        fits(.webp, header) ? .webp : withoutWebP(header)
    }

    private func withoutWebP(_ header: ImageHeader) -> ImageFormat { leavesAlpha(in: header) ? .png : .jpeg }

    private func fits(_ format: ImageFormat, _ header: ImageHeader) -> Bool {
        Geometry.plan(upright: header.upright, recipe: self).limitExceeded(writing: format) == nil
    }

    /// How much lower a number means the same on AVIF's scale. Measured: 9 to 17 (`Benchmarks/encoders.md`); 20 is
    /// what next/image takes.
    private static let avifStep = 20

    /// AVIF is expensive: a picture of more pixels than this becomes WebP, which whoever takes AVIF takes as well. The
    /// output is definite.
    package func limitingAVIF(to pixels: Int, header: ImageHeader) -> Recipe {
        guard output == .format(.avif) else { return self }
        let canvas = Geometry.plan(upright: header.upright, recipe: self).canvas
        guard canvas.area > pixels else { return self }
        var recipe = self
        recipe.output = .format(webPOrSimilar(header))
        if case .number(let number) = quality { recipe.quality = .number(min(number + Self.avifStep, 100)) }
        return recipe.folded
    }

    /// The first frame or page that is there to be taken, where it is known before the file is read: the pages of a
    /// document may differ in size, frames do not. Nil: there is no such page.
    package func pageTaken(from header: ImageHeader) -> Int? {
        // Only its decoder can count the pages of a PDF.
        if header.format == .pdf { return page }
        if header.pages == 1 || header.format.canAnimate, page < 0 { return 0 }
        return page < max(1, header.pages) ? page : nil
    }

    /// Frames are wanted, and AVIF is named, which holds one.
    package var losesFrames: Bool { pages != 1 && output == .format(.avif) }

    /// Frames that are really taken: those wanted and there, and one unless both formats can be animations.
    package func framesTaken(from header: ImageHeader) -> Int {
        guard header.format.canAnimate, resolvedOutput(for: header).canAnimate else { return 1 }
        let there = max(1, header.pages - max(0, page))
        return pages == -1 ? there : min(pages, there)
    }
}
