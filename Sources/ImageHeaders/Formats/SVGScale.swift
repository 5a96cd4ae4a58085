// SPDX-License-Identifier: Apache-2.0

/// Whether a drawing grows with the space that it is given.
package enum SVGScale {
    /// True for a drawing with neither a `viewBox` nor both sides. In a larger space librsvg shows more of the plane around it, as
    /// browsers do, and in a smaller one only a corner. A drawing with both sides uses them as its `viewBox`.
    package static func isFixed(_ source: some HeaderSource) -> Bool {
        source.reading { reader in try SVGHeader.isFixed(&reader) } ?? false
    }

    /// The most pixels of such a drawing that is rendered in its own size.
    package static let mostPixels = 4_000_000
    /// The largest width of such a drawing in pixels. For a wider one libvips holds rows that the memory price does
    /// not cover.
    static let mostAcross = 3_000

    /// Whether a drawing whose header tells no size may be rendered in this size, to be scaled afterwards.
    package static func hasRoom(for natural: PixelSize) -> Bool {
        natural.area <= mostPixels && natural.width <= mostAcross
    }

    /// The most pixels in which a drawing may be rendered regardless of the wanted size: `mostPixels` if only the decoder can
    /// tell its size, and so whether it is fixed; else 0.
    package static func ownPixels(_ header: ImageHeader) -> Int {
        header.format == .svg && header.stored.area == 0 ? mostPixels : 0
    }
}
