// SPDX-License-Identifier: Apache-2.0

/// Lines of text that are written over the result. A line is broken where the picture ends, or after a width.
package struct TextOverlay: Sendable, Hashable {
    /// Plain: nothing in it is markup.
    package var text: String
    /// The text's place on the picture; never `.focal`, `.entropy` or `.attention`.
    package var position = Recipe.Alignment.center
    /// The offset from that place.
    package var shift = PositionOffset()
    /// Pixels from a line to the next, about.
    package var size = 32
    /// The colour of letters; pictures among them keep their own colours.
    package var color = Color.white
    /// A family of fonts; nil = the first of the settings.
    package var font: String?

    /// Where the lines of several begin or end; nil = by the position.
    package var alignment: LineSide?
    /// The width after which a line is broken, pixels or percent of the picture's width; nil = where the picture ends.
    package var width: Recipe.Length?

    /// The side at which lines of different lengths are even.
    package enum LineSide: Sendable, Hashable {
        case left
        case center
        case right
    }

    package init(_ text: String) { self.text = text }

    /// By the bytes of the text: what Unicode takes for one text, as é in one character or in two, may be two pictures, and
    /// is two spellings.
    package static func == (one: TextOverlay, other: TextOverlay) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8) && one.position == other.position
            && one.shift == other.shift && one.size == other.size && one.color == other.color
            && one.font == other.font && one.alignment == other.alignment && one.width == other.width
    }

    package func hash(into hasher: inout Hasher) {
        // The rest differs seldom.
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(size)
    }

    /// The side of its position where nothing else is asked.
    package var lineSide: LineSide { alignment ?? Self.lineSide(at: position) }

    private static func lineSide(at position: Recipe.Alignment) -> LineSide {
        switch position.sides?.x {
        case .near: .left
        case .far: .right
        case .middle, nil: .center
        }
    }

    /// The text without what changes nothing.
    var folded: TextOverlay {
        var text = self
        text.shift = shift.folded
        if alignment == Self.lineSide(at: position) { text.alignment = nil }
        return text
    }

    /// Sizes that may be asked for.
    package static let sizeRange = 1...500
    /// Characters (Unicode scalars) of a text.
    package static let longest = 200

    /// Whether it may be asked for: neither empty nor too long, and without control characters other than line feeds, and
    /// without noncharacters.
    package static func isWritable(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        return (1...longest).contains(scalars.count)
            && scalars.allSatisfy {
                ($0 == "\n" || $0.properties.generalCategory != .control)
                    && !$0.properties.isNoncharacterCodePoint
            }
    }

    /// Pixels that the text may cover, the space between its letters and lines included: several times what usual
    /// letters take, and no more than 8 megapixels.
    package var pixelBound: Int {
        // Cannot trap: 200 characters of 500 pixels.
        min(8 << 20, 6 * text.unicodeScalars.count * size * size + 1 << 16)
    }
}
