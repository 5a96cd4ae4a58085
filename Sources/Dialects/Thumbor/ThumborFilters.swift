// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import ImageHeaders
internal import Recipes

extension OperationGrammar {
    /// The grammar, by thumbor's documents and code (libthumbor/url.py, thumbor/filters).
    static let thumbor = OperationGrammar(
        hasDebug: true, hasOriginalSides: true, isLosslessAtBest: true, report: .thumbor,
        filters: thumborFilters)

    private static let thumborFilters: [String: FilterRule] = [
        "autojpg": .thumborAutoJPEG, "background_color": .backgroundColor, "blur": .thumborBlur,
        "brightness": .brightness,
        "contrast": .thumborContrast, "cover": .makes { draft, _ in draft.recipe.pages = 1 },
        "fill": .thumborFill, "focal": .thumborFocal,
        "format": .format(
            [
                "png": .png, "jpeg": .jpeg, "jpg": .jpeg, "gif": .gif, "webp": .webp, "avif": .avif,
            ],
            refused: [
                "heic": "Pictor writes no HEIC; avif is like it.",
                "heif": "Pictor writes no HEIF; avif is like it.",
            ]),
        "grayscale": .grayscale, "max_age": .maxAge, "max_bytes": .maxBytes, "no_upscale": .noUpscale,
        "proportion": .thumborProportion, "quality": .quality, "rgb": .rgb,
        "rotate": .rotate(-1_000_000_000...1_000_000_000), "round_corner": .thumborRoundCorner,
        "saturation": .thumborSaturation,
        "sharpen": .thumborSharpen, "stretch": .stretch, "strip_exif": .passes, "strip_icc": .passes,
        "upscale": .thumborUpscale, "watermark": .watermark,
        "colorize": .refused("Pictor has no such effect."),
        "convolution": .refused("Pictor has no such effect."),
        "curve": .refused("Pictor has no such effect."), "equalize": .refused("Pictor has no such effect."),
        "extract_focal": .refused("Pictor reads no URL within a URL."),
        "frame": .refused("Pictor draws no frame."),
        "noise": .refused("Pictor has no such effect."), "red_eye": .refused("Pictor finds no eyes."),
    ]
}

extension FilterRule {
    /// `blur(radius,sigma)`. Thumbor's kernel ends at the radius, and so is narrower than the Gaussian of its sigma; the kernel's
    /// spread is used.
    fileprivate static let thumborBlur = FilterRule.makes { draft, call throws(OperationRefusal) in
        let words = "a radius of 1 or more, and a sigma"
        guard let radius = call.integer(0), radius > 0 else { throw call.refusal(words) }
        var sigma = Double(radius)
        if call.arguments.count > 1 {
            guard let number = call.number(1), number >= 0 else { throw call.refusal(words) }
            if number > 0 { sigma = number }
        }
        draft.blur(sigma: ThumborKernel.spread(radius: radius, sigma: sigma))
    }

    /// `autojpg()`: a JPEG, or a PNG if there is alpha; a format that the URL names takes precedence.
    fileprivate static let thumborAutoJPEG = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.isEmpty || call.flag(0) != nil else { throw call.refusal("true or false") }
        if call.flag(0) != false, draft.recipe.output == .source { draft.recipe.output = .auto }
    }

    /// `contrast(percent)`: the factor is the square of 1 plus the fraction.
    fileprivate static let thumborContrast = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.integer(0), (-100...100).contains(number) else {
            throw call.refusal("a number of −100…100")
        }
        try draft.once(call)
        let root = 1 + Double(number) / 100
        draft.setContrast(factor: root * root)
    }

    /// `saturation(factor)`: the number is the factor itself, as in thumbor's code; a negative one inverts the hue.
    fileprivate static let thumborSaturation = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let factor = call.number(0), factor.magnitude <= 10_000 else {
            throw call.refusal("a factor, 1 for no change")
        }
        draft.modulate(chroma: factor.magnitude, hue: factor < 0 ? 180 : 0)
    }

    /// `sharpen(amount,radius,luminance_only)`.
    fileprivate static let thumborSharpen = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.count == 3, let amount = call.number(0), let radius = call.number(1),
            call.flag(2) != nil, (0...1_000).contains(amount), (0...10).contains(radius)
        else { throw call.refusal("an amount of 0…1000, a radius of 0…10, and true or false") }
        try draft.once(call)
        if amount == 0 || radius == 0 { return }
        draft.recipe.sharpen = Sharpening(sigma: radius, flat: amount, jagged: amount)
    }

    /// `fill(color,fill_transparent)`.
    fileprivate static let thumborFill = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.count < 2 || call.flag(1) != nil else {
            throw call.refusal("\(RecipeDraft.colors), and true or false")
        }
        guard draft.turn.swapsSides == false else {
            throw .unsupported(
                what: "fill", reason: "Pictor fills before it turns: rotate stands behind it.")
        }
        try draft.once(call)
        guard call.text(0) != "blur" else {
            // Thumbor blurs with a radius of 50 pixels.
            draft.fill = .init(
                color: .transparent, blur: DecimalText.quantised(ThumborKernel.spread(radius: 50, sigma: 50)))
            return
        }
        let sample: ColourSample? = call.text(0) == "auto" ? .average : nil
        let color = try sample == nil ? draft.color(call, 0) : .transparent
        draft.fill = .init(color: color, sample: sample, isUnder: call.flag(1) ?? false)
    }

    /// `round_corner(a|b,red,green,blue,transparent)`.
    fileprivate static let thumborRoundCorner = FilterRule.makes { draft, call throws(OperationRefusal) in
        let levels = (1...3).compactMap { call.integer($0) }.filter { (0...255).contains($0) }
        guard let text = call.text(0), levels.count == 3, call.arguments.count < 5 || call.flag(4) != nil
        else { throw call.refusal("a radius, three numbers of 0…255, and true or false") }
        try draft.once(call)
        let radii = text.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        try draft.round(radii, call)
        if call.flag(4) != true {
            let parts = levels.map { UInt8(clamping: $0) }
            var rest = parts[...]
            draft.recipe.background = Color(
                red: rest.popFirst() ?? 0, green: rest.popFirst() ?? 0, blue: rest.popFirst() ?? 0)
        }
    }

    /// `upscale()`. It has no effect with `fill`, because a filled picture has the size of the box already, and none with one side:
    /// thumbor takes the other side for 0, and no picture is too small for that (thumbor/filters/upscale.py).
    fileprivate static let thumborUpscale = FilterRule.makes { draft, _ in
        let hasBox = draft.path.width != .free && draft.path.height != .free
        if hasBox, draft.fill == nil { draft.enlarges = true }
    }

    /// `focal(AxB:CxD)`, in pixels of the original.
    fileprivate static let thumborFocal = FilterRule.makes { draft, call throws(OperationRefusal) in
        let parts = (call.text(0) ?? "").split(separator: ":", omittingEmptySubsequences: false).flatMap {
            $0.split(separator: "x", omittingEmptySubsequences: false)
        }
        let numbers = parts.compactMap { DecimalText.read(String($0)) }
        guard parts.count == 4, numbers.count == 4, call.arguments.count == 1,
            numbers.allSatisfy({ $0 >= 0 }), let area = FocalArea(numbers, inPixels: true)
        else { throw call.refusal("AxB:CxD in pixels, with AxB left and above of CxD") }
        draft.focus.append(area)
    }

    fileprivate static let thumborProportion = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let part = call.number(0), part > 0, part <= 1 else {
            throw call.refusal("a number above 0, and 1 at most")
        }
        draft.proportion *= part
    }
}

/// The kernel of `blur`: a Gaussian that is cut off at the radius (`generate_1d_matrix` in thumbor/filters/blur.py).
enum ThumborKernel {
    /// The kernel's standard deviation in pixels.
    static func spread(radius: Int, sigma: Double) -> Double {
        let radius = min(radius, 150)
        var (weights, squares) = (0.0, 0.0)
        for offset in -radius...max(radius, 0) {
            let square = Double(offset * offset)
            let weight = exp(-square / (2 * sigma * sigma))
            weights += weight
            squares += weight * square
        }
        // Cannot trap: arithmetic of Doubles, and the weight in the middle is 1.
        return (squares / weights).squareRoot()
    }
}
