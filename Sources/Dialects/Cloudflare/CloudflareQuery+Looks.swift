// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import ImageHeaders
internal import Recipes

/// Colours, light and the file.
extension CloudflareQuery {
    func readColours(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        if let colour = try colour("background") {
            recipe.background = colour
            // A translucent colour is laid under the whole result once, so the bars of `contain` stay transparent.
            if recipe.fit == .contain { recipe.containBackground = colour.isOpaque ? colour : .transparent }
        }
        if let radius = try factor("blur", 1...250) { recipe.blur = .gaussian(radius) }
        if let strength = try factor("sharpen", 0.0001...10) { recipe.sharpen = Sharpening(sigma: strength) }
        if let light = try factor("brightness", 0.0001...100) { recipe.modulation.brightness = light }
        if let chroma = try number("saturation", 0...100) { recipe.modulation.saturation = chroma }
        if let factor = try factor("contrast", ContrastSlope.range) {
            recipe.contrast = ContrastSlope.steps(factor)
        }
        if let factor = try factor("gamma", 0.1...10) {
            // At Cloudflare a factor above 1 lightens. A recipe's gamma is the exponent, and above 1 it darkens.
            // Cannot trap: a division of Doubles, and the factor is 0.1…10.
            recipe.gamma = DecimalText.quantised(1 / factor)
        }
    }

    func readFormat(_ recipe: inout Recipe) throws(CloudflareRefusal) {
        let formats: KeyValuePairs<String, Recipe.Output> = [
            "auto": .auto, "avif": .format(.avif), "webp": .format(.webp), "jpeg": .format(.jpeg),
            "jpg": .format(.jpeg), "baseline-jpeg": .format(.jpeg), "png": .format(.png), "json": .json,
        ]
        recipe.output = try choice("format", formats) ?? .source
        recipe.interlaced = recipe.output == .format(.jpeg) && given["format"] != "baseline-jpeg"
        recipe.quality = try quality("quality")
        if recipe.output == .format(.webp), recipe.quality == .number(100) {
            (recipe.lossless, recipe.quality) = (true, nil)
        }
        recipe.metadata = try metadata(of: recipe.output)
        recipe.pages = try choice("anim", ["true": -1, "false": 1]) ?? -1
    }

    /// The metadata to keep. By default Cloudflare keeps a JPEG's copyright, and nothing in other formats.
    private func metadata(of output: Recipe.Output) throws(CloudflareRefusal) -> Recipe.Metadata {
        if given["metadata"] == "keep" {
            throw .unsupported(
                option: "metadata=keep", reason: "Of metadata Pictor keeps the copyright only.")
        }
        let usual: Recipe.Metadata =
            if case .format(let format) = output, format != .jpeg { .none } else { .copyright }
        return try choice("metadata", ["none": .none, "copyright": .copyright]) ?? usual
    }
}
