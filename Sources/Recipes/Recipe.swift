// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The transformation of an original into a rendition. Each recipe has exactly one canonical spelling; see
/// `OptionTable` for the grammar.
package struct Recipe: Sendable, Hashable {
    /// A length along one axis of the box: pixels, or percent of the upright original.
    package enum Length: Sendable, Hashable {
        case pixels(Int)
        case percent(Double)

        /// Pixels that may be asked for. JPEG ends at 65,500 and WebP at 16,383 a side; no page asks for
        /// more.
        package static let pixelRange = 1...16_384
        /// Percentages that may be asked for, in steps of 0.0001.
        package static let percentRange = 0.01...1_000.0
    }

    /// How the picture fits the box; the names are those of CSS `object-fit` and of sharp.
    package enum Fit: String, Sendable, Hashable, CaseIterable {
        case inside, outside, cover, fill, contain
        /// `cover` where picture and box are both portrait or both landscape, else `inside`. A square counts as landscape.
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
        /// The best format that the request's `Accept` allows. In a resolved recipe: AVIF, or lossless WebP where that is smaller.
        case auto
        /// A description of the picture, as JSON.
        case json
        /// The original as it is.
        case raw

        /// True for a picture that is made, and false for what is told or handed on.
        package var isMade: Bool { self != .json && self != .raw }
    }

    /// The colours that the numbers of the result stand for.
    package enum Profile: String, Sendable, Hashable, CaseIterable {
        /// Nothing is said of them.
        case sRGB
        /// Where the original has colours outside sRGB; the result says so.
        case displayP3
        /// The space of the original's own ICC profile, which the result carries; where that cannot be, as `displayP3`.
        case own
    }

    /// The metadata that the result carries.
    package enum Metadata: String, Sendable, Hashable, CaseIterable {
        case none
        /// The author and the copyright.
        case copyright
    }

    // MARK: Box, crop and mask

    /// The box's width; nil = by the height and the picture's ratio.
    package var width: Length?
    /// The box's height; nil = by the width and the picture's ratio.
    package var height: Length?
    /// Gives the box the side that it lacks; without any side, the largest box within the picture or, for `contain`, the
    /// smallest around it. Nil = no box by it.
    package var aspect: AspectRatio?
    /// Multiplies `width` and `height`, or where neither is given the box that `aspect` makes, or both sides of the picture.
    package var zoom: Double = 1
    /// Zooms that may be asked for, in steps of 0.0001.
    package static let zoomRange = 0.1...10.0
    /// Multiplies `width` and `height`; 0.1…8, in steps of 0.0001.
    package var pixelRatio: Double = 1
    /// Pixels that the resized picture is wide at least, whatever else is asked; nil = no least width.
    package var leastWidth: Int?
    /// Pixels that it is high at least.
    package var leastHeight: Int?
    /// How the picture fits the box.
    package var fit: Fit = .inside
    /// True to exchange the sides of a box that is landscape for a portrait picture, or portrait for a landscape one.
    package var turnsBox = false
    /// True to keep the size of a picture that is smaller than the box.
    package var withoutEnlargement = true
    /// True to keep the size of a picture that is larger than the box.
    package var withoutReduction = false
    /// True to make the box smaller, in its shape, where a picture that may not grow is too small for it; for `cover`
    /// and `contain`.
    package var shrinksBox = false
    /// True to resize light, which sRGB's numbers are the powers of, and not these numbers.
    package var linear = false
    /// For `cover` and `contain`.
    package var alignment: Alignment = .center
    /// The point that the alignment `.focal` keeps.
    package var focus = Focus()
    /// The offset from where the alignment puts the part; not for alignments that look at the picture.
    package var shift = PositionOffset()
    /// Nil = no crop.
    package var crop: Crop?
    /// Nil = no trim.
    package var trim: Trim?
    /// Nil = no mask.
    package var mask: Mask?
    /// Radii of rounded corners, from the top left; nil = none.
    package var radii: Radii?
    /// Nil = no padding.
    package var padding: Padding?

    // MARK: Turning

    /// Degrees clockwise, after the EXIF orientation; 0..<360 after folding. Multiples of 90 are exact.
    package var rotation: Double = 0
    /// Fills the corners that a rotation leaves, unless its angle is a multiple of 90.
    package var rotationBackground = Color.transparent
    /// Exchanges top and bottom, after the rotation.
    package var flip = false
    /// Exchanges left and right, after the rotation.
    package var flop = false
    /// True to do quarter turns and mirrors right after the resize, as wsrv.nl does: the crop and the canvas
    /// then apply to the turned picture. The box is not turned. Rotations by other angles stay behind the
    /// mirrors.
    package var turnsFirst = false

    // MARK: Colours

    /// Colour behind the picture; nil = none.
    package var background: Color?
    /// The colour behind the picture is its own, in place of `background`; nil = it is not.
    package var backgroundSample: ColourSample?
    /// Colour of the bars that `contain` leaves.
    package var containBackground = Color.transparent
    /// Their colour is the picture's own, in place of `containBackground`; nil = it is not.
    package var containSample: ColourSample?
    /// Sigma by which the picture is blurred that fills the bars of `contain`; nil = they have their colour.
    package var containBlur: Double?
    /// Nil = no blur.
    package var blur: Blur?
    /// A side of the squares that become one colour each, in pixels; nil = none.
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
    /// Opaque after folding, because only its hue and chroma count; nil = no tint.
    package var tint: Color?
    /// Nil = no watermark.
    package var watermark: Watermark?
    /// Nil = no text.
    package var text: TextOverlay?

    // MARK: Encoding

    /// The kind of result.
    package var output: Output = .source
    /// True to answer an SVG as SVG, made harmless and otherwise as it is, where `output` names no format.
    package var keepsDrawing = false
    /// Nil = the format's default from the settings.
    package var quality: Quality?
    /// Qualities by format, 1…100, where `quality` names none for all.
    package var formatQualities: [ImageFormat: Int] = [:]
    /// Bytes that the file shall have at most: lower qualities are tried until it fits; nil = any number.
    package var maxBytes: Int?
    /// Bytes that may be asked for.
    package static let byteRange = 1...1_000_000_000
    /// Level of zlib for PNG, 0…9; nil = the settings' level.
    package var pngLevel: Int?
    /// True to choose PNG's row filters for each row; nil = where the encoder expects a gain.
    package var adaptiveFilter: Bool?
    /// True for progressive JPEG, interlaced PNG and interlaced GIF.
    package var interlaced = false
    /// True for lossless coding, in formats that have both kinds.
    package var lossless = false
    /// The colour space of the result's numbers.
    package var profile: Profile = .sRGB
    /// The part of the original's metadata that is written anew.
    package var metadata: Metadata = .none
    /// True to keep the gain map of an Ultra HDR JPEG in a JPEG.
    package var keepsGainMap = false
    /// Formats whose originals are handed on as they came, where the result would have the same format.
    package var asIs: Set<ImageFormat> = []
    /// Parts of `.json` beside the header.
    package var jsonExtras: JSONExtras = []

    // MARK: Pages

    /// The first frame or page taken, 0…100,000; −1 takes the largest page, −2 the smallest.
    package var page: Int = 0
    /// Frames wanted: 1…256, or −1 for all.
    package var pages: Int = 1
    /// Plays of an animation, 0…65,535; 0 = for ever. Nil = as in the source.
    package var loop: Int?
    /// Milliseconds of each frame, 0…655,350; a single value applies to all frames. Empty = as in the source.
    package var delays: [Int] = []

    /// The recipe that changes nothing.
    package init() {}
}

extension Recipe {
    /// The recipe for another picture in place of the one it was written for: of the same size and format, without what is
    /// about that one's pixels or pages, and without a watermark or a text.
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
