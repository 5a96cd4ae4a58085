// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes
internal import SourceURLs

/// Options of imgproxy Pro that have a counterpart in Pictor.
extension ImgproxyDraft {
    /// Levels that are added to each channel.
    static let brightnesses = -255...255
    /// Factors of the chroma.
    static let saturations = 0.0...10_000

    /// Brightness, contrast and saturation in one option; each may be left out.
    mutating func takeAdjustments(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(3, "brightness:contrast:saturation")
        if arguments.given(0) != nil { brightness = try arguments.integer(Self.brightnesses, at: 0) }
        if arguments.given(1) != nil { contrast = try arguments.number(ContrastSlope.range, at: 1) }
        if arguments.given(2) != nil { saturation = try arguments.number(Self.saturations, at: 2) }
    }

    /// imgproxy uses the same short name for crop_objects, which has classes of objects after its number.
    mutating func takeContrast(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(1, "a factor, 1 for no change")
        contrast = try arguments.number(ContrastSlope.range)
    }

    /// A duotone, from black to white if the URL names no colours.
    mutating func takeDuotone(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        try arguments.atMost(3, "intensity:dark colour:light colour")
        let intensity = try arguments.number(0...1, at: 0)
        let dark = arguments.given(1) == nil ? Color.black : try arguments.colour(1)
        let light = arguments.given(2) == nil ? Color.white : try arguments.colour(2)
        guard intensity == 0 || intensity == 1 else {
            throw .unsupported(
                option: "\(arguments.name) with an intensity between 0 and 1",
                reason: "Pictor's duotone is whole.")
        }
        duotone = intensity > 0 ? .duotone(start: dark, stop: light) : nil
    }

    func mustBeLanczos(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        guard arguments.texts != ["lanczos3"] else { return }
        throw .unsupported(
            option: "\(arguments.name):\(arguments.given(0) ?? "")",
            reason: "Pictor always resizes by Lanczos with three lobes.")
    }

    /// A watermark's URL in base64url; if it is empty, the watermark of the settings is used.
    mutating func takeWatermarkURL(_ arguments: ImgproxyArguments) throws(ImgproxyRefusal) {
        let words = "an http or https URL in base64url"
        try arguments.atMost(1, words)
        guard let digits = arguments.given(0) else {
            watermarkURL = nil
            return
        }
        guard let bytes = Base64URL.decode(digits), let text = String(validating: bytes, as: UTF8.self),
            ["http://", "https://"].contains(where: { text.lowercased().hasPrefix($0) }),
            let url = try? SourceURL.parse(text)
        else { throw arguments.refusal(words) }
        watermarkURL = (text, url)
    }

    /// The watermark of the URL, or of the settings. If the settings name a base, watermarks too must come from that one site.
    func watermarkSource(_ rules: ImgproxyRules) throws(ImgproxyRefusal) -> String {
        guard let watermarkURL else {
            guard !rules.watermark.isEmpty else {
                throw .unsupported(option: "watermark", reason: "imgproxy.watermark names no picture.")
            }
            return rules.watermark
        }
        guard rules.withBase(watermarkURL.text) == watermarkURL.text else {
            throw .unsupported(
                option: "watermark_url", reason: "Its URL does not begin with imgproxy.base-url.")
        }
        return watermarkURL.url.absolute
    }

    /// Sets light and colours in the recipe.
    func readAdjustments(_ recipe: inout Recipe) {
        // Cannot trap: −100…100.
        recipe.brightness = Brightness(Int((Double(brightness) * 100 / 255).rounded()))
        recipe.contrast = ContrastSlope.steps(contrast)
        recipe.modulation.saturation = DecimalText.quantised(saturation)
        recipe.filter = duotone
    }

    /// Sets the page, and for animations one frame or all. With frames, imgproxy takes those from the first on, whatever the page.
    func readPages(_ recipe: inout Recipe) throws(ImgproxyRefusal) {
        guard page == 0 || frames == 1 || isStill else {
            throw .unsupported(
                option: "page with max_animation_frames",
                reason: "Of an animation Pictor takes the frames from that page on; add disable_animation:1.")
        }
        recipe.page = page
        recipe.pages = isStill ? 1 : frames
    }
}
