// SPDX-License-Identifier: Apache-2.0
//
// The time of a job in its decoder, estimated before the job starts:
//
//     pixels that are decoded × decoding  +  pixels of the result × (effects + encoding)
//
// in nanoseconds per pixel of photographs, from Benchmarks/encoders.md. This tells a job of 50 ms from one of
// 20 s; `JobTimes` learns the rest from similar jobs.

package import ImageHeaders
package import Recipes

/// The estimated time of one job.
package struct JobTime: Sendable, Hashable {
    /// Jobs whose real time differs from the estimate by about the same factor.
    package struct Kind: Sendable, Hashable {
        var original: ImageFormat
        var output: ImageFormat
        /// The PNG level; the Booleans below are the other settings that change an encoder's time.
        var level: Int
        var isLossless: Bool
        var isSearched: Bool
        var isAnimation: Bool
        var hasGainMap: Bool
    }

    /// Jobs of one kind with about as many pixels, to which nearly the same factor applies. The factor of a kind alone is a mean of
    /// jobs that mostly decode and jobs that mostly encode.
    struct SizeClass: Sendable, Hashable {
        var kind: Kind
        /// Of a progressive JPEG all scans are read, even for the smallest thumbnail.
        var isProgressive: Bool
        /// The powers of two of the decoded pixels and of the result's pixels.
        var decoded: Int
        var encoded: Int
    }

    package let kind: Kind
    /// The class whose factor `JobTimes` learns.
    let sizeClass: SizeClass
    /// The estimate in microseconds, without the learned factor.
    package let expected: Int64
    /// Microseconds by which a search for a quality may outlast `expected`, also without the learned factor. The queue counts on the
    /// usual time of a search, the deadline on the longest.
    package let longestSearch: Int64

    /// The power of two of the expected microseconds. A job that fails for lack of time fails in every larger size too.
    var magnitude: Int { Int64.bitWidth - max(1, expected).leadingZeroBitCount }

    /// - Parameter recipe: must be resolved.
    package init(header: ImageHeader, recipe: Recipe, encoders: EncoderDefaults = EncoderDefaults()) {
        let output = recipe.resolvedOutput(for: header)
        let frames = recipe.framesTaken(from: header)
        let isFitted = recipe.maxBytes != nil
        kind = Kind(
            original: header.format, output: output,
            level: output == .png ? recipe.pngLevel ?? encoders.pngCompression : 0,
            isLossless: recipe.lossless, isSearched: recipe.isSearched || isFitted, isAnimation: frames > 1,
            hasGainMap: recipe.keepsGainMap(of: header))
        let shapes = recipe.shapes(of: header)
        let decoded = max(header.decodedPixels(ofPage: recipe.page), SVGScale.ownPixels(header))
        let before = Double(decoded) * Double(frames)
        let after = shapes.reduce(0) { max($0, Self.pixelsAfter($1, recipe)) } * Double(frames)
        sizeClass = SizeClass(
            kind: kind, isProgressive: header.isProgressive, decoded: max(1, before).exponent,
            encoded: max(1, after).exponent)
        // A gain map may have as many pixels as the picture.
        let maps = kind.hasGainMap ? 2.0 : 1
        let decoding = before * maps * (Self.decoding(header) + Self.resizing * (recipe.linear ? 4 : 1))
        let encoding = Self.encoding(kind, recipe, encoders)
        // A search encodes at most this many pixels.
        let attempt = recipe.isSearched ? min(after, 430_000) * (encoding + Self.comparing) : 0
        let searching = attempt * Self.usualTries
        // A search for a size in bytes tries up to nine encodings of all pixels, most of which end early.
        let fitting = isFitted ? after * 4 * encoding : 0
        let halving = Self.mayHalve(output, recipe) ? fitting + attempt * Self.judged : 0
        let more = attempt * (Self.mostTries - Self.usualTries) + halving
        longestSearch = Int64(min(more / 1000, Self.longest))
        let nanoseconds = decoding + after * (Self.effects(recipe) + encoding) + searching + fitting
        expected = Int64(min(nanoseconds / 1000, Self.longest))
    }

    /// True if the decoder may search for the size in bytes twice: if the search for a quality chose full chroma, with half of it as
    /// well, and then judges a file of each.
    private static func mayHalve(_ output: ImageFormat, _ recipe: Recipe) -> Bool {
        recipe.maxBytes != nil && recipe.isSearched && (output == .jpeg || output == .avif)
    }

    /// Pixels of one frame of the result.
    private static func pixelsAfter(_ header: ImageHeader, _ recipe: Recipe) -> Double {
        let plan = Geometry.plan(upright: header.upright, recipe: recipe)
        return max(
            Double(plan.resized.width) * Double(plan.resized.height),
            Double(plan.padded.width) * Double(plan.padded.height))
    }

    // MARK: Nanoseconds a pixel

    /// Microseconds: an hour.
    private static let longest = 3.6e9
    private static let resizing = 8.0
    private static let comparing = 60.0
    /// The tries of a search for a quality: usually one or two. At most up to four, as many again with full chroma where halved
    /// chroma is in doubt, and then a file of each answer that was not tried.
    private static let (usualTries, mostTries) = (2.0, 10.0)
    /// The files that are judged beyond those of a search for a quality (`mayHalve`).
    private static let judged = 2.0

    private static func decoding(_ header: ImageHeader) -> Double {
        switch header.format {
        // A progressive file takes some 1 more than a baseline file in the JPEG lane, 3 more in libvips.
        case .jpeg: header.isProgressive ? 8 : 6
        case .png: 20
        case .webp: 15
        case .gif: 30
        case .avif, .heic: 40
        case .tiff, .bmp, .ico: 10
        case .jxl: 50
        case .svg, .pdf: 100
        }
    }

    private static func effects(_ recipe: Recipe) -> Double {
        var cost = 0.0
        if recipe.blur != nil { cost += 100 }
        if recipe.containBlur != nil { cost += 150 }
        if recipe.sharpen != nil { cost += 150 }
        if recipe.modulation != .none { cost += 200 }
        if recipe.tint != nil { cost += 200 }
        if recipe.filter != nil { cost += 20 }
        if recipe.block != nil { cost += 10 }
        if recipe.mask != nil { cost += 30 }
        if recipe.radii != nil { cost += 30 }
        if recipe.watermark != nil { cost += 20 }
        if recipe.text != nil { cost += 20 }
        if recipe.trim != nil { cost += 50 }
        if !recipe.isQuarterTurn { cost += 80 }
        return cost
    }

    private static let png = [10.0, 60, 70, 100, 125, 220, 350, 500, 900, 1100]
    private static let webp = [25.0, 28, 36, 80, 80, 100, 190]
    private static let avif = [60.0, 190, 280, 550, 1800, 2500, 4500, 4500, 4500, 4500]
    private static let jxl = [27.0, 27, 27, 27, 60, 130, 160, 200, 600, 1200]

    private static func encoding(_ kind: Kind, _ recipe: Recipe, _ encoders: EncoderDefaults) -> Double {
        switch kind.output {
        case .jpeg: recipe.interlaced ? 25 : 8
        case .png: at(kind.level, in: png) * (recipe.adaptiveFilter == false ? 0.6 : 1)
        // Each frame of an animation is encoded in two ways.
        case .webp: at(encoders.webpEffort, in: webp) * (kind.isLossless ? 8 : 1) * (kind.isAnimation ? 2 : 1)
        case .avif: at(encoders.avifEffort, in: avif) * (kind.isLossless ? 3 : 1)
        case .gif: 450
        case .jxl: at(encoders.jxlEffort, in: jxl) * (kind.isLossless ? 3 : 1)
        case .tiff: 20
        case .heic, .svg, .bmp, .ico, .pdf: 0
        }
    }

    private static func at(_ level: Int, in costs: [Double]) -> Double {
        costs[min(max(level, 0), costs.count - 1)]
    }
}

extension Recipe {
    /// True if its quality is found by comparing encodings with the picture.
    var isSearched: Bool {
        if case .likeness = quality { true } else { false }
    }
}
