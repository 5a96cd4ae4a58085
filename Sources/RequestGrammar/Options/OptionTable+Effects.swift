// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension OptionTable {
    /// Colours laid under, around or over the picture.
    static let colours: [RequestOption] = [
        RequestOption(
            "bg", sets: \.backgroundPaint, to: .paint(ColourSample.allCases),
            meaning: "the colour laid under the picture, or where it is taken from"),
        RequestOption(
            "cbg", sets: \.containPaint, to: .paint(ColourSample.allCases),
            meaning: "the bars that `contain` leaves: their colour, or where it is taken from"),
        RequestOption(
            "cblur", sets: \.containBlur, to: .decimal(0.3...1_000, bare: 25),
            meaning: "fills those bars with the picture itself, as large as the canvas; the sigma of its blur"
        ),
        RequestOption(
            "filt", sets: \.filter,
            to: .choice([
                ("greyscale", .greyscale), ("sepia", .sepia), ("negate", .negate),
                ("duotone", .duotone(start: Filter.duotoneStart, stop: Filter.duotoneStop)),
            ]).writing(duotone: "duotone"), meaning: "a filter"),
        RequestOption(
            "start", sets: \.duotoneStart, to: .color, meaning: "the colour that black becomes in a duotone"),
        RequestOption(
            "stop", sets: \.duotoneStop, to: .color, meaning: "the colour that white becomes in a duotone"),
        RequestOption(
            "tint", sets: \.tint, to: .color,
            meaning: "gives the whole picture the hue and chroma of this colour"),
    ]

    /// Corrections of light and sharpness.
    static let adjustments: [RequestOption] = [
        RequestOption(
            "bri", sets: \.brightness, to: .brightness,
            meaning: "brightness; or what red, green and blue gain: `red,green,blue`"),
        RequestOption("con", sets: \.contrast, to: .integer(-100...100), meaning: "contrast"),
        RequestOption(
            "gam", sets: \.gamma, to: .decimal(0.1...10, bare: 2.2),
            meaning: "gamma: the power that every channel is raised to; above 1 is darker"),
        RequestOption(
            "mod", sets: \.modulation, to: .modulation, defaultValue: "1,1,0",
            meaning: "factor of the lightness, then of the chroma, then degrees added to the hue, in CIE LCh"),
        RequestOption(
            "sat", sets: \.modulation.saturation, to: .decimal(0...10_000), isShorthand: true,
            meaning: "factor of the chroma, the second number of `mod` alone"),
        RequestOption(
            "hue", sets: \.modulation.hue, to: .integer(-100_000...100_000, in: "degrees"), isShorthand: true,
            meaning: "degrees added to the hue, the third number of `mod` alone"),
        RequestOption(
            "blur", sets: \.blur, to: .blur, meaning: "the sigma of a Gaussian blur; bare: a mild blur"),
        RequestOption(
            "pixelate", sets: \.block, to: .integer(Recipe.blockRange, in: "pixels"),
            meaning: "makes squares of one colour; the number is their side in pixels"),
        RequestOption(
            "sharp", sets: \.sharpen, to: .sharpening,
            meaning: "the sigma of the sharpening; bare: mild; or slopes and sigma: `flat,jagged,σ`"),
        RequestOption(
            "sharpf", sets: \.sharpenFlat, to: .decimal(0...1_000_000), isShorthand: true,
            meaning: "the slope for flat areas alone"),
        RequestOption(
            "sharpj", sets: \.sharpenJagged, to: .decimal(0...1_000_000), isShorthand: true,
            meaning: "the slope for jagged areas alone"),
    ]

    /// A picture over the picture.
    static let watermarks: [RequestOption] = [
        RequestOption(
            "wm", sets: \.watermarkSource, to: .watermarkSource,
            meaning: "a picture laid over the result"),
        RequestOption(
            "wmp", sets: \.watermarkPosition, to: .watermarkPosition,
            meaning:
                "where the watermark is put; `tile` repeats it over the whole picture, a row from left to right, a column from top to bottom"
        ),
        RequestOption(
            "wmx", sets: \.watermarkShift.x, to: .shift, defaultValue: "0",
            meaning:
                "moves the watermark away from the side that `wmp` names, or to the right from the middle; percent are of the picture"
        ),
        RequestOption(
            "wmy", sets: \.watermarkShift.y, to: .shift, defaultValue: "0",
            meaning: "the same vertically: away from top or bottom, or downwards from the middle"),
        RequestOption(
            "wms", sets: \.watermarkScale, to: .decimal(0.01...1), defaultValue: "its own size",
            meaning: "the watermark's width as a fraction of the picture's"),
        RequestOption(
            "wmh", sets: \.watermarkHeight, to: .decimal(0.01...1), defaultValue: "by its width",
            meaning:
                "the watermark's height as a fraction of the picture's; with `wms` too, the watermark fits into both, at its own ratio"
        ),
        RequestOption(
            "wmo", sets: \.watermarkOpacity, to: .decimal(0...1), meaning: "the watermark's opacity"),
    ]
}

extension OptionTable {
    /// Text over the picture.
    static let texts: [RequestOption] = [
        RequestOption(
            "text", sets: \.writtenText, to: .writtenText,
            meaning:
                "a text written over the result; a line feed, %0A, begins a new line, and a line that reaches the picture's edge is broken"
        ),
        RequestOption(
            "tpos", sets: \.textPosition, to: .place,
            meaning: "where the text is put"),
        RequestOption(
            "tx", sets: \.textShift.x, to: .shift, defaultValue: "0",
            meaning: "moves the text away from the side that `tpos` names, or to the right from the middle"),
        RequestOption(
            "ty", sets: \.textShift.y, to: .shift, defaultValue: "0",
            meaning: "the same vertically: away from top or bottom, or downwards from the middle"),
        RequestOption(
            "tsize", sets: \.textSize, to: .integer(TextOverlay.sizeRange, in: "pixels"),
            meaning: "the size of the text's letters in pixels of the result, times `dpr`"),
        RequestOption("tcol", sets: \.textColor, to: .color, meaning: "the colour of the text's letters"),
        RequestOption(
            "tfont", sets: \.textFont, to: .fontFamily, defaultValue: "the first of the settings",
            meaning: "the font family of the text, one of `decoder.fonts`"),
        RequestOption(
            "talign", sets: \.textAlignment,
            to: .choice([("left", .left), ("center", .center), ("right", .right)]), defaultValue: "by `tpos`",
            meaning: "the side to which the text's lines are aligned"),
        RequestOption(
            "twidth", sets: \.textWidth, to: .textWidth, defaultValue: "to the picture's edge",
            meaning:
                "the width after which a line of the text is broken: pixels of the result, times `dpr`, or percent of its width"
        ),
    ]
}

extension ValueGrammar where Value == Filter {
    /// The same grammar, but with all duotones written by this one name.
    fileprivate func writing(duotone name: String) -> Self {
        ValueGrammar(words: words, shape: shape, read: read) {
            if case .duotone = $0 { name } else { write($0) }
        }
    }
}
