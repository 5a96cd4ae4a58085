// SPDX-License-Identifier: Apache-2.0

/// What a picture says of itself in its header, read before any decoder sees a byte.
package struct ImageHeader: Sendable, Hashable {
    package var format: ImageFormat
    /// Pixels as stored, before the EXIF orientation is applied. 0 for the formats that are only told by
    /// their first bytes: JPEG XL, PDF, and an SVG that does not say.
    package var width: Int
    /// Pixels as stored, of one page.
    package var height: Int
    /// Frames of an animation, pages of a document; 1 for a still.
    package var pages: Int
    /// EXIF orientation, 1…8; 1 where the format's own decoder applies it (HEIC, AVIF).
    package var orientation: Int
    package var hasAlpha: Bool
    /// False for codings that no decoder here reads: lossless and hierarchical JPEG.
    package var isDecodable: Bool
    /// Its pixels come in several passes, so that a decoder must hold all of them: a progressive JPEG, an interlaced PNG.
    package var isProgressive: Bool

    package init(
        format: ImageFormat, width: Int, height: Int, pages: Int = 1, orientation: Int = 1,
        hasAlpha: Bool = false, isDecodable: Bool = true, isProgressive: Bool = false
    ) {
        self.format = format
        self.width = width
        self.height = height
        self.pages = pages
        self.orientation = orientation
        self.hasAlpha = hasAlpha
        self.isDecodable = isDecodable
        self.isProgressive = isProgressive
    }

    /// What is true of it or not, for keeping.
    package struct Traits: OptionSet, Sendable, Hashable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let alpha = Traits(rawValue: 1 << 0)
        package static let progressive = Traits(rawValue: 1 << 1)
        package static let undecodable = Traits(rawValue: 1 << 2)
        package static let all: Traits = [.alpha, .progressive, .undecodable]
    }

    package var traits: Traits {
        get {
            var traits: Traits = []
            if hasAlpha { traits.insert(.alpha) }
            if isProgressive { traits.insert(.progressive) }
            if !isDecodable { traits.insert(.undecodable) }
            return traits
        }
        set {
            hasAlpha = newValue.contains(.alpha)
            isProgressive = newValue.contains(.progressive)
            isDecodable = !newValue.contains(.undecodable)
        }
    }

    /// Pixels as the picture is meant to be seen: orientations 5…8 lie on their side.
    package var upright: PixelSize {
        orientation >= 5 ? PixelSize(width: height, height: width) : PixelSize(width: width, height: height)
    }
}
