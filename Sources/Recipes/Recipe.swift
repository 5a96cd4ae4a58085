// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// What to make of an original. A value with exactly one canonical spelling; see `OptionTable` for the
/// grammar.
package struct Recipe: Sendable, Hashable {
    /// A length along one axis of the box: pixels, or percent of the upright original.
    package enum Length: Sendable, Hashable {
        case pixels(Int)
        case percent(Double)

        /// Pixels that may be asked for. JPEG ends at 65,500 and WebP at 16,383 a side; nothing on the web
        /// asks for more.
        package static let pixelRange = 1...16_384
        /// Percent that may be asked for, in steps of 0.0001.
        package static let percentRange = 0.01...1_000.0
    }

    /// As CSS `object-fit` and sharp name them.
    package enum Fit: String, Sendable, Hashable, CaseIterable { case inside, outside, cover, fill, contain }

    /// What `cover` keeps and where `contain` puts.
    package enum Alignment: String, Sendable, Hashable, CaseIterable {
        case center, top, right, bottom, left
        case topLeft = "top-left"
        case topRight = "top-right"
        case bottomLeft = "bottom-left"
        case bottomRight = "bottom-right"
        case focal, entropy, attention
    }

    package enum Output: Sendable, Hashable {
        /// The source's own format where it can be written, else PNG with alpha and JPEG without.
        case source
        case format(ImageFormat)
        /// The best that the request's `Accept` allows. Resolved to `.format` before a key is made.
        case auto
        /// What is known of the picture, as JSON.
        case json
    }

    // MARK: The box and what is kept

    package var width: Length?
    package var height: Length?
    /// Multiplies `width` and `height`; 0.1…8, in steps of 0.0001.
    package var pixelRatio: Double = 1
    package var fit: Fit = .inside
    package var withoutEnlargement = true
    package var alignment: Alignment = .center
    /// What the alignment `.focal` looks at.
    package var focalPoint = FocalPoint()
    package var crop: Crop?
    package var trim: Trim?
    package var mask: Mask?

    // MARK: Turning

    /// Degrees clockwise, after the EXIF orientation; 0..<360 after folding. Multiples of 90 are exact.
    package var rotation: Double = 0
    /// Fills the corners that a rotation by other angles leaves.
    package var rotationBackground = Color.transparent
    /// Top becomes bottom; after the rotation.
    package var flip = false
    /// Left becomes right; after the rotation.
    package var flop = false
    /// Quarter turns and mirrors come right after the resize, as at wsrv.nl: what is cut and the canvas are those of the
    /// turned picture. The box is not turned along. A rotation by other angles stays where it is, behind the mirrors.
    package var turnsFirst = false

    // MARK: Colours

    /// Laid under the picture.
    package var background: Color?
    /// Of the bars that `contain` leaves.
    package var containBackground = Color.transparent
    package var blur: Blur?
    package var sharpen: Sharpening?
    /// −100…100 in whole steps; 0 is none.
    package var contrast: Int = 0
    /// −100…100 in whole steps: hundredths of the full scale that are added to each channel.
    package var brightness: Int = 0
    /// 1…3; 1 is none.
    package var gamma: Double = 1
    package var modulation = Modulation.none
    package var filter: Filter?
    /// Opaque after folding: only its hue and chroma count.
    package var tint: Color?
    package var watermark: Watermark?

    // MARK: Encoding

    package var output: Output = .source
    /// Nil = the format's default from the settings.
    package var quality: Quality?
    /// zlib level of PNG, 0…9; nil = that of the settings.
    package var pngLevel: Int?
    /// Row filters chosen row by row, for PNG; nil = where the encoder knows them to pay.
    package var adaptiveFilter: Bool?
    /// Progressive JPEG, interlaced PNG and GIF.
    package var interlaced = false
    /// Where the format has both kinds.
    package var lossless = false
    /// What `.json` tells besides the header.
    package var jsonExtras: JSONExtras = []

    // MARK: Pages

    /// The first frame or page taken, 0…100,000; −1 is the largest page, −2 the smallest.
    package var page: Int = 0
    /// Frames wanted: −1 all, else 1…256.
    package var pages: Int = 1
    /// How often an animation is played, 0…65,535; 0 is for ever. Nil = as the source says.
    package var loop: Int?
    /// Milliseconds for each frame, 0…655,350; one value is for all frames. Empty = as the source says.
    package var delays: [Int] = []

    package init() {}
}
