// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The format of the rendition. PNG with alpha and JPEG without replace a source format that cannot be
    /// written; PNG replaces JPEG for transparent results. `.json` counts as `.source`; resolve it before.
    /// `.auto` is AVIF, as `allowingExact` leaves it.
    package func resolvedOutput(for header: ImageHeader) -> ImageFormat {
        if case .format(let format) = output { return format }
        if keepsDrawing(of: header) { return .svg }
        if output == .auto { return .avif }
        if output == .raw { return header.format }
        let hasAlpha = leavesAlpha(in: header)
        if header.format == .jpeg, hasAlpha { return .png }
        if ImageFormat.writable.contains(header.format) { return header.format }
        return hasAlpha ? .png : .jpeg
    }

    /// True if the original is a drawing that is passed on as one.
    package func keepsDrawing(of header: ImageHeader) -> Bool {
        keepsDrawing && header.format == .svg && (output == .source || output == .auto)
    }

    /// The recipe with which this original is passed on as a drawing; nil if pixels are made of it. What else is asked
    /// of the picture is asked of pixels.
    package func drawing(of header: ImageHeader) -> Recipe? {
        guard keepsDrawing(of: header) else { return nil }
        var recipe = Recipe()
        recipe.keepsDrawing = true
        return recipe
    }

    /// True if this original is the answer, as it came.
    package func handsOn(_ header: ImageHeader) -> Bool {
        output == .raw || asIs.contains(header.format) && resolvedOutput(for: header) == header.format
    }

    /// The recipe of which the answer is the original.
    package static var raw: Recipe {
        var recipe = Recipe()
        recipe.output = .raw
        return recipe
    }

    /// True if the result may have transparent parts: from the source or a step, unless a background covers
    /// them, or from a mask, which comes after the background.
    package func leavesAlpha(in header: ImageHeader) -> Bool {
        if let mask, !mask.background.isOpaque { return true }
        if background?.isOpaque == true || backgroundSample != nil { return false }
        return header.hasAlpha || leavesBars(around: header) || leavesCorners || leavesEdges
    }

    private func leavesBars(around header: ImageHeader) -> Bool {
        guard fit == .contain, containBlur == nil, containSample == nil, !containBackground.isOpaque else {
            return false
        }
        let recipe = folded
        // Only the pixels tell the shape of what a trim leaves.
        if recipe.trim != nil { return recipe.fit == .contain }
        return Geometry.plan(upright: recipe.keptSize(of: header), recipe: recipe).isEmbedded
    }

    /// Beside rounded corners, or in a padding that is not opaque.
    private var leavesEdges: Bool { radii != nil || padding?.background.isOpaque == false }

    private var leavesCorners: Bool {
        !isQuarterTurn && !rotationBackground.isOpaque
    }

    /// The recipe with `output=auto` resolved by the formats that the client accepts; any other recipe is
    /// only folded. Animations never become AVIF, because libheif writes them as a collection of stills that
    /// nothing plays. No format is chosen that cannot hold the picture's sides. A given quality is on the
    /// scale of JPEG and WebP; AVIF's is 20 lower.
    /// - Parameter usual: the format where the client accepts none of these.
    package func resolvingAuto(
        avif: Bool, webp: Bool, jxl: Bool = false, usual: DefaultFormat = .common, header: ImageHeader
    ) -> Recipe {
        guard output == .auto else { return folded }
        var recipe = self
        let isStill = !wantsAnimation(of: header)
        if isStill, jxl, fits(.jxl, header) {
            recipe.output = .format(.jxl)
        } else if isStill, avif, fits(.avif, header) {
            recipe.output = .format(.avif)
            if case .number(let number) = quality {
                recipe.quality = .number(max(number - Self.avifStep, 1))
            }
        } else {
            recipe.output = .format(webp && fits(.webp, header) ? .webp : format(by: usual, for: header))
        }
        return recipe.folded
    }

    /// WebP, or a format that holds a picture too long for it.
    private func webPOrSimilar(_ header: ImageHeader) -> ImageFormat {
        fits(.webp, header) ? .webp : withoutWebP(header)
    }

    func withoutWebP(_ header: ImageHeader) -> ImageFormat { leavesAlpha(in: header) ? .png : .jpeg }

    private func fits(_ format: ImageFormat, _ header: ImageHeader) -> Bool {
        Geometry.plan(upright: header.upright, recipe: self).limitExceeded(writing: format) == nil
    }

    /// By how much an equal quality is lower on AVIF's scale. Measured: 9 to 17 (`Benchmarks/encoders.md`);
    /// next/image uses 20.
    private static let avifStep = 20

    /// Replaces AVIF, which is expensive, by WebP for pictures of more than so many pixels; clients that
    /// accept AVIF accept WebP as well. The output must be resolved.
    /// - Parameter qualities: the qualities by format of the recipe as the request has it.
    package func limitingAVIF(
        to pixels: Int, shapes: [ImageHeader], qualities: [ImageFormat: Int] = [:]
    ) -> Recipe {
        guard output == .format(.avif),
            let header = shapes.first(where: {
                Geometry.plan(upright: $0.upright, recipe: self).padded.area > pixels
            })
        else { return self }
        var recipe = self
        recipe.output = .format(webPOrSimilar(header))
        if !qualities.isEmpty {
            (recipe.quality, recipe.formatQualities) = (nil, qualities)
        } else if case .number(let number) = quality {
            recipe.quality = .number(min(number + Self.avifStep, 100))
        }
        return recipe.folded
    }

    /// The recipe without a wish for names of rights that the picture has not, or for a gain map that it cannot have or loses.
    /// It has one rendition then, whoever asks.
    package func keeping(onlyWhatIsIn header: ImageHeader) -> Recipe {
        var recipe = self
        if !header.mayNameRights { recipe.metadata = .none }
        recipe.keepsGainMap = keepsGainMap(of: header)
        return recipe
    }

    /// The frame or page that the recipe takes first; nil if there is no such page. Known before decoding
    /// because only a document's pages may differ in size.
    package func pageTaken(from header: ImageHeader) -> Int? {
        // Only the decoder can count the pages of a PDF.
        if header.format == .pdf { return page }
        if header.pages == 1 || header.format.canAnimate, page < 0 { return 0 }
        return page < max(1, header.pages) ? page : nil
    }

    /// True if the recipe wants several frames in AVIF, which holds one.
    package var losesFrames: Bool { pages != 1 && output == .format(.avif) }

    /// Frames of the result: those wanted and present; 1 unless source and result can be animations.
    package func framesTaken(from header: ImageHeader) -> Int {
        guard header.format.canAnimate, resolvedOutput(for: header).canAnimate else { return 1 }
        let there = max(1, header.pages - max(0, page))
        return pages == -1 ? there : min(pages, there)
    }
}
