// SPDX-License-Identifier: Apache-2.0

/// A picture that is laid over the result.
package struct Watermark: Sendable, Hashable {
    package enum Position: Sendable, Hashable {
        /// Never `.focal`, `.entropy` or `.attention`.
        case at(Recipe.Alignment)
        /// Repeated over the whole picture, from its top left corner.
        case tile
    }

    /// A name from the configuration (no slash in it) or an absolute URL. In the recipe that a decoder gets: the
    /// hexadecimal digest of the watermark's bytes.
    package var source: String
    package var position: Position
    /// Its width as a fraction of the picture's, 0.01…1; nil = its own size, shrunk to the picture where it is larger.
    package var scale: Double?
    /// 0…1, multiplies its alpha.
    package var opacity: Double

    package init(
        source: String, position: Position = .at(.bottomRight), scale: Double? = nil, opacity: Double = 1
    ) {
        self.source = source
        self.position = position
        self.scale = scale
        self.opacity = opacity
    }
}
