// SPDX-License-Identifier: Apache-2.0

/// Lines of text that are drawn over the result. A line breaks at the picture's edge, or after a given width.
package struct TextOverlay: Sendable, Hashable {
    /// Plain text without markup.
    package var text: String
    /// The text's place on the picture; never `.focal`, `.entropy` or `.attention`.
    package var position = Recipe.Alignment.center
    /// The offset from that place.
    package var shift = PositionOffset()
    /// The font size in pixels: about the distance between two lines.
    package var size = 32
    /// The colour of the letters; coloured glyphs keep their own colours.
    package var color = Color.white
    /// A font family; nil = the first one in the settings.
    package var font: String?

    /// The side to which lines are aligned; nil = by the position.
    package var alignment: LineSide?
    /// The width after which a line breaks, in pixels or percent of the picture's width; nil = at the picture's edge.
    package var width: Recipe.Length?

    /// The side to which lines of different lengths are aligned.
    package enum LineSide: Sendable, Hashable {
        case left
        case center
        case right
    }

    package init(_ text: String) { self.text = text }

    /// Compares texts by their bytes. Texts that Unicode considers equal, such as é as one character or as two, may look
    /// different, and have different spellings.
    package static func == (one: TextOverlay, other: TextOverlay) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8) && one.position == other.position
            && one.shift == other.shift && one.size == other.size && one.color == other.color
            && one.font == other.font && one.alignment == other.alignment && one.width == other.width
    }

    package func hash(into hasher: inout Hasher) {
        // The other properties seldom differ.
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(size)
    }

    /// The alignment of lines; by default it follows the position.
    package var lineSide: LineSide { alignment ?? Self.lineSide(at: position) }

    private static func lineSide(at position: Recipe.Alignment) -> LineSide {
        switch position.sides?.x {
        case .near: .left
        case .far: .right
        case .middle, nil: .center
        }
    }

    /// The text without settings that change nothing.
    var canonicalised: TextOverlay {
        var text = self
        text.shift = shift.canonicalised
        if alignment == Self.lineSide(at: position) { text.alignment = nil }
        return text
    }

    /// The allowed sizes in pixels.
    package static let sizeRange = 1...500
    /// The most characters (Unicode scalars) of a text.
    package static let longest = 200

    /// Whether the text is allowed: not empty, not too long, without control characters other than line feeds, and
    /// without noncharacters.
    package static func isWritable(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...longest).contains(scalars.count)
            && scalars.allSatisfy {
                ($0 == "\n" || $0.properties.generalCategory != .control)
                    && !$0.properties.isNoncharacterCodePoint
            }
    }

    /// The most pixels that the text may cover, including the space between letters and lines: several times what
    /// usual letters take, and at most 8 megapixels.
    package var pixelBound: Int {
        // Cannot trap: there are at most 200 characters of 500 pixels.
        min(8 << 20, 6 * text.unicodeScalars.count * size * size + 1 << 16)
    }
}
