// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Recipes
package import RequestGrammar

/// Converts a draft to the native recipe and delivery, so that both dialects share one rendition.
extension ImgproxyDraft {
    func request(_ rules: ImgproxyRules, _ vocabulary: Vocabulary) throws(ImgproxyRefusal) -> ImageRequest {
        guard let source else { throw .noSource }
        let recipe = try recipe(rules)
        var delivery = Delivery()
        nameFile(of: source, &delivery)
        delivery.isAttachment = isAttachment
        delivery.hasFramesToLose = recipe.losesFrames
        if rules.readsHints, !isRaw { delivery.hints = hints }
        var asked = ImageRequest(
            source: source, recipe: vocabulary.sized(recipe), delivery: delivery)
        asked.terms.limits = limits
        asked.terms.pixelRatio = pixelRatio
        asked.terms.canvas = isRaw ? nil : canvas
        asked.terms.enlargesDrawings = !isRaw
        let named = rules.enforcesFormats ? format.flatMap { Self.written[$0] } : nil
        asked.terms.defaultFormat = .among(named.map { [$0] } ?? rules.preferredFormats)
        asked.hidesSource = isSourceHidden
        asked.terms.wantsDrawing = format == "svg" && rules.keepsDrawings && !isRaw
        return asked
    }

    /// The recipe, not canonicalised yet.
    func recipe(_ rules: ImgproxyRules) throws(ImgproxyRefusal) -> Recipe {
        var recipe = Recipe()
        guard !isRaw else {
            recipe.output = .raw
            return recipe
        }
        recipe.withoutEnlargement = !enlarges
        try readSize(&recipe)
        try readLeast(&recipe)
        try readFit(&recipe)
        try readCrop(&recipe)
        readTurn(&recipe)
        recipe.trim = trim
        try readLooks(&recipe, rules)
        try readFormat(&recipe, rules)
        return recipe
    }

    /// True if the turn swaps width and height.
    private var swapsSides: Bool { degrees == 90 || degrees == 270 }

    private func readSize(_ recipe: inout Recipe) throws(ImgproxyRefusal) {
        guard zoom.x == zoom.y || resizing == .force else {
            throw .unsupported(
                option: "zoom with two factors", reason: "Only resizing_type:force changes a picture's shape."
            )
        }
        let ratios = [zoom.x, zoom.y].map { DecimalText.quantised($0 * pixelRatio) }
        guard ratios.allSatisfy((0.1...8).contains) else {
            throw .arguments(
                name: zoom.x == 1 && zoom.y == 1 ? "dpr" : "zoom", allowed: "0.1…8 in all, times dpr")
        }
        // Only `dpr` multiplies the padding as well, and `zoom` does not.
        recipe.pixelRatio = pixelRatio
        recipe.width = Self.zoomed(width, by: zoom.x)
        recipe.height = Self.zoomed(height, by: zoom.y)
        let isWhole = width == 0 && height == 0
        if isWhole, zoom.x == zoom.y {
            recipe.width = ratios[0] == 1 ? nil : Self.whole(by: zoom.x)
        } else if resizing == .force {
            recipe.width = recipe.width ?? Self.whole(by: zoom.x)
            recipe.height = recipe.height ?? Self.whole(by: zoom.y)
        }
    }

    private static func whole(by factor: Double) -> Recipe.Length {
        .percent(DecimalText.quantised(100 * factor))
    }

    private static func zoomed(_ side: Int, by factor: Double) -> Recipe.Length? {
        guard side > 0 else { return nil }
        // Cannot trap: 1…16,384 times 0.01…80.
        let pixels = Int((Double(side) * factor).rounded())
        return .pixels(min(max(pixels, 1), Recipe.Length.pixelRange.upperBound))
    }

    /// imgproxy cuts the part of a picture that a minimum side makes larger than the box, which Pictor does not. So a minimum is
    /// accepted only without a box, or if it concerns the only requested side and is no longer than that.
    private func readLeast(_ recipe: inout Recipe) throws(ImgproxyRefusal) {
        guard least != (0, 0) else { return }
        let box = (width: Double(width) * zoom.x, height: Double(height) * zoom.y)
        let fitsWidth = height == 0 && least.height == 0 && Double(least.width) <= box.width
        let fitsHeight = width == 0 && least.width == 0 && Double(least.height) <= box.height
        guard width == 0 && height == 0 || fitsWidth || fitsHeight else {
            throw .unsupported(
                option: least.width > 0 ? "min-width" : "min-height",
                reason: "Beside width or height, Pictor takes the least of the same side, which is no longer."
            )
        }
        if least.width > 0 { recipe.leastWidth = least.width }
        if least.height > 0 { recipe.leastHeight = least.height }
    }

    private func readTurn(_ recipe: inout Recipe) {
        recipe.rotation = Double(degrees)
        (recipe.flop, recipe.flip) = (mirrorsAcross, mirrorsDown)
        if cut != nil {
            // The cut refers to the turned picture and comes before the resize, so the turn comes first.
            recipe.turnsFirst = true
        } else if swapsSides {
            (recipe.width, recipe.height) = (recipe.height, recipe.width)
            (recipe.leastWidth, recipe.leastHeight) = (recipe.leastHeight, recipe.leastWidth)
        }
    }

    // MARK: Looks and file

    private func readLooks(_ recipe: inout Recipe, _ rules: ImgproxyRules) throws(ImgproxyRefusal) {
        recipe.background = ground
        readAdjustments(&recipe)
        if blur > 0 { recipe.blur = .gaussian(blur) }
        if block > 1 {
            guard pixelRatio == 1 else {
                throw .unsupported(
                    option: "pixelate with dpr", reason: "Give the size in pixels, without dpr.")
            }
            recipe.block = block
        }
        if let padding, padding != Clockwise(0) {
            recipe.padding = Padding(padding, background: ground == nil ? canvasColour : .transparent)
        }
        // The slopes of libvips, which leave flat areas unchanged (`vips_apply_filters` in vips/vips.c).
        if sharpness > 0 { recipe.sharpen = Sharpening(sigma: sharpness, flat: 0, jagged: 3) }
        if keepsProfile { recipe.profile = .own }
        if keepsCopyright { recipe.metadata = .copyright }
        if watermark.opacity > 0 { recipe.watermark = try watermark.drawn(watermarkSource(rules)) }
    }

    static let written: [String: ImageFormat] = [
        "jpg": .jpeg, "jpeg": .jpeg, "png": .png, "webp": .webp, "avif": .avif, "gif": .gif, "tiff": .tiff,
        "jxl": .jxl,
    ]

    private func readFormat(_ recipe: inout Recipe, _ rules: ImgproxyRules) throws(ImgproxyRefusal) {
        try readPages(&recipe)
        if quality > 0 { recipe.quality = .number(quality) }
        for (format, quality) in qualities where quality > 0 {
            if let format = Self.written[format] { recipe.formatQualities[format] = quality }
        }
        if maxBytes > 0 { recipe.maxBytes = maxBytes }
        // A format that Pictor cannot write is left out, because no result can have the same format as the original.
        recipe.asIs = Set(passed.compactMap { Self.written[$0] })
        recipe.keepsDrawing = rules.keepsDrawings && (format == nil || format == "svg")
        guard let format, format != "svg" || !rules.keepsDrawings else {
            if !rules.autoFormats.isEmpty { recipe.output = .auto }
            return
        }
        guard let output = Self.written[format] else {
            guard Self.names(format) else {
                throw .arguments(name: "format", allowed: "jpg, png, webp, avif, gif, tiff or jxl")
            }
            throw .unsupported(
                option: "format:\(format)", reason: "Pictor writes jpg, png, webp, avif, gif, tiff and jxl.")
        }
        recipe.output = .format(output)
        guard rules.enforcesFormats else { return }
        // Only originals that have the named format already are passed on.
        recipe.asIs.formIntersection([output])
        recipe.output = .auto
    }
}

extension ImageRequest {
    /// Parses the part after the dialect's place: signature, options and source.
    package static func parse(
        imgproxy rest: ArraySlice<UInt8>, rules: ImgproxyRules = ImgproxyRules(),
        vocabulary: Vocabulary = .empty, needs: ClientNeeds = .none
    ) throws(ImgproxyRefusal) -> ImageRequest {
        guard let path = ImgproxyPath(rest) else { throw .noSource }
        guard !rules.isOption(path.signature) else { throw .noSignature }
        if path.isInfo { return try ImgproxyInfo(path, rules).request }
        return try ImgproxyDraft(path, rules, needs).request(rules, vocabulary)
    }
}
