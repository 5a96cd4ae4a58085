// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Recipes

/// Applies the segments, after the filters are read.
extension RecipeDraft {
    /// The recipe, not canonicalised yet.
    func finished() throws(OperationRefusal) -> Recipe {
        var recipe = recipe
        if isRaw {
            recipe.output = .raw
            return recipe
        }
        recipe.width = try length(path.width)
        recipe.height = try length(path.height)
        try setFit(in: &recipe)
        try setCut(in: &recipe)
        try setProportion(in: &recipe)
        if hasDensity, recipe.width == nil, recipe.height == nil {
            throw .unsupported(
                what: "dpi", reason: "Pictor draws at the size of the box, and there is none.")
        }
        firstTurn.then(turn).set(in: &recipe)
        if firstTurn.swapsSides { (recipe.width, recipe.height) = (recipe.height, recipe.width) }
        // `read` in thumbor's thumbor/engines/pil.py. With a limit of bytes the quality is lowered instead, as in thumbor.
        if grammar.isLosslessAtBest, recipe.output == .format(.webp), recipe.quality == .number(100),
            recipe.maxBytes == nil
        {
            (recipe.lossless, recipe.quality) = (true, nil)
        }
        return recipe
    }

    private func length(_ side: OperationPath.Side) throws(OperationRefusal) -> Recipe.Length? {
        switch side {
        case .free: return nil
        case .original:
            guard path.crop == nil else {
                throw .unsupported(
                    what: "orig", reason: "Behind a manual crop it would be the side of what is cut out.")
            }
            return .percent(100)
        case .pixels(let pixels):
            guard Recipe.Length.pixelRange.contains(pixels) else {
                throw .side(range: Recipe.Length.pixelRange)
            }
            return .pixels(pixels)
        }
    }

    // MARK: Box

    private func setFit(in recipe: inout Recipe) throws(OperationRefusal) {
        recipe.withoutEnlargement = !enlarges
        if let fitIn = path.fitIn {
            recipe.turnsBox = fitIn.isAdaptive
            recipe.fit = fitIn.isFull ? .outside : .inside
        } else if stretches {
            recipe.fit = .fill
        } else {
            recipe.fit = .cover
            recipe.alignment = try alignment(&recipe.focus)
        }
        guard let fill else { return }
        if fill.isUnder { (recipe.background, recipe.backgroundSample) = (fill.color, fill.sample) }
        // A box with one side cuts nothing. The part that a crop filter leaves has the size that the filter says, because Pictor cuts
        // before it fills.
        if fillsCut, recipe.crop == nil, path.width == .free || path.height == .free {
            (recipe.fit, recipe.alignment, recipe.focus) = (.inside, .center, Focus())
        }
        if recipe.fit == .inside {
            recipe.fit = .contain
            (recipe.containBackground, recipe.containSample) = (fill.color, fill.sample)
            recipe.containBlur = fill.blur
        }
    }

    /// True if `fill` must also fill around a picture that is cut.
    private var fillsCut: Bool {
        grammar.fillsCuts && !enlarges && !stretches && path.fitIn == nil && fill != nil && !isRaw
    }

    /// The canvas that `fill` fills around a picture that is cut and may not be enlarged; nil for none.
    var canvas: BoxCanvas? {
        guard fillsCut, let fill, path.width != .free, path.height != .free else { return nil }
        var canvas = BoxCanvas(hasRatioOnly: false)
        (canvas.background, canvas.sample, canvas.blur) = (fill.color, fill.sample, fill.blur)
        return canvas
    }

    private func alignment(_ point: inout Focus) throws(OperationRefusal) -> Recipe.Alignment {
        if let focus = try middleOfInterest {
            point = focus
            return .focal
        }
        if path.isSmart { return .attention }
        // The picture is cut before it is turned, so the side is converted to the upright picture.
        var (across, down) = (path.across, path.down)
        for _ in 0..<firstTurn.quarters { (across, down) = (down, -across) }
        return Recipe.Alignment(across: across, down: down)
    }

    /// The middle of the focal area, within the part of the picture that is cut out first.
    private var middleOfInterest: Focus? {
        get throws(OperationRefusal) {
            guard let isInPixels = focus.first?.isInPixels else { return nil }
            guard firstTurn == PictureTurn() else {
                throw .unsupported(what: "focal", reason: "Pictor does not combine it with orient.")
            }
            guard focus.allSatisfy({ $0.isInPixels == isInPixels }) else {
                throw .unsupported(
                    what: "focal", reason: "Pictor does not combine pixels with fractions of the sides.")
            }
            let weight = focus.reduce(0) { $0 + $1.weight }
            // Cannot trap: arithmetic of Doubles, and each weight is above 0.
            var x = focus.reduce(0) { $0 + $1.x * $1.weight } / weight
            var y = focus.reduce(0) { $0 + $1.y * $1.weight } / weight
            if let crop = path.crop, !crop.areNone {
                guard crop.areFractions != isInPixels else {
                    throw .unsupported(
                        what: "focal",
                        reason:
                            "Pictor does not combine fractions of the sides with a manual crop in pixels, or pixels with one in fractions."
                    )
                }
                (x, y) = (x - crop.left, y - crop.top)
                if !isInPixels {
                    guard crop.right > crop.left, crop.bottom > crop.top else {
                        throw .unsupported(what: "focal", reason: "Behind this manual crop nothing is left.")
                    }
                    // Cannot trap: arithmetic of Doubles, and both divisors are above 0.
                    (x, y) = (x / (crop.right - crop.left), y / (crop.bottom - crop.top))
                }
            }
            let range = isInPixels ? Focus.Distance.pixelRange : Focus.Distance.fractionRange
            func kept(_ number: Double) -> Focus.Distance {
                let number = DecimalText.quantised(min(max(number, range.lowerBound), range.upperBound))
                return isInPixels ? .pixels(number) : .fraction(number)
            }
            return Focus(x: kept(x), y: kept(y))
        }
    }

    // MARK: Cuts

    private func setCut(in recipe: inout Recipe) throws(OperationRefusal) {
        if let trim = path.trim {
            recipe.trim = Trim(
                threshold: min(max(trim.tolerance, 1), 254), isByLastPixel: trim.isBottomRight)
        }
        // A crop filter refers to the mirrored and turned picture; the recipe cuts before that, so the rectangle is converted.
        recipe.crop = recipe.crop.map(firstTurn.then(turnBeforeCrop).origin)
        guard let crop = path.crop?.crop(toEdges: grammar.cutsToEdges) else { return }
        if path.trim != nil {
            throw .unsupported(what: "trim", reason: "Pictor does not combine it with a manual crop.")
        }
        guard recipe.crop == nil else {
            throw .unsupported(what: "crop", reason: "Pictor does not combine it with a manual crop.")
        }
        guard firstTurn == PictureTurn() else {
            throw .unsupported(what: "orient", reason: "Pictor does not combine it with a manual crop.")
        }
        recipe.crop = crop
    }

    private func setProportion(in recipe: inout Recipe) throws(OperationRefusal) {
        guard proportion != 1 else { return }
        if recipe.width == nil, recipe.height == nil {
            recipe.width = .percent(DecimalText.quantised(max(proportion * 100, 0.01)))
        } else if enlarges {
            recipe.pixelRatio = proportion
        } else {
            throw .unsupported(
                what: "proportion",
                reason: "Pictor makes it without a box, or with a box that the picture always fills.")
        }
    }
}

extension OperationPath.Corners {
    /// The crop; nil if nothing would be left, which counts as no crop in the services.
    /// - Parameter toEdges: true if 0 at the right or at the bottom means the picture's edge.
    fileprivate func crop(toEdges: Bool) -> Crop? {
        guard !areNone else { return nil }
        let isFraction = areFractions
        let width = toEdges && right == 0 ? nil : right - left
        let height = toEdges && bottom == 0 ? nil : bottom - top
        guard width ?? 1 > 0, height ?? 1 > 0 else { return nil }
        var crop = Crop()
        crop.beforeResize = true
        crop.x = Self.length(left, isFraction: isFraction)
        crop.y = Self.length(top, isFraction: isFraction)
        crop.width = width.flatMap { Self.length($0, isFraction: isFraction) }
        crop.height = height.flatMap { Self.length($0, isFraction: isFraction) }
        // Less than a pixel, or less than the smallest percentage.
        let nothing: [Recipe.Length?] = [.pixels(0), .percent(0)]
        return nothing.contains(crop.width) || nothing.contains(crop.height) ? nil : crop
    }

    private static func length(_ number: Double, isFraction: Bool) -> Recipe.Length {
        if isFraction { return .percent(DecimalText.quantised(number * 100)) }
        // Cannot trap: 0 to a billion.
        return .pixels(Int(min(number, Double(Crop.pixelRange.upperBound))))
    }
}
