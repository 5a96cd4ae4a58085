// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension JobPrice {
    /// Bytes of the original beyond `fixed`:
    /// - PNG: rows. libvips 8.16 holds more of them than 8.14, up to 14 MB above the rest of the price, most while other programs use
    ///   the cores.
    /// - SVG: elements and fonts, up to 8 MB above the rest of the price for a file of 1 KB.
    /// - PDF: its pictures, which no header describes. A page scanned at 400 dots an inch has 16 megapixels of 4 bytes.
    static func extra(_ header: ImageHeader) -> Int {
        switch header.format {
        case .png: 16 << 20
        case .svg: 12 << 20
        case .pdf: 64 << 20
        default: 0
        }
    }

    /// The same bytes for a watermark, which is loaded and held before the picture's own rows are made. Most watermarks are small,
    /// and all the rows of a small PNG need less than `extra`.
    static func extra(ofWatermark header: ImageHeader) -> Int {
        let extra = extra(header)
        guard header.format == .png else { return extra }
        return min(extra, product(header.decodedPixels, strip(header, Recipe()).pixel))
    }

    /// Pixels of a vector drawing that is rendered whole, in the wanted size or in a larger one of the drawing's own shape. A drawing
    /// that is rendered in its own size has the pixels of `SVGScale` instead.
    static func drawn(_ header: ImageHeader, _ wanted: PixelSize) -> Int {
        guard header.width > 0, header.height > 0 else { return product(wanted.width, wanted.height) }
        return max(
            product(wanted.width, wanted.width, header.height) / header.width,
            product(wanted.height, wanted.height, header.width) / header.height)
    }

    /// Bytes of the rows of a wide picture, beyond those of a picture 1.5 times as wide as high, the shape of the measured ones.
    /// libvips holds about a hundred rows at once at each step, or all rows of a low picture.
    static func rows(ofWide header: ImageHeader, _ recipe: Recipe, _ geometry: Geometry) -> Int {
        // Drawings are as wide as the result, or as wide as `SVGScale` allows at most.
        guard !header.format.isVector else { return 0 }
        let stored = header.stored
        let target = geometry.resized.turned(by: header.orientation)
        let shrink =
            header.format == .jpeg && !recipe.wantsAllPixels ? Recipe.jpegShrink(from: stored, to: target) : 1
        // Cannot trap: 1 to 8.
        let (width, height) = (header.width / shrink, header.height / shrink)
        let pixels = product(width, height)
        // Cannot trap: 1.5 times the root of an `Int`.
        let usual = Int((Double(pixels).squareRoot() * 1.5).rounded(.up))
        let (column, pixel) = strip(header, recipe)
        return min(product(max(0, width - usual), column), product(pixels, pixel))
    }

    /// Bytes for each pixel of a row, and the most bytes for each pixel of the picture. Measured: 2.4 KB and 11.9 B for red, green
    /// and blue; 5.2 KB and 20.3 B with alpha, of which a resize makes five bands; 12.3 KB and 41.7 B with 16-bit alpha.
    private static func strip(_ header: ImageHeader, _ recipe: Recipe) -> (column: Int, pixel: Int) {
        // Linear light is calculated in 16 bits. A TIFF counts as deep because its strips may be small.
        let isDeep = header.isDeep || header.format == .tiff || recipe.linear
        // A JPEG and a TIFF may have four inks (CMYK). A JPEG's inks are converted to colours before it is cut.
        let mayHaveInks = header.format == .jpeg && ![1, 3].contains(header.components)
        let hasInks = header.format == .tiff || mayHaveInks && (isDeep || !recipe.cutsOriginal)
        let hasFour = header.hasAlpha || hasInks
        return isDeep
            ? (hasFour ? 13 << 10 : 9 << 10, hasFour ? 42 : 30)
            : (hasFour ? 7 << 10 : 3 << 10, hasFour ? 22 : 12)
    }

    /// Bytes per pixel of the original for its decoder.
    /// - Parameter frames: the frames that the recipe takes.
    static func loading(_ header: ImageHeader, _ frames: Int = 1) -> Int {
        switch header.format {
        // Progressive: the coefficients of all components are held until the last scan, two bytes each; CMYK
        // has four components.
        case .jpeg: header.isProgressive ? 8 : 1
        case .png: header.isProgressive ? 9 : 1
        // A still picture that its decoder does not shrink is held twice: 7.3 bytes, with alpha 8.7. Pictures with alpha are never
        // shrunk. A lossless picture is decoded whole in any case, and the header does not tell whether it is lossless.
        case .webp: frames > 1 ? 5 : header.hasAlpha || header.pages > 1 ? 9 : 8
        case .gif: 7
        // With subsampled chroma (usual in HEVC, less so in AV1) it takes half as much. HEVC of 10 bits takes 11.6, of 8 bits with
        // alpha 7.6; AV1 of 8 bits takes 12.0, of 10 and 12 bits 24.8.
        case .avif: header.isDeep ? 26 : 14
        case .heic: 12
        // A single strip may hold the whole picture: 8 bytes per pixel for 16 bits with alpha, 16 for floating-point numbers. At 6
        // megapixels the rows of floating-point numbers take 6 more.
        case .tiff: header.isDeep ? 23 : 4
        // libjxl holds the channels as floats or 32-bit integers, some of them twice. 8 bits without alpha take 7 if lossy, and 35 if
        // lossless with a coarse picture first, which the header does not tell; with alpha 47, with more bits 44, with both 61.
        case .jxl: 36 + (header.hasAlpha ? 12 : 0) + (header.isDeep ? 14 : 0)
        // A PNG within it is copied after it is decoded. An interlaced PNG of 16 bits with alpha takes 17.6.
        case .ico: 18
        case .svg, .bmp, .pdf: 8
        }
    }
}
