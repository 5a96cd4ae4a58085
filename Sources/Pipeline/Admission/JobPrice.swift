// SPDX-License-Identifier: Apache-2.0
//
// What a decoder's memory grows by at the highest point of a job, told before it is taken:
//
//     fixed  +  pixels that are held while loading  +  pixels of the result × (work + what its encoder holds)
//
// The factors are bytes a pixel, measured by Benchmarks/prices.py and rounded up; what a header does not tell is taken at its
// worst.

package import ImageModel

package enum JobPrice {
    /// Bytes of threads, tables and buffers that any job takes.
    static let fixed = 16 << 20
    /// Bytes a pixel of the result for the steps between loading and encoding: floats while alpha is premultiplied, a copy
    /// where a step needs the whole.
    static let work = 8

    /// Bytes a pixel of the original where a step looks at all of it before the resize: the picture, and its colours once
    /// more without alpha.
    static let wholeOriginal = 8

    /// Bytes of the sample that a search for a quality compares, whatever the picture's size, and bytes a pixel of the
    /// result for the copy that it encodes again and again.
    static let search = (sample: 50 << 20, copy: 4)

    /// Bytes.
    package static func bytes(header: ImageHeader, recipe: Recipe) -> Int {
        let frames = recipe.framesTaken(from: header)
        let geometry = Geometry.plan(upright: header.upright, recipe: recipe)
        let (resized, canvas) = (geometry.resized, geometry.canvas)
        let result = PixelSize(
            width: max(resized.width, canvas.width), height: max(resized.height, canvas.height))
        let output = recipe.resolvedOutput(for: header)
        let cutsOriginal = recipe.trim != nil || recipe.crop?.beforeResize == true
        let loading = product(
            header.width, header.height, loading(header) + (cutsOriginal ? wholeOriginal : 0), frames)
        let searches = if case .likeness = recipe.quality { true } else { false }
        let making = work + encoding(output) + (searches ? search.copy : 0)
        return sum(
            fixed, searches ? search.sample : 0, loading,
            product(result.width, result.height, making, frames))
    }

    /// Bytes a pixel of the original.
    private static func loading(_ header: ImageHeader) -> Int {
        switch header.format {
        // In scans, all coefficients of the picture are held until the last one; else a few lines.
        case .jpeg: header.isProgressive ? 7 : 1
        case .png: header.isProgressive ? 6 : 3
        // Lossless is decoded whole, and the header is the same.
        case .webp: 5
        case .gif: 7
        case .avif, .heic: 7
        case .tiff: 4
        case .svg, .jxl, .bmp, .ico, .pdf: 8
        }
    }

    /// Bytes a pixel of the result.
    private static func encoding(_ format: ImageFormat) -> Int {
        switch format {
        case .jpeg, .png, .tiff: 1
        case .webp: 5
        case .gif: 22
        case .avif, .heic: 24
        case .jxl: 24
        case .svg, .bmp, .ico, .pdf: 8
        }
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
