// SPDX-License-Identifier: Apache-2.0

/// A picture that is laid over the result.
package struct Watermark: Sendable, Hashable {
    /// The place of a watermark.
    package enum Position: Sendable, Hashable {
        /// At one place; never `.focal`, `.entropy` or `.attention`.
        case at(Recipe.Alignment)
        /// Repeated over the whole picture, from its top left corner.
        case tile
        /// Repeated from the left edge to the right; the place is `.top`, `.center` or `.bottom`.
        case row(Recipe.Alignment)
        /// Repeated from the top edge to the bottom; the place is `.left`, `.center` or `.right`.
        case column(Recipe.Alignment)
    }

    /// A name from the configuration (without a slash) or an absolute URL. In a decoder's recipe: the
    /// hexadecimal digest of the watermark's bytes.
    package var source: String
    /// The watermark's place on the picture.
    package var position: Position
    /// The offset from that place. It has no effect along a side over which the watermark is repeated.
    package var shift = PositionOffset()
    /// The watermark's width as a fraction of the picture's, 0.01…1; nil = its own size, shrunk to fit the picture.
    package var scale: Double?
    /// The watermark's height as a fraction of the picture's, 0.01…1. With `scale` as well, the watermark keeps its shape
    /// and lies within both; nil = from the width.
    package var heightScale: Double?
    /// The factor of its alpha, 0…1.
    package var opacity: Double

    /// The default is opaque, at its own size, in the bottom right corner.
    package init(
        source: String, position: Position = .at(.bottomRight), scale: Double? = nil, opacity: Double = 1
    ) {
        self.source = source
        self.position = position
        self.scale = scale
        self.opacity = opacity
    }

    /// The offset without the parts that move nothing.
    package var effectiveShift: PositionOffset {
        var shift = shift.canonicalised
        switch position {
        case .at: break
        case .tile: shift = PositionOffset()
        case .row: shift.x = nil
        case .column: shift.y = nil
        }
        return shift
    }
}
