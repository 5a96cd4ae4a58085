// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import RequestGrammar

/// Applies each option to the draft.
extension ImgproxyDraft {
    mutating func take(
        _ kind: ImgproxyOption.Kind, _ arguments: ImgproxyArguments
    ) throws(ImgproxyRefusal) {
        switch kind {
        case .resize: try takeResize(arguments)
        case .size: try takeSize(arguments)
        case .resizingType: try takeResizing(arguments)
        case .width: nameWidth(try side(arguments))
        case .height: height = try side(arguments)
        case .zoom: try takeZoom(arguments)
        case .dpr: nameRatio(try arguments.number(0.1...8))
        case .enlarge: enlarges = arguments.flag()
        case .minWidth: least.width = try side(arguments)
        case .minHeight: least.height = try side(arguments)
        case .extend: try boxCanvas.take(arguments)
        case .extendAspectRatio: try ratioCanvas.take(arguments)
        case .gravity: gravity = try arguments.gravity(after: gravity)
        case .crop: try takeCrop(arguments)
        case .trim: try takeTrim(arguments)
        case .rotate: try takeRotation(arguments)
        case .flip: try takeFlip(arguments)
        case .background: try takeBackground(arguments)
        case .blur:
            // With a sigma below 0.3, each neighbour contributes less than one level of 255.
            let sigma = try arguments.number(0...1_000)
            blur = sigma < 0.3 ? 0 : sigma
        case .sharpen: sharpness = try arguments.number(0.0001...10, or: true)
        case .watermark: try watermark.take(arguments)
        case .quality: quality = try arguments.integer(0...100)
        case .formatQuality: try takeQualities(arguments)
        case .format: format = arguments.texts.first ?? ""
        case .maxSourceResolution: limits.pixels = try megapixels(arguments)
        case .maxFrameResolution: limits.framePixels = try megapixels(arguments)
        case .maxSourceFileSize: limits.bytes = try limit(arguments, of: " bytes")
        case .maxResultDimension: limits.side = try limit(arguments, of: " pixels a side")
        case .maxAnimationFrames: frames = try arguments.integer(1...256, unit: " frames")
        case .expires: expiry = try arguments.time()
        case .filename: try takeFilename(arguments)
        case .keepCopyright: keepsCopyright = arguments.flag()
        case .stripColorProfile: keepsProfile = !arguments.flag()
        // A thumbnail in the file is never used, because the main picture gives a better result.
        case .cachebuster, .enforceThumbnail, .preset: break
        case .autoRotate: try must(be: true, arguments, "Pictor turns every picture upright.")
        case .stripMetadata: try must(be: true, arguments, "Of metadata Pictor keeps the copyright only.")
        case .preserveHDR: try must(be: false, arguments, "Pictor writes 8 bits a channel.")
        case .raw: isRaw = arguments.flag()
        case .returnAttachment: isAttachment = arguments.flag()
        case .skipProcessing: try takePassed(arguments)
        case .maxBytes: maxBytes = try arguments.integer(0...Recipe.byteRange.upperBound, unit: " bytes")
        case .pixelate: block = try arguments.integer(0...Recipe.blockRange.upperBound, unit: " pixels")
        case .padding: try takePadding(arguments)
        case .adjust: try takeAdjustments(arguments)
        case .brightness: brightness = try arguments.integer(Self.brightnesses)
        case .contrast: try takeContrast(arguments)
        case .saturation: saturation = try arguments.number(Self.saturations)
        case .duotone: try takeDuotone(arguments)
        case .page: page = try arguments.integer(0...100_000)
        case .backgroundAlpha: backgroundAlpha = try arguments.number(0...1)
        case .disableAnimation: isStill = arguments.flag()
        case .resizingAlgorithm: try mustBeLanczos(arguments)
        case .watermarkURL: try takeWatermarkURL(arguments)
        }
    }

    /// Checks that a flag has the only value that Pictor supports.
    func must(
        be value: Bool, _ arguments: ImgproxyArguments, _ reason: String
    ) throws(ImgproxyRefusal) {
        if arguments.flag() != value {
            throw .unsupported(option: "\(arguments.name):\(value ? 0 : 1)", reason: reason)
        }
    }
}
