// SPDX-License-Identifier: Apache-2.0

internal import CVips
internal import ImageHeaders
internal import Recipes

extension Rendering {
    /// Removes a border of one colour. An area that is no border in any one frame is kept in every frame.
    mutating func trim() throws(ImagingFailure) {
        let size = picture.size
        let looksOverNoise = job.header.format.isNoisy
        // Noise is recognised in windows of 3 × 3 pixels.
        guard let trim = recipe.trim, !looksOverNoise || min(size.width, size.height) >= 3 else { return }
        // An opaque picture has nothing like a translucent colour, whose premultiplied components alone could
        // be taken for black.
        if !picture.hasAlpha, let colour = trim.color, 255 - Int(colour.alpha) > trim.threshold { return }
        try frames.settle()
        let border = try picture.border(trim)
        var kept: PixelArea?
        for index in 0..<frames.count {
            let found = try frames[index].inMemory().contents(
                within: trim.threshold, of: border, looksOverNoise: looksOverNoise)
            if let found {
                kept = found.union(kept)
            }
        }
        // A picture of nothing but border stays as it is.
        guard let kept, kept.size != size else { return }
        try change { (page) throws(ImagingFailure) in
            try page.cropped(x: kept.x, y: kept.y, to: kept.size)
        }
    }
}

extension Picture {
    /// The border's pixel with as many bands as the picture. Colours are multiplied by alpha, because an invisible
    /// pixel has no colour.
    fileprivate func border(_ trim: Trim) throws(ImagingFailure) -> [Double] {
        let straight =
            if let color = trim.color {
                color.numbers(bands: facts.bands)
            } else if trim.isByLastPixel {
                try pixel(x: size.width - 1, y: size.height - 1)
            } else {
                try pixel(x: 0, y: 0)
            }
        guard hasAlpha, let alpha = straight.last else { return straight }
        return straight.dropLast().map { ($0 * alpha / 255).rounded() } + [alpha]
    }

    /// The box around the pixels that differ from the border in colour or alpha.
    fileprivate func contents(
        within threshold: Int, of border: [Double], looksOverNoise: Bool
    ) throws(ImagingFailure) -> PixelArea? {
        guard hasAlpha, let alpha = border.last else {
            return try contents(threshold: threshold, background: border, looksOverNoise: looksOverNoise)
        }
        let last = Int32(border.count) - 1
        let byColour = try premultiplied().bands(0..<last).inMemory().contents(
            threshold: threshold, background: border.dropLast(), looksOverNoise: looksOverNoise)
        let byAlpha = try bands(last..<last + 1).inMemory().contents(
            threshold: threshold, background: [alpha], looksOverNoise: looksOverNoise)
        return byColour?.union(byAlpha) ?? byAlpha
    }
}

extension ImageFormat {
    /// True for formats that are mostly lossy or scanned, so that a pixel unlike its neighbours is noise. In other
    /// formats it is a drawing's line or a letter's edge.
    fileprivate var isNoisy: Bool { [.jpeg, .webp, .avif, .heic, .jxl, .tiff].contains(self) }
}
