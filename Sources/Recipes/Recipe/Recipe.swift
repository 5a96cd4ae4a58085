// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The transformation of an original into a rendition. Each recipe has exactly one canonical spelling; see
/// `OptionTable` for the grammar.
package struct Recipe: Sendable, Hashable {
    /// A length along one axis of the box: pixels, or percent of the upright original.
    package enum Length: Sendable, Hashable {
        case pixels(Int)
        case percent(Double)

        /// The allowed pixels. JPEG ends at 65,500 and WebP at 16,383 a side; no page asks for more.
        package static let pixelRange = 1...16_384
        /// The allowed percentages, in steps of 0.0001.
        package static let percentRange = 0.01...1_000.0
    }

    /// How the picture fits the box; the names are those of CSS `object-fit` and of sharp.
    package enum Fit: String, Sendable, Hashable, CaseIterable {
        case inside, outside, cover, fill, contain
        /// `cover` if picture and box are both portrait or both landscape, else `inside`. A square counts as landscape.
        case auto
    }

    /// The part that `cover` keeps, and the place where `contain` puts the picture.
    package enum Alignment: String, Sendable, Hashable, CaseIterable {
        case center, top, right, bottom, left
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
        case focal, entropy, attention
    }

    /// The kind of result.
    package enum Output: Sendable, Hashable {
        /// The source's own format if it can be written; otherwise PNG with alpha, and JPEG without.
        case source
        case format(ImageFormat)
        /// The best format that the request's `Accept` allows. In a resolved recipe: AVIF, or lossless WebP if that is smaller.
        case auto
        /// A description of the picture, as JSON.
        case json
        /// The unchanged original.
        case raw

        /// True if a picture is rendered; false for a description or the unchanged original.
        package var isMade: Bool { self != .json && self != .raw }
    }

    /// The colour space of the result's samples.
    package enum Profile: String, Sendable, Hashable, CaseIterable {
        /// sRGB; the file contains no profile.
        case sRGB
        /// Display P3, marked in the result, if the original has colours outside sRGB.
        case displayP3
        /// The space of the original's own ICC profile, which the result carries; `displayP3` if that is not possible.
        case own
    }

    /// The metadata that the result carries.
    package enum Metadata: String, Sendable, Hashable, CaseIterable {
        case none
        /// The author and the copyright.
        case copyright
    }

    // MARK: Box, crop and mask

    /// The box's width; nil = from the height and the picture's ratio.
    package var width: Length?
    /// The box's height; nil = from the width and the picture's ratio.
    package var height: Length?
    /// The ratio that gives the box its missing side. Without any side, it makes the largest box within the picture or,
    /// for `contain`, the smallest box around it. Nil = no ratio.
    package var aspect: AspectRatio?
    /// Multiplies `width` and `height`; without these, the box that `aspect` makes, or both sides of the picture.
    package var zoom: Double = 1
    /// The allowed zooms, in steps of 0.0001.
    package static let zoomRange = 0.1...10.0
    /// Multiplies the box and all lengths in pixels of the result; 0.1…8, in steps of 0.0001.
    package var pixelRatio: Double = 1
    /// The least width of the resized picture in pixels, which takes precedence over all else; nil = no least
    /// width.
    package var leastWidth: Int?
    /// The least height of the resized picture in pixels; nil = no least height.
    package var leastHeight: Int?
    /// How the picture fits the box.
    package var fit: Fit = .inside
    /// True to exchange the sides of a landscape box for a portrait picture, and of a portrait box for a landscape
    /// picture.
    package var turnsBox = false
    /// True to keep the size of a picture that is smaller than the box.
    package var withoutEnlargement = true
    /// True to keep the size of a picture that is larger than the box.
    package var withoutReduction = false
    /// True to make the box smaller, in its shape, if a picture that may not grow is too small for it; for `cover`
    /// and `contain`.
    package var shrinksBox = false
    /// True to resize linear light instead of sRGB samples.
    package var linear = false
    /// The alignment for `cover` and `contain`.
    package var alignment: Alignment = .center
    /// The point that the alignment `.focal` keeps.
    package var focus = Focus()
    /// The offset from the alignment's place; not for alignments that depend on the picture.
    package var shift = PositionOffset()
    /// Nil = no crop.
    package var crop: Crop?
    /// Nil = no trim.
    package var trim: Trim?
    /// Nil = no mask.
    package var mask: Mask?
    /// The radii of rounded corners; nil = none.
    package var radii: Radii?
    /// Nil = no padding.
    package var padding: Padding?

    // MARK: Turning

    /// Degrees clockwise, after the EXIF orientation; 0..<360 in a canonical recipe. Multiples of 90 are exact.
    package var rotation: Double = 0
    /// The colour of the corners that a rotation leaves, unless its angle is a multiple of 90.
    package var rotationBackground = Color.transparent
    /// Exchanges top and bottom, after the rotation.
    package var flip = false
    /// Exchanges left and right, after the rotation.
    package var flop = false
    /// True to do quarter turns and mirroring right after the resize, as wsrv.nl does: the crop and the
    /// canvas then apply to the turned picture. The box is not turned. Rotations by other angles come after
    /// the mirroring.
    package var turnsFirst = false

    // MARK: Colours

    /// The colour behind the picture; nil = none.
    package var background: Color?
    /// The picture's own colour behind it, which replaces `background`; nil = none.
    package var backgroundSample: ColourSample?
    /// The colour of the bars that `contain` leaves.
    package var containBackground = Color.transparent
    /// The picture's own colour for these bars, which replaces `containBackground`; nil = none.
    package var containSample: ColourSample?
    /// The sigma of the blurred picture that fills the bars of `contain`; nil = they have a colour.
    package var containBlur: Double?
    /// Nil = no blur.
    package var blur: Blur?
    /// The side in pixels of squares that become one colour each; nil = none.
    package var block: Int?
    /// Nil = no sharpening.
    package var sharpen: Sharpening?
    /// −100…100 in whole steps; 0 = no change.
    package var contrast: Int = 0
    /// 0 = no change.
    package var brightness: Brightness = 0
    /// 0.1…10; 1 = no change, more is darker.
    package var gamma: Double = 1
    /// Changes of lightness, chroma and hue.
    package var modulation = Modulation.none
    /// Nil = no filter.
    package var filter: Filter?
    /// Opaque in a canonical recipe, because only the hue and the chroma count; nil = no tint.
    package var tint: Color?
    /// Nil = no watermark.
    package var watermark: Watermark?
    /// Nil = no text.
    package var text: TextOverlay?

    // MARK: Encoding

    /// The kind of result.
    package var output: Output = .source
    /// True to answer an SVG as a harmless SVG, otherwise unchanged, if `output` names no format.
    package var keepsDrawing = false
    /// Nil = the format's default from the settings.
    package var quality: Quality?
    /// Qualities by format, 1…100, if `quality` gives none for all formats.
    package var formatQualities: [ImageFormat: Int] = [:]
    /// The most bytes of the file: lower qualities are tried until it fits; nil = no limit.
    package var maxBytes: Int?
    /// The allowed limits in bytes.
    package static let byteRange = 1...1_000_000_000
    /// zlib's level for PNG, 0…9; nil = the settings' level.
    package var pngLevel: Int?
    /// True to choose PNG's row filters for each row; nil = only if the encoder expects a gain.
    package var adaptiveFilter: Bool?
    /// True for progressive JPEG, interlaced PNG and interlaced GIF.
    package var interlaced = false
    /// True for lossless encoding, in formats that have both kinds.
    package var lossless = false
    /// The colour space of the result's samples.
    package var profile: Profile = .sRGB
    /// The part of the original's metadata that is written to the result.
    package var metadata: Metadata = .none
    /// True to keep the gain map of an Ultra HDR JPEG in a JPEG.
    package var keepsGainMap = false
    /// Formats whose originals are answered unchanged if the result would have the same format.
    package var asIs: Set<ImageFormat> = []
    /// The parts of `.json` besides the header.
    package var jsonExtras: JSONExtras = []

    // MARK: Pages

    /// The first frame or page taken, 0…100,000; −1 takes the largest page, −2 the smallest.
    package var page: Int = 0
    /// Frames wanted: 1…256, or −1 for all.
    package var pages: Int = 1
    /// The number of plays of an animation, 0…65,535; 0 = for ever. Nil = as in the source.
    package var loop: Int?
    /// The delay of each frame in milliseconds, 0…655,350; the last value holds for all further frames. Empty
    /// = as in the source.
    package var delays: [Int] = []

    /// The recipe that changes nothing.
    package init() {}
}

extension Recipe {
    /// The recipe for another picture in place of the intended one: with the same size and format, but without options
    /// that refer to the intended picture's pixels or pages, and without a watermark or a text.
    package var ofAnotherPicture: Recipe {
        var recipe = self
        (recipe.crop, recipe.trim, recipe.watermark) = (nil, nil, nil)
        recipe.text = nil
        (recipe.page, recipe.delays) = (0, [])
        recipe.asIs = []
        if recipe.output == .raw { recipe.output = .source }
        return recipe
    }
}
