// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A margin around the picture.
package struct Padding: Sendable, Hashable {
    /// Pixels of the result on each side.
    package var sides: Clockwise
    /// The padding's colour.
    package var background: Color

    /// Padding on these sides, transparent by default.
    package init(_ sides: Clockwise, background: Color = .transparent) {
        self.sides = sides
        self.background = background
    }
}

extension Recipe {
    /// A size with the padding around it.
    package func padded(_ size: PixelSize) -> PixelSize {
        guard let sides = padding?.sides else { return size }
        return PixelSize(
            // Cannot trap: a side is below 2⁴⁶, and twice the longest margin is added.
            width: size.width + sides.second + sides.fourth,
            // Cannot trap: as above.
            height: size.height + sides.first + sides.third)
    }

    /// The allowed sides of `pixelate`'s squares in pixels.
    package static let blockRange = 1...1_000

    /// Multiplies all lengths in pixels of the result, except the box.
    mutating func scaleEdges(by ratio: Double) {
        guard ratio != 1 else { return }
        if let padding { self.padding?.sides = padding.sides.multiplied(by: ratio) }
        radii = radii?.multiplied(by: ratio)
        block = block?.multiplied(by: ratio, within: Self.blockRange)
        shift = shift.multiplied(by: ratio)
        if let text {
            self.text?.shift = text.shift.multiplied(by: ratio)
            self.text?.size = text.size.multiplied(by: ratio, within: TextOverlay.sizeRange)
            if case .pixels(let pixels) = text.width {
                self.text?.width = .pixels(pixels.multiplied(by: ratio, within: Length.pixelRange))
            }
        }
        if let watermark { self.watermark?.shift = watermark.shift.multiplied(by: ratio) }
    }

    /// Multiplies the least width and height.
    mutating func scaleLeast(by ratio: Double) {
        leastWidth = leastWidth?.multiplied(by: ratio, within: Length.pixelRange)
        leastHeight = leastHeight?.multiplied(by: ratio, within: Length.pixelRange)
    }
}
