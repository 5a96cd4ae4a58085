// SPDX-License-Identifier: Apache-2.0
//
// The growth of a decoder's memory at the highest point of a job, told before the job begins:
//
//     fixed  +  pixels of the original × (loading + steps that look at all of them)
//            +  pixels of the result × (copies that steps make + the encoder's own)
//            +  the watermark likewise
//
// The factors are bytes a pixel, measured by Benchmarks/prices.py and rounded up. Where the header does not tell, the worst
// is taken. Steps that only pass rows on cost nothing: a blur, a tint, a resize.

package import ImageHeaders
package import Recipes

/// The memory of one job, in bytes, as its decoder is expected to need it.
package enum JobPrice {
    /// Bytes of threads, tables, rows and buffers that any job takes.
    static let fixed = 16 << 20

    /// Bytes of the sample that a search for a quality compares, whatever the picture's size.
    private static let sample = 50 << 20

    /// Bytes a pixel of one more picture in memory: red, green, blue, alpha.
    private static let copy = 4
    /// The same while alpha is premultiplied, as floats.
    private static let floats = 16

    /// Bytes.
    /// - Parameter watermark: the header of the picture that is laid over the result.
    package static func bytes(
        header: ImageHeader, recipe: Recipe, watermark: ImageHeader? = nil
    ) -> Int {
        let frames = recipe.framesTaken(from: header)
        let geometry = Geometry.plan(upright: header.upright, recipe: recipe)
        let (resized, canvas) = (geometry.resized, geometry.canvas)
        let (width, height) = (max(resized.width, canvas.width), max(resized.height, canvas.height))
        let result = product(width, height)
        var steps = copies(header, recipe)
        if case .cropByAttention = geometry.placement { steps += copy }
        if case .cropByEntropy = geometry.placement { steps += copy }
        return sum(
            fixed, recipe.isSearched ? sample : 0,
            product(header.width, header.height, loading(header) + looking(header, recipe), frames),
            product(result, steps, frames),
            product(recipe.isQuarterTurn ? result : turned(width, height), encoding(header, recipe), frames),
            watermark.map { sum(product($0.width, $0.height, loading($0)), product(result, 2 * copy)) } ?? 0)
    }

    /// Bytes a pixel of the original.
    private static func loading(_ header: ImageHeader) -> Int {
        switch header.format {
        // In scans, the coefficients of all components are held until the last one: two bytes each, and inks are four.
        case .jpeg: header.isProgressive ? 8 : 1
        case .png: header.isProgressive ? 9 : 1
        // Lossless is decoded whole, and the header is the same.
        case .webp: 5
        case .gif: 7
        // 7 where the chroma is a quarter, as HEVC's mostly is and AV1's often not.
        case .avif: 14
        case .heic: 7
        // One strip may hold it all.
        case .tiff: 4
        case .svg, .jxl, .bmp, .ico, .pdf: 8
        }
    }

    /// Bytes a pixel of the original for steps that need all of it, before the resize.
    private static func looking(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let cuts = recipe.trim != nil || recipe.crop?.beforeResize == true
        guard cuts else { return 0 }
        let upright = header.orientation > 2 ? copy : 0
        let turned = recipe.turnsFirst ? turns(recipe) : 0
        // A border is told by colours that alpha multiplies, without alpha.
        let border = recipe.trim == nil ? 0 : header.hasAlpha ? copy + floats : copy
        return upright + turned + border
    }

    /// Bytes a pixel of the result, before it is turned by an odd angle, for the steps that hold it.
    private static func copies(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        let alpha = recipe.leavesAlpha(in: header)
        var bytes = turns(recipe)
        if header.orientation > 2 { bytes += copy }
        if !recipe.isQuarterTurn { bytes += alpha ? floats : copy }
        if recipe.sharpen != nil, alpha { bytes += 2 * copy }
        if recipe.mask != nil { bytes += copy }
        if recipe.isSearched { bytes += copy }
        return bytes
    }

    private static func turns(_ recipe: Recipe) -> Int {
        (recipe.isQuarterTurn && recipe.rotation != 0 ? copy : 0) + (recipe.flip ? copy : 0)
    }

    /// Bytes a pixel of the rendition.
    private static func encoding(_ header: ImageHeader, _ recipe: Recipe) -> Int {
        switch recipe.resolvedOutput(for: header) {
        // As for loading.
        case .jpeg: recipe.interlaced ? 7 : 2
        // A picture that had a palette gets one again, and the header does not tell.
        case .png: header.format == .png ? 8 : recipe.interlaced ? 6 : 2
        case .tiff: 2
        // Alpha is coded without loss, and that holds the picture in several forms.
        case .webp: recipe.lossless ? 32 : recipe.leavesAlpha(in: header) ? 20 : 6
        case .gif, .avif, .heic, .jxl: 25
        case .svg, .bmp, .ico, .pdf: 8
        }
    }

    /// Pixels of the largest canvas that a rotation may need, which is that by 45°.
    private static func turned(_ width: Int, _ height: Int) -> Int {
        sum(product(width, height), sum(product(width, width), product(height, height)) / 2)
    }

    // A header may claim what no machine could hold.

    private static func product(_ factors: Int...) -> Int {
        factors.reduce(1) { product, factor in
            let (next, isTooMuch) = product.multipliedReportingOverflow(by: factor)
            return isTooMuch ? .max : next
        }
    }

    private static func sum(_ parts: Int...) -> Int {
        parts.reduce(0) { sum, part in
            let (next, isTooMuch) = sum.addingReportingOverflow(part)
            return isTooMuch ? .max : next
        }
    }
}

extension Recipe {
    fileprivate var isSearched: Bool {
        if case .likeness = quality { true } else { false }
    }
}
