// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension JobPrice {
    /// Bytes per pixel of the rendition for its encoder.
    static func encoding(
        _ header: ImageHeader, _ recipe: Recipe, _ encoders: EncoderDefaults
    ) -> Int {
        switch recipe.resolvedOutput(for: header) {
        // Progressive: as in `loading`. Codes that are made for the picture have its coefficients held too, two bytes each.
        case .jpeg where recipe.interlaced: 7
        case .jpeg: encoders.jpegOptimised && mayHaveFullChroma(.jpeg, recipe, encoders) ? 7 : 2
        // A picture with a palette gets one again, and the header does not tell.
        case .png: header.format == .png ? 8 : recipe.interlaced ? 6 : 2
        // The file is made in memory, and noise becomes no smaller in it.
        case .tiff: recipe.leavesAlpha(in: header) ? 7 : 5
        // Chroma has the density of luma, and libaom holds more of what it has coded.
        case .avif where recipe.lossless: 64
        case .avif where mayHaveFullChroma(.avif, recipe, encoders): 48
        // Frames are coded one after the other.
        case .webp where recipe.triesExact(header) && recipe.framesTaken(from: header) > 1: copy + 20
        case .webp where recipe.triesExact(header), .avif where recipe.triesExact(header): copy + 32
        // Alpha is coded losslessly, which holds the picture in several forms.
        case .webp: recipe.lossless ? 32 : recipe.leavesAlpha(in: header) ? 20 : 6
        // Of a GIF's frames one at a time is coded, and all are held, which takes a copy of each.
        case .gif, .avif, .heic: 25
        // libjxl 0.7 takes 57 with loss, of the highest qualities 62, with alpha 84, and 312 with the efforts of 8 and 9; without loss
        // 77 and 100 at most.
        case .jxl where recipe.lossless: recipe.leavesAlpha(in: header) ? 100 : 78
        case .jxl: encoders.jxlEffort > 7 ? 316 : recipe.leavesAlpha(in: header) ? 86 : 64
        case .svg, .bmp, .ico, .pdf: 8
        }
    }

    /// True for a JPEG or an AVIF whose quality may be one with all of its chroma.
    static func mayHaveFullChroma(
        _ format: ImageFormat, _ recipe: Recipe, _ encoders: EncoderDefaults
    ) -> Bool {
        switch recipe.quality {
        case .number(let quality): quality >= Quality.fullChroma
        // A search ends with all of it where half does not show a picture's colours, whatever the likeness.
        case .likeness: true
        case nil: recipe.formatQualities[format] ?? encoders.quality(of: format) >= Quality.fullChroma
        }
    }

    /// Bytes per pixel of the rendition for files that are held: its own until a profile or a text can be put into it, and a copy of a
    /// WebP original whose bytes may be the answer. Noise with alpha has four of those for each pixel.
    static func holding(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let own = recipe.profile == .sRGB && recipe.metadata == .none && !recipe.keepsGainMap ? 0 : copy
        let mayBeKept =
            header.format == .webp && recipe.resolvedOutput(for: header) == .webp
            && recipe.leavesPixels(of: header)
        return mayBeKept ? own + 4 : own
    }
}
