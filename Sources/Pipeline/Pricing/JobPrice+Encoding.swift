// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension JobPrice {
    /// Bytes per pixel of the rendition for its encoder.
    static func encoding(
        _ header: ImageHeader, _ recipe: Recipe, _ encoders: EncoderDefaults
    ) -> Int {
        switch recipe.resolvedOutput(for: header) {
        // A progressive JPEG's coefficients are held, as in `loading`, two bytes each. Huffman tables optimised for the picture need
        // the same.
        case .jpeg where recipe.interlaced: 7
        case .jpeg: encoders.jpegOptimised && mayHaveFullChroma(.jpeg, recipe, encoders) ? 7 : 2
        // An original PNG with a palette becomes one with a palette again, which needs more; the header does not tell which one has a
        // palette.
        case .png: header.format == .png ? 8 : recipe.interlaced ? 6 : 2
        // The file is made in memory, and compression does not make noise smaller.
        case .tiff: recipe.leavesAlpha(in: header) ? 7 : 5
        // Lossless AVIF stores chroma at luma's resolution, and libaom holds more of what it has coded.
        case .avif where recipe.lossless: 64
        case .avif where mayHaveFullChroma(.avif, recipe, encoders): 48
        // An animation's frames are coded one after the other, so one frame's working memory is enough.
        case .webp where recipe.triesExact(header) && recipe.framesTaken(from: header) > 1: copy + 20
        case .webp where recipe.triesExact(header): copy + (recipe.leavesAlpha(in: header) ? 35 : 32)
        case .avif where recipe.triesExact(header): copy + 32
        // Lossless coding, also of alpha alone, holds the picture in several forms.
        case .webp where recipe.framesTaken(from: header) > 1:
            recipe.lossless ? 32 : recipe.leavesAlpha(in: header) ? 20 : 6
        // The file of a still picture is held as well. Noise fills it, and it grows by being copied to twice the room.
        case .webp where recipe.lossless: recipe.leavesAlpha(in: header) ? 48 : 37
        case .webp: recipe.leavesAlpha(in: header) ? 27 : 6
        // A GIF's frames are coded one at a time but all held, which takes a copy of each.
        case .gif, .avif, .heic: 25
        // libjxl 0.7, measured: lossy 57, at the highest qualities 62, with alpha 84, with effort 8 or 9 312; lossless 77, with alpha 100.
        case .jxl where recipe.lossless: recipe.leavesAlpha(in: header) ? 100 : 78
        case .jxl: encoders.jxlEffort > 7 ? 316 : recipe.leavesAlpha(in: header) ? 86 : 64
        case .svg, .bmp, .ico, .pdf: 8
        }
    }

    /// True for a JPEG or an AVIF that may be encoded at a quality with full chroma (4:4:4).
    static func mayHaveFullChroma(
        _ format: ImageFormat, _ recipe: Recipe, _ encoders: EncoderDefaults
    ) -> Bool {
        switch recipe.quality {
        case .number(let quality): quality >= Quality.fullChroma
        // A search ends with full chroma where halved chroma misses the picture's colours, whatever likeness is wanted.
        case .likeness: true
        case nil: recipe.formatQualities[format] ?? encoders.quality(of: format) >= Quality.fullChroma
        }
    }

    /// Bytes per pixel of the rendition for the files that are held: its encoded file, until a profile, metadata or a gain map can be
    /// put into it, and a copy of a WebP original whose bytes may be the answer. Noise with alpha has four bytes per pixel.
    static func holding(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let own = recipe.profile == .sRGB && recipe.metadata == .none && !recipe.keepsGainMap ? 0 : copy
        let mayBeKept =
            header.format == .webp && recipe.resolvedOutput(for: header) == .webp
            && recipe.leavesPixels(of: header)
        return mayBeKept ? own + 4 : own
    }
}
