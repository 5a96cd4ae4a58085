// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A rectangle of whole pixels; offsets count from the picture's top left corner.
package struct PixelArea: Sendable, Hashable {
    /// Pixels left of the rectangle.
    package var x: Int
    /// Pixels above the rectangle.
    package var y: Int
    /// Pixels.
    package var width: Int
    /// Pixels.
    package var height: Int

    /// All in pixels.
    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// Its sides.
    package var size: PixelSize { PixelSize(width: width, height: height) }

    /// The smallest rectangle around both.
    package func union(_ other: PixelArea?) -> PixelArea {
        guard let other else { return self }
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelArea(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

extension Crop {
    /// The pixels that the crop keeps of a picture: at least one, and never more than the picture has.
    package func area(of picture: PixelSize) -> PixelArea {
        let sides = anchor.sides ?? (.near, .near)
        let (left, right) = Self.span(x, width, of: picture.width, from: sides.x)
        let (top, bottom) = Self.span(y, height, of: picture.height, from: sides.y)
        return PixelArea(x: left, y: top, width: right - left, height: bottom - top)
    }

    private static func span(
        _ start: Recipe.Length?, _ length: Recipe.Length?, of side: Int, from anchor: Recipe.Alignment.Side
    ) -> (Int, Int) {
        let wanted = pixels(start, of: side) ?? 0
        if anchor != .near, let asked = pixels(length, of: side), asked != 0 {
            // Cannot trap: the side is a picture's, and the other numbers are no more than 65,535 or the side.
            let rest = side + asked
            let count = asked > 0 ? min(asked, side) : rest > 0 ? rest : side
            let slack = side - count
            let first = min(max(anchor == .far ? slack - wanted : (slack + 1) / 2 + wanted, 0), slack)
            return (first, first + count)
        }
        let first = (0..<side).contains(wanted) ? wanted : 0
        let count = pixels(length, of: side) ?? 0
        // Cannot trap: the side is a picture's, and the count no more than 65,535 below 0.
        if count < 0 { return (first, side + count > first ? side + count : side) }
        // Cannot trap: the first lies before the side's end.
        return (first, (1...side - first).contains(count) ? first + count : side)
    }

    private static func pixels(_ length: Recipe.Length?, of side: Int) -> Int? {
        switch length {
        case nil: nil
        case .pixels(let pixels): pixels
        // Cannot trap: a percentage of 0…100 of a side below 2⁴⁶.
        case .percent(let percent): Int((Double(side) * percent / 100).rounded())
        }
    }
}
