// SPDX-License-Identifier: Apache-2.0
//
// The peak growth of a decoder's memory during a job, estimated before the job starts:
//
//     fixed  +  pixels that are decoded × loading
//            +  pixels of a row of a wide original × bytes of the rows that are held
//            +  pixels of the original × steps that need all of them
//            +  pixels of the result × (copies that steps make + the encoder's own)
//            +  the watermark likewise
//
// The factors are bytes per pixel, measured by Benchmarks/prices.py and rounded up. If the header leaves
// something open, the worst case counts. Steps that only pass rows on cost nothing, for example a resize.

package import ImageHeaders
package import Recipes

/// The memory price of a job: bytes that its decoder will probably need.
package enum JobPrice {
    /// Bytes of threads, tables, rows and buffers, needed by any job.
    static let fixed = 16 << 20

    /// Bytes of an SVG that is passed on without rendering: its text, the cleaned text, and the table of its elements.
    private static let drawing = fixed + 24 << 20

    /// Bytes of the sample that a search for a quality compares, whatever the picture's size.
    private static let sample = 50 << 20

    /// Bytes of an original's own colour profile of the greatest allowed length, of which several copies exist at once.
    private static let profile = 4 << 20

    /// Bytes per pixel of one more copy of the picture: red, green, blue, alpha.
    static let copy = 4
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
            // A page may be longer than a shape by less than a pixel, and so may the rendition.
            let (width, height) = (sum(across, 1), sum(down, 1))
            return max(pixels, recipe.isQuarterTurn ? product(width, height) : turned(width, height))
        }
    }

    private static func sides(of geometry: Geometry) -> (width: Int, height: Int) {
        let (resized, canvas) = (geometry.resized, geometry.padded)
        return (max(resized.width, canvas.width), max(resized.height, canvas.height))
    }

    /// The price in bytes of a picture of one shape.
    /// - Parameters:
    ///   - original: the header from the file, by which the page's pixels are counted.
    ///   - header: the same header with this shape, see `Recipe.shapes(of:)`.
    ///   - geometry: the recipe's geometry for this shape.
    static func bytes(
        of original: ImageHeader, _ header: ImageHeader, recipe: Recipe, watermark: ImageHeader?,
        encoders: EncoderDefaults, _ geometry: Geometry
    ) -> Int {
        if recipe.keepsDrawing(of: header) { return drawing }
        let frames = recipe.framesTaken(from: header)
        let (width, height) = sides(of: geometry)
        let result = product(width, height)
        var steps = sum(copies(header, recipe), upright(header, recipe, encoders))
        if case .cropByAttention = geometry.placement { steps += copy }
        if recipe.crop?.anchor == .attention { steps += copy }
        if case .cropByEntropy = geometry.placement { steps += copy }
        let markExtra = watermark.map(extra(ofWatermark:)) ?? 0
        var price = sum(fixed, max(extra(header), markExtra))
        if recipe.isSearched { price = sum(price, sample) }
        if recipe.resolvedOutput(for: header) == .gif { price = sum(price, choosing(of: result)) }
        if recipe.profile == .own { price = sum(price, profile) }
        if recipe.keepsGainMap(of: header) {
            // A gain map has at most the picture's pixels, and a progressive one a quarter of them. It is scaled to the size of the
            // result before it is cut: three copies.
            price = sum(price, sum(product(header.width, header.height, 2), product(result, 3 * copy)))
        }
        let decoded = original.decodedPixels(ofPage: recipe.page)
        let isDrawn = header.format.isVector && !recipe.cutsOriginal
        let loaded = max(isDrawn ? drawn(header, geometry.resized) : decoded, SVGScale.ownPixels(original))
        price = sum(price, product(loaded, loading(header, frames), frames))
        price = sum(price, rows(ofWide: header, recipe, geometry))
        let looked = original.pixels(ofPage: recipe.page)
        price = sum(price, product(looked, looking(header, recipe), frames))
        price = sum(price, product(result, steps, frames))
        price = sum(price, neighbours(recipe, side: max(width, height)))
        let canvas = recipe.isQuarterTurn ? result : turned(width, height)
        let encoding = encoding(header, recipe, encoders) + holding(header, recipe)
        price = sum(price, product(canvas, encoding, frames))
        if let text = recipe.text { price = sum(price, writing(text)) }
        if let watermark { price = sum(price, laying(watermark, over: canvas)) }
        return price
    }

    /// Bytes of a watermark beside `extra(ofWatermark:)`: its decoder, the watermark itself, and the layer laid over the picture.
    /// - Parameter canvas: pixels of the picture, which a vector watermark may fill.
    private static func laying(_ watermark: ImageHeader, over canvas: Int) -> Int {
        let whole = Geometry.plan(upright: watermark.upright, recipe: Recipe())
        let drawn = max(canvas, SVGScale.ownPixels(watermark))
        let loaded = watermark.format.isVector ? drawn : watermark.decodedPixels
        let mark = sum(product(loaded, loading(watermark)), rows(ofWide: watermark, Recipe(), whole))
        return sum(mark, product(canvas, 2 * copy))
    }

    /// Bytes of the tables by which a palette's colours are chosen, up to 28 MiB measured. A table has an entry for each of the
    /// picture's colours, up to a bound.
    private static func choosing(of pixels: Int) -> Int { min(32 << 20, product(pixels, 24)) }

    /// Bytes of a text: Pango's surface, the picture made of the surface and a copy of it, and the fonts with their list.
    private static func writing(_ text: TextOverlay) -> Int {
        sum(24 << 20, product(text.pixelBound, 3 * copy))
    }

    /// Bytes per pixel of the original for steps that need all of it, before the resize.
    private static func looking(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let cuts = recipe.trim != nil || recipe.crop?.beforeResize == true
        guard cuts else { return 0 }
        let upright = mayTurn(header, recipe) ? copy : 0
        let turned = recipe.turnsFirst ? turns(recipe) : 0
        // Trimming compares the picture with alpha premultiplied and then removed.
        let border = recipe.trim == nil ? 0 : header.hasAlpha ? copy + floats : copy
        let sight = recipe.crop?.anchor == .attention ? copy : 0
        return upright + turned + border + sight
    }

    /// Bytes per pixel of the result, before a turn by an odd angle, for the steps that copy it.
    private static func copies(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let alpha = recipe.leavesAlpha(in: header)
        var bytes = turns(recipe)
        if !recipe.isQuarterTurn { bytes += alpha ? floats : copy }
        // Two copies, and memory that is freed between them but not returned to the system.
        if recipe.sharpen != nil, alpha { bytes += 3 * copy }
        if recipe.mask != nil { bytes += copy }
        if recipe.radii != nil { bytes += copy }
        // The picture, and the blurred copy behind it.
        if recipe.containBlur != nil { bytes += 2 * copy }
        if recipe.containSample != nil { bytes += copy }
        if recipe.backgroundSample != nil { bytes += copy }
        // The picture before and after.
        if recipe.block != nil { bytes += 2 * copy }
        if recipe.isSearched { bytes += copy }
        // The pixels, and the part of the file that is encoded so far.
        if recipe.maxBytes != nil { bytes += 2 * copy }
        return bytes
    }

    /// Bytes per pixel of the result for turning it upright. A JPEG's planes are held in both orientations, also for a mirrored
    /// picture, although libvips passes its rows on one by one.
    private static func upright(
        _ header: ImageHeader, _ recipe: Recipe, _ encoders: EncoderDefaults
    ) -> Int {
        guard header.format == .jpeg else { return mayTurn(header, recipe) ? copy : 0 }
        guard header.orientation > 1 else { return 0 }
        let output = recipe.resolvedOutput(for: header)
        let hasFullChroma = [.jpeg, .avif].contains(output) && mayHaveFullChroma(output, recipe, encoders)
        return hasFullChroma ? copy + 2 : copy
    }

    /// True if the picture may have to be turned upright, which takes the whole picture in memory. libheif turns most pictures
    /// itself, but not all, and the header does not tell which.
    private static func mayTurn(_ header: ImageHeader, _ recipe: Recipe) -> Bool {
        let isHEIF = header.format == .avif || header.format == .heic
        return header.orientation > 2 || header.isUnseen(recipe.page) || isHEIF
    }

    private static func turns(_ recipe: Recipe) -> Int {
        (recipe.isQuarterTurn && recipe.rotation != 0 ? copy : 0) + (recipe.flip ? copy : 0)
    }

    /// Pixels of the largest canvas that a rotation needs, which is the canvas at 45°.
    private static func turned(_ width: Int, _ height: Int) -> Int {
        sum(product(width, height), sum(product(width, width), product(height, height)) / 2)
    }

    // Saturating arithmetic, because a header may claim more than any machine holds.

    static func product(_ a: Int, _ b: Int, _ c: Int) -> Int { product(product(a, b), c) }

    static func product(_ a: Int, _ b: Int) -> Int {
        let (product, isTooMuch) = a.multipliedReportingOverflow(by: b)
        return isTooMuch ? .max : product
    }

    private static func sum(_ a: Int, _ b: Int) -> Int {
        let (sum, isTooMuch) = a.addingReportingOverflow(b)
        return isTooMuch ? .max : sum
    }
}
