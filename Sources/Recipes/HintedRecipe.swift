// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// Makes the picture in the box this many pixels wide, whatever `dpr` is. `dpr` applies to all other lengths. Nil =
    /// the width stays as it is.
    package mutating func setWidth(ofPicture pixels: Int?) {
        guard let pixels else { return }
        height = height?.multiplied(by: pixelRatio)
        scaleEdges(by: pixelRatio)
        scaleLeast(by: pixelRatio)
        pixelRatio = 1
        width = .pixels(min(max(pixels, Length.pixelRange.lowerBound), Length.pixelRange.upperBound))
    }

    /// True if the picture may depend on the settings' quality.
    package var takesStandardQuality: Bool {
        guard quality == nil, !lossless else { return false }
        switch output {
        case .json, .raw: return false
        case .format(let format): return format.hasStandardQuality
        case .source, .auto: return true
        }
    }

    /// The recipe for a client that gets this percentage of the settings' quality, if the recipe has no quality of its
    /// own. The output must be resolved.
    package func saving(to percent: Int, of defaults: EncoderDefaults) -> Recipe {
        guard percent < 100, takesStandardQuality, case .format(let format) = output else { return self }
        var recipe = self
        // Cannot trap: both factors are 1…100.
        recipe.quality = .number(max(1, defaults.quality(of: format) * percent / 100))
        return recipe
    }
}

extension EncoderDefaults {
    /// The quality for a recipe without one, on the scale of the format's encoder.
    package func quality(of format: ImageFormat) -> Int {
        switch format {
        case .webp: webpQuality
        case .avif: avifQuality
        case .jxl: jxlQuality
        default: jpegQuality
        }
    }
}
