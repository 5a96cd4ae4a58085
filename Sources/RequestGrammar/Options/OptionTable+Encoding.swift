// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes

extension OptionTable {
    /// The format and quality of the result.
    static let file: [RequestOption] = [
        RequestOption(
            "output", sets: \.output,
            to: .choice(outputs, synonyms: ImageFormat.synonyms.mapValues(Recipe.Output.format)),
            defaultValue: "same as the source",
            meaning:
                "the format; `auto` is the best that the request's `Accept` allows, `json` tells what is known "
                + "of the picture, `raw` is the original as it came: with it, only options of delivery change anything"
        ),
        RequestOption(
            "asis", sets: \.asIs, to: .formats(ImageFormat.written), defaultValue: "none",
            meaning:
                "formats whose originals are answered as they came, metadata included, where the result would have the same "
                + "format; nothing else is done to them"),
        RequestOption(
            "svg", sets: \.keepsDrawing, to: .flag,
            meaning:
                "answers an SVG as SVG, made harmless and in its own size, where `output` names no format and the "
                + "settings allow it (`encoder.svg`)"),
        RequestOption(
            "q", ["quality"], sets: \.quality, to: .quality, defaultValue: "per format",
            meaning:
                "quality of JPEG, WebP, AVIF, JPEG XL and TIFF; `auto` finds it for each picture, so that the file looks "
                + "as like the picture as the settings or the number given demand"),
        RequestOption(
            "fq", sets: \.formatQualities, to: .qualities(lossy), defaultValue: "none",
            meaning: "qualities for single formats of the result, where there is no `q`"),
        RequestOption(
            "maxbytes", sets: \.maxBytes, to: .integer(Recipe.byteRange, in: "bytes"),
            meaning:
                "bytes that a JPEG, WebP, AVIF or JPEG XL should have at most: it gets the best quality up to `q` that "
                + "fits, or else the lowest"),
        RequestOption(
            "l", ["level"], sets: \.pngLevel, to: .integer(0...9), defaultValue: "from the settings",
            meaning: "compression level of PNG"),
        RequestOption(
            "af", sets: \.adaptiveFilter, to: .flag, defaultValue: "where it pays",
            meaning: "adaptive row filters, for PNG"),
        RequestOption(
            "il", sets: \.interlaced, to: .flag, meaning: "progressive JPEG, interlaced PNG and GIF"),
        RequestOption(
            "ll", ["lossless"], sets: \.lossless, to: .flag, meaning: "lossless, for WebP, AVIF and JPEG XL"),
        RequestOption(
            "profile", sets: \.profile, to: .choice([("srgb", .sRGB), ("p3", .displayP3), ("keep", .own)]),
            meaning:
                "`p3` keeps colours outside sRGB in JPEG, PNG, WebP and AVIF: a picture that has some is written "
                + "in Display P3, and says so; `keep` leaves the numbers as they are and the original's ICC profile with "
                + "them"),
        RequestOption(
            "metadata", sets: \.metadata, to: .choice([("none", .none), ("copyright", .copyright)]),
            meaning:
                "`copyright` writes the original's artist and copyright into JPEG, PNG, WebP and AVIF, and nothing else of "
                + "what it says of itself"),
        RequestOption(
            "gainmap", sets: \.keepsGainMap, to: .flag,
            meaning:
                "keeps the gain map of an Ultra HDR JPEG, if the result is a JPEG and only resized, cut or turned"
        ),
        RequestOption(
            "json", sets: \.jsonExtras, to: .jsonExtras, defaultValue: "none",
            meaning: "what `output=json` tells besides the header; a list with commas"),
    ]

    /// The part of an animation or a document that is taken.
    static let pages: [RequestOption] = [
        RequestOption(
            "n", ["pages"], sets: \.pages, to: .integer(1...256, or: -1),
            meaning: "frames of an animation, for WebP and GIF; −1 takes all"),
        RequestOption(
            "page", sets: \.page, to: .integer(-2...100_000),
            meaning: "the first frame or page; −1 is the largest, −2 the smallest"),
        RequestOption(
            "loop", sets: \.loop, to: .integer(0...65_535), defaultValue: "the source's",
            meaning: "how often an animation is played; 0 is for ever"),
        RequestOption(
            "delay", sets: \.delays, to: .delays, defaultValue: "the source's",
            meaning: "milliseconds of each frame, with commas; one number is for all"),
    ]

    private static let lossy = ImageFormat.written.filter { $0.1.hasQuality }

    private static let outputs: [(String, Recipe.Output)] =
        ImageFormat.written.map { ($0.0, .format($0.1)) } + [("json", .json), ("raw", .raw), ("auto", .auto)]
}
