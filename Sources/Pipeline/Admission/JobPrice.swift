// SPDX-License-Identifier: Apache-2.0
//
// The peak growth of a decoder's memory during a job, estimated before the job starts:
//
//     fixed  +  pixels that are decoded × loading
//            +  pixels of a row of the original, where it is wide × rows that are held
//            +  pixels of the original × steps that need all of them
//            +  pixels of the result × (copies that steps make + the encoder's own)
//            +  the watermark likewise
//
// The factors are bytes per pixel, measured by Benchmarks/prices.py and rounded up. If the header leaves
// something open, the worst case counts. Steps that only pass rows on cost nothing: a blur, a tint, a resize.

package import ImageHeaders
package import Recipes

/// The memory price of a job: bytes that its decoder will probably need.
package enum JobPrice {
    /// Bytes of threads, tables, rows and buffers of any job.
    static let fixed = 16 << 20

    /// Bytes beyond that: of a PNG's rows, of which libvips 8.16 holds more than 8.14, up to 14 MB above the rest of the price, the
    /// most while other programs want the cores; of a drawing's elements and fonts, up to 8 MB above it for a file of 1 KB; and of
    /// a document's pictures, of which no header tells: a page scanned with 400 dots an inch has 16 megapixels of 4 bytes.
    private static func extra(_ header: ImageHeader) -> Int {
        switch header.format {
        case .png: 16 << 20
        case .svg: 12 << 20
        case .pdf: 64 << 20
        default: 0
        }
    }

    /// Bytes of the rows of a wide picture, beyond those of one that is half as wide again as high, as measured pictures are.
    /// libvips holds some hundred rows at once, of a low picture all, and at each step.
    private static func rows(ofWide header: ImageHeader, _ recipe: Recipe, _ geometry: Geometry) -> Int {
        // Drawings are as wide as the result.
        guard !header.format.isVector else { return 0 }
        let stored = header.stored
        let target = geometry.resized.turned(by: header.orientation)
        let shrink =
            header.format == .jpeg && !recipe.wantsAllPixels ? Recipe.jpegShrink(from: stored, to: target) : 1
        // Cannot trap: 1 to 8.
        let (width, height) = (header.width / shrink, header.height / shrink)
        let pixels = product(width, height)
        // Cannot trap: half as much again as the root of a whole number.
        let usual = Int((Double(pixels).squareRoot() * 1.5).rounded(.up))
        let (column, pixel) = strip(header, recipe)
        return min(product(max(0, width - usual), column), product(pixels, pixel))
    }

    /// Bytes for each of a row's pixels, and for each pixel at most: 2.4 KB and 11.9 for red, green and blue, 4.7 KB and 17.6 with
    /// alpha, 12.3 KB and 41.7 with alpha of 16 bits.
    private static func strip(_ header: ImageHeader, _ recipe: Recipe) -> (column: Int, pixel: Int) {
        // Light has 16 bits; a TIFF's strips may be small.
        let isDeep = header.isDeep || header.format == .tiff || recipe.linear
        // A JPEG and a TIFF may have four inks. A JPEG's are colours before it is cut.
        let mayHaveInks = header.format == .jpeg && ![1, 3].contains(header.components)
        let hasInks = header.format == .tiff || mayHaveInks && (isDeep || !recipe.cutsOriginal)
        let hasFour = header.hasAlpha || hasInks
        return isDeep
            ? (hasFour ? 13 << 10 : 9 << 10, hasFour ? 42 : 30)
            : (hasFour ? 6 << 10 : 3 << 10, hasFour ? 18 : 12)
    }

    /// Bytes of a drawing that is passed on: its text, what is written of it, and what its elements are known by.
    private static let drawing = fixed + 24 << 20

    /// Bytes of the sample that a search for a quality compares, whatever the picture's size.
    private static let sample = 50 << 20

    /// Bytes of an original's own profile of the greatest length, of which there are several copies at once.
    private static let profile = 4 << 20

    // A gain map has at most the picture's pixels, and a progressive one a quarter of them. It grows to the size of the result
    // before it is cut: three copies.

    /// Bytes per pixel of one more copy of the picture: red, green, blue, alpha.
    private static let copy = 4
    /// Bytes per pixel of a copy with premultiplied alpha, in floats.
    private static let floats = 16

    /// The price in bytes.
    /// - Parameters:
    ///   - watermark: the header of the watermark; nil without one.
    package static func bytes(
        header: ImageHeader, recipe: Recipe, watermark: ImageHeader? = nil,
        encoders: EncoderDefaults = EncoderDefaults()
    ) -> Int {
        recipe.shapes(of: header).reduce(0) { price, shape in
            let geometry = Geometry.plan(upright: shape.upright, recipe: recipe)
            return max(
                price,
                bytes(
                    of: header, shape, recipe: recipe, watermark: watermark, encoders: encoders, geometry))
        }
    }

    /// Pixels that a rendition of this page may have where the header does not tell the page's shape; nil where it does.
    static func pixels(header: ImageHeader, recipe: Recipe) -> Int? {
        guard header.shapes(ofPage: recipe.page).count > 1 else { return nil }
        return recipe.shapes(of: header).reduce(0) { pixels, shape in
            let (across, down) = sides(of: Geometry.plan(upright: shape.upright, recipe: recipe))
            // A page may be longer than a shape by less than a pixel, and what is made of it too.
            let (width, height) = (sum(across, 1), sum(down, 1))
            return max(pixels, recipe.isQuarterTurn ? product(width, height) : turned(width, height))
        }
    }

    private static func sides(of geometry: Geometry) -> (width: Int, height: Int) {
        let (resized, canvas) = (geometry.resized, geometry.padded)
        return (max(resized.width, canvas.width), max(resized.height, canvas.height))
    }

    /// The price of a picture of one shape, in bytes.
    /// - Parameters:
    ///   - original: counts the pixels of the page.
    ///   - header: the same with the shape, see `Recipe.shapes(of:)`.
    ///   - geometry: the recipe's for it.
    static func bytes(
        of original: ImageHeader, _ header: ImageHeader, recipe: Recipe, watermark: ImageHeader?,
        encoders: EncoderDefaults, _ geometry: Geometry
    ) -> Int {
        if recipe.keepsDrawing(of: header) { return drawing }
        let frames = recipe.framesTaken(from: header)
        let (width, height) = sides(of: geometry)
        let result = product(width, height)
        var steps = copies(header, recipe)
        if case .cropByAttention = geometry.placement { steps += copy }
        if recipe.crop?.anchor == .attention { steps += copy }
        if case .cropByEntropy = geometry.placement { steps += copy }
        var price = sum(fixed, extra(header))
        if recipe.isSearched { price = sum(price, sample) }
        if recipe.profile == .own { price = sum(price, profile) }
        if recipe.keepsGainMap(of: header) {
            price = sum(price, sum(product(header.width, header.height, 2), product(result, 3 * copy)))
        }
        let decoded = original.decodedPixels(ofPage: recipe.page)
        price = sum(price, product(decoded, loading(header, frames), frames))
        price = sum(price, rows(ofWide: header, recipe, geometry))
        let looked = original.pixels(ofPage: recipe.page)
        price = sum(price, product(looked, looking(header, recipe), frames))
        price = sum(price, product(result, steps, frames))
        price = sum(
            price,
            product(
                recipe.isQuarterTurn ? result : turned(width, height),
                encoding(header, recipe, encoders) + holding(recipe), frames))
        if let text = recipe.text { price = sum(price, writing(text)) }
        if let watermark {
            let whole = Geometry.plan(upright: watermark.upright, recipe: Recipe())
            let mark = sum(
                product(watermark.decodedPixels, loading(watermark)), rows(ofWide: watermark, Recipe(), whole)
            )
            price = sum(price, sum(mark, product(result, 2 * copy)))
        }
        return price
    }

    /// Bytes of a text: Pango's surface, the picture made of it and a copy, and what fonts and their list take.
    private static func writing(_ text: TextOverlay) -> Int {
        sum(24 << 20, product(text.pixelBound, 3 * copy))
    }

    /// Bytes per pixel of the original for its decoder.
    /// - Parameter frames: those that are taken.
    private static func loading(_ header: ImageHeader, _ frames: Int = 1) -> Int {
        switch header.format {
        // Progressive: the coefficients of all components are held until the last scan, two bytes each; CMYK
        // has four components.
        case .jpeg: header.isProgressive ? 8 : 1
        case .png: header.isProgressive ? 9 : 1
        // A still that is not made smaller by its decoder, as none with alpha is, is there twice: 7.3, with alpha 8.7. A lossless
        // one is decoded whole in any case, and the header does not tell whether it is.
        case .webp: frames > 1 ? 5 : header.hasAlpha || header.pages > 1 ? 9 : 8
        case .gif: 7
        // With subsampled chroma, which HEVC mostly has and AV1 often has not, half as much. Of 10 bits HEVC takes 11.6, of
        // 8 bits with alpha 7.6. AV1 takes 12.0 of 8 bits and 24.8 of 10 and 12.
        case .avif: header.isDeep ? 26 : 14
        case .heic: 12
        // A single strip may hold the whole picture: 8 bytes of 16 bits with alpha, 16 of floating-point numbers. At 6 megapixels
        // rows of those take 6 more.
        case .tiff: header.isDeep ? 23 : 4
        // libjxl holds the channels as floats or whole numbers of 32 bits, some of them twice. Of 8 bits without alpha it takes 7
        // with loss, and 35 without where a coarse picture comes first, which the header does not tell; 47 with alpha, 44 of more
        // bits, 61 of both.
        case .jxl: 36 + (header.hasAlpha ? 12 : 0) + (header.isDeep ? 14 : 0)
        // A PNG within it is copied once it is decoded. An interlaced one of 16 bits with alpha takes 17.6.
        case .ico: 18
        case .svg, .bmp, .pdf: 8
        }
    }

    /// Bytes per pixel of the original for steps that need all of it, before the resize.
    private static func looking(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let cuts = recipe.trim != nil || recipe.crop?.beforeResize == true
        guard cuts else { return 0 }
        let upright = mayTurn(header, recipe) ? copy : 0
        let turned = recipe.turnsFirst ? turns(recipe) : 0
        // Trimming compares colours premultiplied by alpha, without alpha.
        let border = recipe.trim == nil ? 0 : header.hasAlpha ? copy + floats : copy
        let sight = recipe.crop?.anchor == .attention ? copy : 0
        return upright + turned + border + sight
    }

    /// Bytes per pixel of the result, before a turn by an odd angle, for the steps that copy it.
    private static func copies(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let alpha = recipe.leavesAlpha(in: header)
        var bytes = turns(recipe)
        if mayTurn(header, recipe) { bytes += copy }
        if !recipe.isQuarterTurn { bytes += alpha ? floats : copy }
        // Two copies, and what is freed between them but not given back.
        if recipe.sharpen != nil, alpha { bytes += 3 * copy }
        if recipe.mask != nil { bytes += copy }
        if recipe.radii != nil { bytes += copy }
        // The picture, and what is behind it.
        if recipe.containBlur != nil { bytes += 2 * copy }
        if recipe.containSample != nil { bytes += copy }
        if recipe.backgroundSample != nil { bytes += copy }
        // Before and after.
        if recipe.block != nil { bytes += 2 * copy }
        if recipe.isSearched { bytes += copy }
        // The pixels, and the file as far as it has come.
        if recipe.maxBytes != nil { bytes += 2 * copy }
        return bytes
    }

    /// True if the picture may have to be turned upright, for which it is held. libheif turns by itself, but not an alpha whose file
    /// turns its colours alone.
    private static func mayTurn(_ header: ImageHeader, _ recipe: Recipe) -> Bool {
        let isHEIF = header.format == .avif || header.format == .heic
        return header.orientation > 2 || header.isUnseen(recipe.page) || isHEIF && header.hasAlpha
    }

    private static func turns(_ recipe: Recipe) -> Int {
        (recipe.isQuarterTurn && recipe.rotation != 0 ? copy : 0) + (recipe.flip ? copy : 0)
    }

    /// Bytes per pixel of the rendition for its encoder.
    private static func encoding(
        _ header: ImageHeader, _ recipe: Recipe, _ encoders: EncoderDefaults
    ) -> Int {
        switch recipe.resolvedOutput(for: header) {
        // As in `loading`.
        case .jpeg: recipe.interlaced ? 7 : 2
        // A picture with a palette gets one again, and the header does not tell.
        case .png: header.format == .png ? 8 : recipe.interlaced ? 6 : 2
        case .tiff: 2
        // Chroma has the density of luma, and libaom holds more of what it has coded.
        case .avif where recipe.lossless: 64
        case .avif where mayHaveFullChroma(recipe, encoders): 48
        // Alpha is coded losslessly, which holds the picture in several forms.
        // Frames are coded one after the other.
        case .webp where recipe.triesExact(header) && recipe.framesTaken(from: header) > 1: copy + 20
        case .webp where recipe.triesExact(header), .avif where recipe.triesExact(header): copy + 32
        case .webp: recipe.lossless ? 32 : recipe.leavesAlpha(in: header) ? 20 : 6
        case .gif, .avif, .heic: 25
        // libjxl 0.7 takes 57 with loss, with alpha 84, and 312 with the efforts of 8 and 9; without loss 77 and 100 at most.
        case .jxl where recipe.lossless: recipe.leavesAlpha(in: header) ? 100 : 78
        case .jxl: encoders.jxlEffort > 7 ? 316 : recipe.leavesAlpha(in: header) ? 86 : 58
        case .svg, .bmp, .ico, .pdf: 8
        }
    }

    /// True for an AVIF whose quality may be one with all of its chroma.
    private static func mayHaveFullChroma(_ recipe: Recipe, _ encoders: EncoderDefaults) -> Bool {
        switch recipe.quality {
        case .number(let quality): quality >= Quality.fullChroma
        case .likeness(let target): target ?? encoders.targetLikeness >= fineLikeness
        case nil: recipe.formatQualities[.avif] ?? encoders.avifQuality >= Quality.fullChroma
        }
    }

    /// A search for this likeness ends at a quality of 84 with half of all pictures (`QualityCurve`), and with some beyond 90.
    private static let fineLikeness = 0.85

    /// Bytes per pixel of the rendition for its file, which is held until a profile or a text can be put into it.
    private static func holding(_ recipe: Recipe) -> Int {
        recipe.profile == .sRGB && recipe.metadata == .none && !recipe.keepsGainMap ? 0 : copy
    }

    /// Pixels of the largest canvas of a rotation, which is that of 45°.
    private static func turned(_ width: Int, _ height: Int) -> Int {
        sum(product(width, height), sum(product(width, width), product(height, height)) / 2)
    }

    // Saturating arithmetic, because a header may claim more than any machine holds.

    private static func product(_ a: Int, _ b: Int, _ c: Int) -> Int { product(product(a, b), c) }

    private static func product(_ a: Int, _ b: Int) -> Int {
        let (product, isTooMuch) = a.multipliedReportingOverflow(by: b)
        return isTooMuch ? .max : product
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, isTooMuch) = a.addingReportingOverflow(b)
        return isTooMuch ? .max : sum
    }
}
