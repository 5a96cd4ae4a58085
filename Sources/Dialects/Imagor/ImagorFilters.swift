// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

extension OperationGrammar {
    /// The grammar, by imagor's documents and code (imagorpath/parse.go, processor/vipsprocessor).
    static let imagor: OperationGrammar = OperationGrammar(
        hasStretch: true, hasPadding: true, hasFractions: true, cutsToEdges: true, fillsCuts: true,
        skipsSlashes: true, meaning: parameters, report: .imagor, filters: imagorFilters)

    @Sendable private static func parameters(_ rest: ArraySlice<UInt8>) -> String? {
        ImagorParameters(rest, imagor)?.json
    }

    private static let imagorFilters: [String: FilterRule] = [
        "autojpg": .makes { draft, _ in
            if draft.recipe.output != .json { draft.recipe.output = .format(.jpeg) }
        },
        "attachment": .imagorAttachment,
        "avgcolor": .makes { draft, _ in draft.recipe.jsonExtras.insert(.average) },
        "background_color": .backgroundColor, "blur": .imagorBlur,
        "blurhash": .imagorBlurHash, "brightness": .brightness,
        "compression": .imagorCompression, "contrast": .imagorContrast, "crop": .imagorCrop,
        "dpi": .makes { draft, _ in draft.hasDensity = true }, "draw_detections": .passes,
        "expire": .imagorExpire, "fill": .imagorFill, "focal": .imagorFocal,
        "format": .format(
            [
                "png": .png, "jpeg": .jpeg, "jpg": .jpeg, "gif": .gif, "webp": .webp, "avif": .avif,
                "tiff": .tiff, "jxl": .jxl, "bmp": .jpeg, "pdf": .jpeg, "svg": .jpeg,
            ],
            refused: [
                "heif": "Pictor writes no HEIF; avif is like it.",
                "jp2": "Pictor writes no JPEG 2000; jxl is like it.",
            ]),
        "grayscale": .grayscale, "hue": .imagorHue,
        "invert": .makes { draft, _ in draft.recipe.filter = .negate },
        "lossless": .makes { draft, _ in draft.recipe.lossless = true }, "max_age": .maxAge,
        "max_bytes": .maxBytes, "max_frames": .imagorMaxFrames, "modulate": .imagorModulate,
        "no_upscale": .noUpscale,
        "orient": .imagorOrient, "padding": .imagorPadding, "page": .imagorPage,
        "pixelate": .imagorPixelate, "preview": .passes,
        "proportion": .imagorProportion, "quality": .quality,
        "raw": .makes { draft, _ in draft.isRaw = true }, "rgb": .rgb,
        "rotate": .rotate(0...270), "round_corner": .imagorRoundCorner,
        "saturation": .imagorSaturation, "sharpen": .imagorSharpen,
        "stretch": .stretch, "strip_exif": .passes, "strip_icc": .passes, "strip_metadata": .passes,
        "thumbhash": .makes { draft, _ in draft.recipe.jsonExtras.insert(.thumbhash) },
        "to_colorspace": .imagorColorspace, "upscale": .upscale, "watermark": .watermark,
        "bitdepth": .refused("Pictor chooses it."),
        "fallback_format": .refused("Pictor knows one format for all pictures of a URL."),
        "image": .refused("watermark lays a picture over another."),
        "label": .imagorLabel,
        "palette": .refused("Pictor chooses it."),
        "redact": .refused("Pictor finds no faces."), "redact_oval": .refused("Pictor finds no faces."),
        "text": .imagorText,
        "trim": .refused("trim/ cuts off a border before the picture is resized."),
    ]
}

extension FilterRule {
    /// `blur(radius)` or `blur(radius,sigma)`.
    static let imagorBlur = FilterRule.makes { draft, call throws(OperationRefusal) in
        let isExplicit = call.arguments.count == 2
        guard let number = call.number(isExplicit ? 1 : 0), (0...1_000).contains(number) else {
            throw call.refusal("a radius, twice the sigma; or a radius and a sigma of 0…1000")
        }
        draft.blur(sigma: isExplicit ? number : number / 2)
    }

    static let imagorSharpen = FilterRule.makes { draft, call throws(OperationRefusal) in
        let index = call.arguments.count > 1 ? 1 : 0
        guard let number = call.number(index), (-0.4999...4.5).contains(number) else {
            throw call.refusal("a number of −0.4999…4.5")
        }
        try draft.once(call)
        // A recipe's `x1` is 2, while imagor's is 1: sharpening begins at half the contrast.
        draft.recipe.sharpen = Sharpening(
            sigma: DecimalText.quantised(1 + 2 * number), flat: 0, jagged: 2)
    }

    /// `contrast(percent)`: the factor by which levels are moved away from the middle.
    static let imagorContrast = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.number(0) else { throw call.refusal("a number of −100…100") }
        try draft.once(call)
        let level = min(max(number * 255 / 100, -255), 255)
        draft.setContrast(factor: 259 * (level + 255) / (255 * (259 - level)))
    }

    static let imagorHue = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let degrees = call.number(0) else { throw call.refusal("degrees") }
        draft.modulate(hue: degrees)
    }

    static let imagorSaturation = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let percent = call.number(0), percent >= -100 else {
            throw call.refusal("a number of −100…100")
        }
        draft.modulate(chroma: 1 + percent / 100)
    }

    /// `modulate(brightness,saturation,hue)`.
    static let imagorModulate = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.count == 3, let light = call.number(0), let chroma = call.number(1),
            let hue = call.number(2), light >= -100, chroma >= -100
        else { throw call.refusal("two numbers of −100…100, and degrees") }
        draft.modulate(lightness: 1 + light / 100, chroma: 1 + chroma / 100, hue: hue)
    }

    /// `focal(AxB:CxD)` or `focal(X,Y)`: fractions of the sides if A and B are below 1 and C and D at most 1, else pixels.
    static let imagorFocal = FilterRule.makes { draft, call throws(OperationRefusal) in
        let text = call.arguments.joined(separator: ",")
        let numbers = text.split { "x,:".contains($0) }.compactMap {
            DecimalText.readScientific(String($0))
        }
        guard numbers.count == 2 || numbers.count == 4, numbers.allSatisfy({ $0 >= 0 }),
            let area = FocalArea(
                numbers, inPixels: numbers.prefix(2).contains { $0 >= 1 } || numbers.contains { $0 > 1 })
        else { throw call.refusal("AxB:CxD with AxB left and above of CxD, or X,Y") }
        draft.focus.append(area)
    }

    /// `crop(left,top,width,height)` of the resized picture; numbers below 1 are fractions.
    static let imagorCrop = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard call.arguments.count == 4, let left = call.number(0), let top = call.number(1),
            let width = call.number(2), let height = call.number(3), left >= 0, top >= 0, width > 0,
            height > 0
        else { throw call.refusal("left, top, width and height, in pixels or in fractions below 1") }
        guard draft.path.fitIn == nil || draft.fill == nil else {
            throw .unsupported(what: "crop", reason: "Pictor cuts before it fills.")
        }
        try draft.once(call)
        var crop = Crop()
        (crop.x, crop.y) = (ImagorCrop.length(left), ImagorCrop.length(top))
        (crop.width, crop.height) = (ImagorCrop.length(width), ImagorCrop.length(height))
        draft.recipe.crop = crop
        draft.turnBeforeCrop = draft.turn
    }

    /// `orient(angle)`: a turn before the picture is cut and resized.
    static let imagorOrient = FilterRule.makes { draft, call throws(OperationRefusal) in
        draft.firstTurn = try PictureTurn(call, 0...270)
    }

    /// `proportion(percentage)`: numbers above 1 are percent.
    static let imagorProportion = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.number(0), number > 0 else { throw call.refusal("percent above 0") }
        let part = min(number, 100)
        draft.proportion *= part > 1 ? part / 100 : part
    }

    static let imagorMaxFrames = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.integer(0), number > 0 else { throw call.refusal("1 or more") }
        draft.recipe.pages = min(number, 256)
    }

    /// `page(number)`: pages are counted from 1.
    static let imagorPage = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let number = call.integer(0), (1...100_001).contains(number) else {
            throw call.refusal("1…100001")
        }
        draft.recipe.page = number - 1
    }

    static let imagorCompression = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let level = call.integer(0), (0...9).contains(level) else { throw call.refusal("0…9") }
        draft.recipe.pngLevel = level
    }

    static let imagorColorspace = FilterRule.makes { draft, call throws(OperationRefusal) in
        switch call.text(0)?.lowercased() ?? "srgb" {
        case "srgb": draft.recipe.profile = .sRGB
        case "p3": draft.recipe.profile = .displayP3
        default: throw .unsupported(what: "to_colorspace", reason: "Pictor writes srgb and p3.")
        }
    }

    /// `expire(timestamp)`: milliseconds of unix time.
    static let imagorExpire = FilterRule.makes { draft, call throws(OperationRefusal) in
        guard let end = ExpireFilter.seconds(call) else {
            throw call.refusal("unix time in milliseconds, 1…15 digits")
        }
        draft.delivery.expiry = min(draft.delivery.expiry ?? end, end)
    }
}

private enum ImagorCrop {
    static func length(_ number: Double) -> Recipe.Length {
        if number > 0, number < 1 { return .percent(DecimalText.quantised(number * 100)) }
        // Cannot trap: 0…65,535.
        return .pixels(Int(min(number, Double(Crop.pixelRange.upperBound))))
    }
}
