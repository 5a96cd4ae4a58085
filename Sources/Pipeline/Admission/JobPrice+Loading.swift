// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension JobPrice {
    /// Bytes beyond `fixed`: of a PNG's rows, of which libvips 8.16 holds more than 8.14, up to 14 MB above the rest of the price, the
    /// most while other programs want the cores; of a drawing's elements and fonts, up to 8 MB above it for a file of 1 KB; and of
    /// a document's pictures, of which no header tells: a page scanned with 400 dots an inch has 16 megapixels of 4 bytes.
    static func extra(_ header: ImageHeader) -> Int {
        switch header.format {
        case .png: 16 << 20
        case .svg: 12 << 20
        case .pdf: 64 << 20
        default: 0
        }
    }

    /// The same of a watermark, which is loaded and held before the picture's own rows are made. Most are small, and of a small PNG
    /// all rows have less.
    static func extra(ofWatermark header: ImageHeader) -> Int {
        let extra = extra(header)
        guard header.format == .png else { return extra }
        return min(extra, product(header.decodedPixels, strip(header, Recipe()).pixel))
    }

    /// Pixels of a drawing that is made whole in the size that is wanted, or in a larger one of its own shape. One that is made in its
    /// own size has those of `SVGScale`.
    static func drawn(_ header: ImageHeader, _ wanted: PixelSize) -> Int {
        guard header.width > 0, header.height > 0 else { return product(wanted.width, wanted.height) }
        return max(
            product(wanted.width, wanted.width, header.height) / header.width,
            product(wanted.height, wanted.height, header.width) / header.height)
    }

    /// Bytes of the rows of a wide picture, beyond those of one that is half as wide again as high, as measured pictures are.
    /// libvips holds some hundred rows at once, of a low picture all, and at each step.
    static func rows(ofWide header: ImageHeader, _ recipe: Recipe, _ geometry: Geometry) -> Int {
        // Drawings are as wide as the result, or no wider than `SVGScale` lets them be.
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

    /// Bytes per pixel of the original for its decoder.
    /// - Parameter frames: those that are taken.
    static func loading(_ header: ImageHeader, _ frames: Int = 1) -> Int {
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
}
