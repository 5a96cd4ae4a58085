// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension OptionTable {
    /// The box, and how the picture is fitted to it.
    static let box: [RequestOption] = [
        RequestOption(
            "w", ["width"], sets: \.width, to: .length.telling("`auto` by the client's hints"),
            defaultValue: "by ratio",
            meaning:
                "width of the box; percent are of the upright original, or of what `trim` and `precrop` leave of it"
        ),
        RequestOption(
            "h", ["height"], sets: \.height, to: .length, defaultValue: "by ratio",
            meaning:
                "height of the box; if only one side is given, the other follows by ratio, and `contain` adds bars up to "
                + "the given side where the picture may not grow"),
        RequestOption(
            "ar", sets: \.aspect, to: .aspectRatio,
            meaning:
                "the box's ratio of width to height, which gives the side that `w` or `h` leaves out; without both, "
                + "`cover` cuts the original to this ratio, and `contain` adds bars up to it"),
        RequestOption(
            "zoom", sets: \.zoom, to: .decimal(Recipe.zoomRange),
            meaning:
                "multiplies `w` and `h`, and without them the box that `ar` makes, or the original's size"),
        RequestOption(
            "dpr", sets: \.pixelRatio, to: .decimal(0.1...8).telling("`auto` by the client's hints"),
            meaning:
                "multiplies `w` and `h`, and `minw`, `minh`, `ax`, `ay`, `wmx`, `wmy`, `tx`, `ty`, `tsize`, `twidth`, "
                + "`pad`, `radius` and `pixelate` where they are in pixels; it changes neither the rectangle of `cx`, "
                + "`cy`, `cw` and `ch` nor a blur"
        ),
        RequestOption(
            "minw", sets: \.leastWidth, to: .integer(Recipe.Length.pixelRange, in: "pixels"),
            meaning: "pixels that the resized picture is wide at least, whatever `w`, `h` and `we` say"),
        RequestOption(
            "minh", sets: \.leastHeight, to: .integer(Recipe.Length.pixelRange, in: "pixels"),
            meaning: "pixels that the resized picture is high at least"),
        RequestOption(
            "fit", ["t"], sets: \.fit, to: .choice(Recipe.Fit.allCases.map { ($0.rawValue, $0) }),
            meaning:
                "how the picture meets the box, as CSS object-fit and sharp name it; `auto` is `cover` where box and "
                + "picture are both portrait or both landscape, else `inside`"),
        RequestOption(
            "turnbox", sets: \.turnsBox, to: .flag,
            meaning:
                "exchanges `w` and `h` where the box is landscape and the picture portrait, or the other way round"
        ),
        RequestOption(
            "we", sets: \.withoutEnlargement, to: .flag,
            meaning: "without enlargement; `we=0` lets a picture grow"),
        RequestOption(
            "wr", sets: \.withoutReduction, to: .flag,
            meaning: "without reduction: a picture that is larger than the box keeps its size"),
        RequestOption(
            "shrinkbox", sets: \.shrinksBox, to: .flag,
            meaning:
                "makes the box smaller, at its ratio, where a picture is too small for it: `cover` then cuts to the "
                + "box's ratio, and `contain` adds only the bars that this ratio needs"),
        RequestOption(
            "linear", sets: \.linear, to: .flag,
            meaning: "resizes in linear light, so that fine patterns of light and dark keep their brightness"),
        RequestOption(
            "a", ["align"], sets: \.alignment, to: .alignment(Recipe.Alignment.allCases),
            meaning: "what `cover` keeps and where `contain` puts the picture"),
        RequestOption(
            "ax", sets: \.shift.x, to: .shift, defaultValue: "0",
            meaning:
                "moves what `a` keeps or puts: away from the side that `a` names, or to the right from the middle; "
                + "percent are of the resized picture or of the canvas"),
        RequestOption(
            "ay", sets: \.shift.y, to: .shift, defaultValue: "0",
            meaning: "the same vertically: away from top or bottom, or downwards from the middle"),
        RequestOption(
            "fpx", sets: \.focus.x, to: .focalDistance,
            meaning:
                "the focal point's distance from the left, for `a=focal`, as a fraction of the width, or in pixels of the picture "
                + "that is resized: the upright original, or what `trim` and `precrop` leave of it"),
        RequestOption(
            "fpy", sets: \.focus.y, to: .focalDistance,
            meaning: "the focal point's distance from the top, as a fraction of the height, or in pixels"),
    ]

    /// The part of the picture that is kept.
    static let cuts: [RequestOption] = [
        RequestOption(
            "cx", sets: \.cropX, to: .cropOffset, defaultValue: "0",
            meaning: "left edge of the rectangle to keep of the resized picture"),
        RequestOption(
            "cy", sets: \.cropY, to: .cropOffset, defaultValue: "0", meaning: "top edge of that rectangle"),
        RequestOption(
            "cw", sets: \.cropWidth, to: .cropLength, defaultValue: "the rest",
            meaning: "width of that rectangle"),
        RequestOption(
            "ch", sets: \.cropHeight, to: .cropLength, defaultValue: "the rest",
            meaning: "height of that rectangle"),
        RequestOption(
            "ca", sets: \.cropAnchor, to: .cropAnchor,
            meaning:
                "from where `cx` and `cy` count, along sides whose length `cw` or `ch` gives: inwards from a side or a "
                + "corner; to the right and down from `center` or a point, which is the middle of what is kept; "
                + "`attention` keeps what draws the eye"),
        RequestOption(
            "precrop", sets: \.cropsBeforeResize, to: .flag,
            meaning:
                "cuts the rectangle of `cx`, `cy`, `cw` and `ch` out of the upright original, before it is resized"
        ),
        RequestOption(
            "trim", sets: \.trimThreshold, to: .integer(1...254, bare: 10),
            meaning: "removes a border of one colour; the number is how far its pixels may differ"),
        RequestOption(
            "tbg", sets: \.trimPaint, to: .paint([.topLeft, .bottomRight]),
            meaning: "the colour of the border to trim, or the corner whose pixel has it"),
        RequestOption(
            "mask", ["shape"], sets: \.maskShape,
            to: .choice(Mask.Shape.allCases.map { ($0.rawValue, $0) }),
            meaning: "shows the picture through a shape"),
        RequestOption(
            "mtrim", ["strim"], sets: \.maskTrims, to: .flag,
            meaning: "cuts away what lies outside the shape's bounds"),
        RequestOption("mbg", sets: \.maskBackground, to: .color, meaning: "the colour around the shape"),
        RequestOption(
            "radius", sets: \.radii, to: .radii,
            meaning: "rounds the corners, as border-radius of CSS; what is cut off is transparent"),
        RequestOption(
            "pad", sets: \.paddingSides, to: .clockwise("from the top"),
            meaning: "pixels added around the picture, outside its box"),
        RequestOption("pbg", sets: \.paddingBackground, to: .color, meaning: "the colour of what `pad` adds"),
    ]

    /// The orientation.
    static let turns: [RequestOption] = [
        RequestOption(
            "ro", ["or"], sets: \.rotation, to: .decimal(-100_000...100_000, in: "degrees"),
            meaning:
                "turns the picture by these degrees clockwise, after the EXIF orientation; multiples of 90 are exact"
        ),
        RequestOption(
            "rbg", sets: \.rotationBackground, to: .color,
            meaning: "the colour of the corners that a rotation leaves"),
        RequestOption("flip", sets: \.flip, to: .flag, meaning: "mirrors top to bottom, after the rotation"),
        RequestOption("flop", sets: \.flop, to: .flag, meaning: "mirrors left to right, after the rotation"),
        RequestOption(
            "preturn", sets: \.turnsFirst, to: .flag,
            meaning: "makes quarter turns, `flip` and `flop` come before anything is cut, as at wsrv.nl"),
    ]
}

extension ValueGrammar where Value == Recipe.Alignment {
    /// The names of `alignments`, and their synonyms.
    static func alignment(_ alignments: [Recipe.Alignment]) -> Self {
        .choice(
            alignments.map { ($0.rawValue, $0) },
            synonyms: [
                "centre": .center, "c": .center, "t": .top, "r": .right, "b": .bottom, "l": .left,
                "left-top": .topLeft, "tl": .topLeft, "right-top": .topRight, "tr": .topRight,
                "left-bottom": .bottomLeft, "bl": .bottomLeft, "right-bottom": .bottomRight,
                "br": .bottomRight,
            ])
    }
}
