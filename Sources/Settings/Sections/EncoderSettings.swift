// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Settings {
    /// Settings for the choice of the output format, which are not passed to encoders.
    package struct Output: Sendable, Equatable {
        /// The most pixels of an AVIF result; a larger result becomes WebP.
        package var avifMaximumPixels = 4_000_000
        /// True to answer in the next best format if only `Accept` chose AVIF, and to make the AVIF afterwards.
        package var avifLater = false
        /// True if an SVG may be answered unchanged.
        package var svg = false
    }
}

extension Setting {
    static let encoder: [Setting] = qualities + efforts

    private static let qualities: [Setting] = [
        .number(
            "encoder.jpeg-quality", \.encoder.jpegQuality, .live, 1...100,
            "The q of JPEG where the URL names none. Below 90 chroma has half the resolution, from 90 on all of it."
        ),
        .number(
            "encoder.webp-quality", \.encoder.webpQuality, .live, 1...100,
            "The q of WebP where the URL names none."),
        .number(
            "encoder.avif-quality", \.encoder.avifQuality, .live, 1...100,
            "The q of AVIF where the URL names none; 65 looks like WebP's 80."),
        .number(
            "encoder.jxl-quality", \.encoder.jxlQuality, .live, 1...100,
            "The q of JPEG XL where the URL names none."),
        Setting(
            "encoder.target-likeness", \.encoder.targetLikeness, .live,
            "What q=auto aims at: the result's likeness to the picture before it is encoded, as SSIMULACRA 2 in hundredths. 1 is the same, 0.9 looks the same side by side.",
            form: "0.5 to 1", where: { (0.5...1).contains($0) }),
        .number(
            "encoder.avif-maximum-pixels", \.output.avifMaximumPixels, .live, 0...2_000_000_000,
            "Pixels above which a result becomes WebP where AVIF was asked for: 4 MP take 0.4 s as AVIF and 0.1 s as WebP."
        ),
        Setting(
            "encoder.avif-later", \.output.avifLater, .live,
            "Where Accept chose AVIF, as with output=auto, and none is held: answer at once with WebP, or what else Accept leaves, which clients keep for a minute at most. The AVIF is made after the answer, once the decoders are idle."
        ),
        Setting(
            "encoder.svg", \.output.svg, .live,
            "Answer an SVG as SVG, without scripts and whatever reaches outside: by the option svg, and where imgproxy, Next.js and Cloudflare pass it on. Needs svg in decoder.formats."
        ),
        Setting(
            "encoder.keep-smaller-original", \.encoder.keepsSmallerOriginal, .live,
            "Where nothing but the bytes would change, and they would only grow, answer with the original's, without metadata."
        ),
    ]

    private static let efforts: [Setting] = [
        Setting(
            "encoder.jpeg-optimised", \.encoder.jpegOptimised, .live,
            "Compute Huffman codes for each JPEG: 2 to 3 % fewer bytes for 1.5 ms at 800 × 600."),
        .number(
            "encoder.webp-effort", \.encoder.webpEffort, .live, 0...6,
            "How hard WebP's encoder works: 2 costs 17 ms for 800 × 600; 4 costs 37 ms and saves 3 % of the bytes."
        ),
        .number(
            "encoder.webp-alpha-quality", \.encoder.webpAlphaQuality, .live, 0...100,
            "The quality of WebP's alpha; 100 keeps it exact."),
        .number(
            "encoder.avif-effort", \.encoder.avifEffort, .live, 0...9,
            "How hard AVIF's encoder works: 0 costs 27 ms for 800 × 600; 1 costs 90 ms and saves 6 to 34 % of the bytes; 4 costs 800 ms and saves 10 % more."
        ),
        .number(
            "encoder.jxl-effort", \.encoder.jxlEffort, .live, 3...9,
            "How hard JPEG XL's encoder works: 3 costs 13 ms for 800 × 600; 5 costs 58 ms and saves 7 to 18 % of the bytes."
        ),
        .number(
            "encoder.png-compression", \.encoder.pngCompression, .live, 0...9,
            "zlib level of PNG. 4 costs 60 ms for a photograph of 800 × 600; 6 costs 170 ms and saves 1.5 % of the bytes."
        ),
        .number(
            "encoder.gif-effort", \.encoder.gifEffort, .live, 1...10,
            "How hard a palette is searched for: 4 makes drawings half as large as 3; above, only time grows. "
                + "Frames of an animation take 3 at most, in half the time and no more bytes."),
    ]
}
