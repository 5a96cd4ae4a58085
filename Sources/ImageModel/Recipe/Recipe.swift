// SPDX-License-Identifier: Apache-2.0

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
        case entropy, attention
    }

    package enum Output: Sendable, Hashable {
        /// The source's own format where it can be written, else PNG with alpha and JPEG without.
        case source
        case format(ImageFormat)
        /// The best that the request's `Accept` allows. Resolved to `.format` before a key is made.
        case auto
    }

    package var width: Length?
    package var height: Length?
    /// Multiplies `width` and `height`; 0.1…8, in steps of 0.0001.
    package var pixelRatio: Double = 1
    package var fit: Fit = .inside
    package var withoutEnlargement = true
    package var alignment: Alignment = .center
    package var output: Output = .source
    /// 1…100; nil = the format's default from the settings.
    package var quality: Int?
    /// Frames wanted: −1 all, else 1…256.
    package var pages: Int = 1

    package init() {}
}
