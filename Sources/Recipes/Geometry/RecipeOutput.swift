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

    /// True if the original is a drawing that is answered as a drawing.
    package func keepsDrawing(of header: ImageHeader) -> Bool {
        keepsDrawing && header.format == .svg && (output == .source || output == .auto)
    }

    /// The recipe with which this original is answered as a drawing; nil if it is rendered. A drawing is answered
    /// without any of the recipe's other options.
    package func drawing(of header: ImageHeader) -> Recipe? {
        guard keepsDrawing(of: header) else { return nil }
        var recipe = Recipe()
        recipe.keepsDrawing = true
        return recipe
    }

    /// True if this original is answered unchanged.
    package func handsOn(_ header: ImageHeader) -> Bool {
        output == .raw || asIs.contains(header.format) && resolvedOutput(for: header) == header.format
    }

    /// The recipe whose answer is the unchanged original.
    package static var raw: Recipe {
        var recipe = Recipe()
        recipe.output = .raw
        return recipe
    }

    /// True if the result may have transparent parts: from the source or a step, unless a background covers
    /// them, or from a mask, which is applied after the background.
    package func leavesAlpha(in header: ImageHeader) -> Bool {
        if let mask, !mask.background.isOpaque { return true }
        if background?.isOpaque == true || backgroundSample != nil { return false }
        return header.hasAlpha || leavesBars(around: header) || leavesCorners || leavesEdges
    }

    private func leavesBars(around header: ImageHeader) -> Bool {
        guard fit == .contain, containBlur == nil, containSample == nil, !containBackground.isOpaque else {
            return false
        }
        let recipe = canonicalised
        // Only the pixels tell the shape that a trim leaves.
        if recipe.trim != nil { return recipe.fit == .contain }
        return Geometry.plan(upright: recipe.keptSize(of: header), recipe: recipe).isEmbedded
    }

    /// True for rounded corners, and for padding that is not opaque.
    private var leavesEdges: Bool { radii != nil || padding?.background.isOpaque == false }

    private var leavesCorners: Bool {
        !isQuarterTurn && !rotationBackground.isOpaque
    }

    /// The recipe with `output=auto` resolved by the formats that the client accepts; any other recipe is
    /// only canonicalised. Animations never become AVIF, because libheif writes them as a collection of still
    /// pictures that no program plays. A format that cannot hold the picture's sides is not chosen. A given
    /// quality is on the scale of JPEG and WebP; for AVIF it is lowered by 20.
    /// - Parameter usual: the format if the client accepts none of these.
    package func resolvingAuto(
        avif: Bool, webp: Bool, jxl: Bool = false, usual: DefaultFormat = .common, header: ImageHeader
    ) -> Recipe {
        guard output == .auto else { return canonicalised }
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
        return recipe.canonicalised
    }

    /// WebP, or another format for a picture that exceeds WebP's sides.
    private func webPOrSimilar(_ header: ImageHeader) -> ImageFormat {
        fits(.webp, header) ? .webp : withoutWebP(header)
    }

    func withoutWebP(_ header: ImageHeader) -> ImageFormat { leavesAlpha(in: header) ? .png : .jpeg }

    private func fits(_ format: ImageFormat, _ header: ImageHeader) -> Bool {
        Geometry.plan(upright: header.upright, recipe: self).limitExceeded(writing: format) == nil
    }

    /// The difference between equal qualities of WebP and AVIF. Measured: 9 to 17 (`Benchmarks/encoders.md`);
    /// next/image uses 20.
    private static let avifStep = 20

    /// Replaces AVIF, which is expensive, by WebP for pictures of more than this many pixels; clients that
    /// accept AVIF accept WebP as well. The output must be resolved.
    /// - Parameter qualities: the request's qualities by format.
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
        return recipe.canonicalised
    }

    /// The recipe without the wish for rights that the picture does not name, or for a gain map that it does not have or
    /// loses. Requests with and without such a wish then share one rendition.
    package func keeping(onlyWhatIsIn header: ImageHeader) -> Recipe {
        var recipe = self
        if !header.mayNameRights { recipe.metadata = .none }
        recipe.keepsGainMap = keepsGainMap(of: header)
        return recipe
    }

    /// The frame or page that the recipe takes first; nil if there is no such page. It is known before
    /// decoding, because only a document's pages may differ in size.
    package func pageTaken(from header: ImageHeader) -> Int? {
        // Only the decoder can count the pages of a PDF.
        if header.format == .pdf { return page }
        if header.pages == 1 || header.format.canAnimate, page < 0 { return 0 }
        return page < max(1, header.pages) ? page : nil
    }

    /// True if the recipe wants several frames in AVIF, which holds one.
    package var losesFrames: Bool { pages != 1 && output == .format(.avif) }

    /// The number of frames in the result: those wanted and present; 1 unless source and result can be
    /// animations.
    package func framesTaken(from header: ImageHeader) -> Int {
        guard header.format.canAnimate, resolvedOutput(for: header).canAnimate else { return 1 }
        let there = max(1, header.pages - max(0, page))
        return pages == -1 ? there : min(pages, there)
    }
}
