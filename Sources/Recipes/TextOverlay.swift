// SPDX-License-Identifier: Apache-2.0

/// A line of text that is written over the result, and broken where the picture ends.
package struct TextOverlay: Sendable, Hashable {
    /// Plain: nothing in it is markup.
    package var text: String
    /// Its place on the picture; never `.focal`, `.entropy` or `.attention`.
    package var position = Recipe.Alignment.center
    /// From there.
    package var shift = Shift()
    /// Pixels from a line to the next, about.
    package var size = 32
    /// Of letters; pictures among them keep their own colours.
    package var color = Color.white
    /// A family of fonts; nil = the first of the settings.
    package var font: String?

    package init(_ text: String) { self.text = text }

    /// Sizes that may be asked for.
    package static let sizeRange = 1...500
    /// Characters (Unicode scalars) of a text.
    package static let longest = 200

    /// Whether it may be asked for: neither empty nor too long, and without control characters and noncharacters.
    package static func isWritable(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...longest).contains(scalars.count)
            && scalars.allSatisfy {
                $0.properties.generalCategory != .control && !$0.properties.isNoncharacterCodePoint
            }
    }

    /// Pixels that the text may cover, the space between its letters and lines included: several times what usual
    /// letters take, and no more than 8 megapixels.
    package var pixelBound: Int {
        // Cannot trap: 200 characters of 500 pixels.
        min(8 << 20, 6 * text.unicodeScalars.count * size * size + 1 << 16)
    }
}
