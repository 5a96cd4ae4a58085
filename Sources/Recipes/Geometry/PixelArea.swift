// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A rectangle of whole pixels; offsets count from the picture's top left corner.
package struct PixelArea: Sendable, Hashable {
    /// Pixels left of the rectangle.
    package var x: Int
    /// Pixels above the rectangle.
    package var y: Int
    /// The width in pixels.
    package var width: Int
    /// The height in pixels.
    package var height: Int

    /// All numbers are in pixels.
    package init(x: Int, y: Int, width: Int, height: Int) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// The area's sides.
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
    /// The pixels that the crop keeps of a picture: at least one, and at most the whole picture. The part that draws the eye
    /// is assumed to be the middle.
    package func area(of picture: PixelSize) -> PixelArea {
        let origin = origin
        let (left, right) = Self.span(x, width, of: picture.width, from: origin.x)
        let (top, bottom) = Self.span(y, height, of: picture.height, from: origin.y)
        return PixelArea(x: left, y: top, width: right - left, height: bottom - top)
    }

    /// The point from which offsets along an axis count.
    private enum Origin {
        case near
        case far
        /// The kept part is centred on this fraction of the side.
        case around(Double)

        init(_ side: Recipe.Alignment.Side) {
            switch side {
            case .near: self = .near
            case .middle: self = .around(0.5)
            case .far: self = .far
            }
        }
    }

    private var origin: (x: Origin, y: Origin) {
        switch anchor {
        case .side(let alignment):
            let sides = alignment.sides ?? (.near, .near)
            return (Origin(sides.x), Origin(sides.y))
        case .point(let point): return (.around(point.x), .around(point.y))
        case .attention: return (.around(0.5), .around(0.5))
        }
    }

    private static func span(
        _ start: Recipe.Length?, _ length: Recipe.Length?, of side: Int, from origin: Origin
    ) -> (Int, Int) {
        let wanted = start?.pixels(of: side) ?? 0
        let asked = length?.kept(of: side) ?? 0
        // Cannot trap: the side is a picture's, and the other numbers are at most 65,535 or the side.
        let rest = side + asked
        let count = asked > 0 ? min(asked, side) : rest > 0 ? rest : side
        let slack = side - count
        switch origin {
        case .near: break
        case .far where asked != 0: return span(from: slack - wanted, count, slack)
        case .around(0.5) where asked != 0: return span(from: (slack + 1) / 2 + wanted, count, slack)
        case .around(let point) where asked != 0:
            // Cannot trap: a fraction of 0…1 of the side.
            return span(from: Int((Double(side) * point).rounded()) - count / 2 + wanted, count, slack)
        case .far, .around: break
        }
        let first = (0..<side).contains(wanted) ? wanted : 0
        // Cannot trap: the count is at least −65,535.
        if asked < 0 { return (first, rest > first ? rest : side) }
        // Cannot trap: `first` is less than the side.
        return (first, (1...side - first).contains(asked) ? first + asked : side)
    }

    private static func span(from first: Int, _ count: Int, _ slack: Int) -> (Int, Int) {
        let first = min(max(first, 0), slack)
        return (first, first + count)
    }
}

extension Recipe.Length {
    private static var farthest: Double { Double(Int32.max) }

    /// The pixels that a crop of this length keeps of a side. A positive percentage keeps at least one, because 0 means
    /// the whole rest.
    fileprivate func kept(of side: Int) -> Int {
        guard case .percent(let percent) = self, percent > 0 else { return pixels(of: side) }
        return max(1, pixels(of: side))
    }

    /// This length in pixels along a side, to which percentages refer.
    package func pixels(of side: Int) -> Int {
        switch self {
        case .pixels(let pixels): pixels
        case .percent(let percent):
            // Cannot trap: the number is finite and between two integers.
            Int(min(max((Double(side) * percent / 100).rounded(), -Self.farthest), Self.farthest))
        }
    }
}

extension Recipe {
    /// The size of what is resized: the upright picture, or what a crop before the resize leaves of it. The recipe must be
    /// canonical.
    func keptSize(of header: ImageHeader) -> PixelSize {
        guard let crop, crop.beforeResize, header.width > 0, header.height > 0 else { return header.upright }
        return crop.area(of: liesDownFirst ? header.upright.lyingDown : header.upright).size
    }
}
