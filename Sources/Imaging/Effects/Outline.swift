// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ImageHeaders
internal import Recipes

/// The shape of a mask as a closed line around its inside, as large as the picture allows and centred.
struct Outline {
    struct Point: Equatable {
        var x: Double
        var y: Double
    }

    /// Clockwise, within 0…width and 0…height of the picture. No line crosses another.
    let points: [Point]
    /// The box around the shape, in whole pixels.
    let bounds: PixelArea

    init(_ shape: Mask.Shape, in size: PixelSize) {
        let model = Self.model(shape)
        let (xs, ys) = (model.map(\.x), model.map(\.y))
        let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
        let (width, height) = ((xs.max() ?? 1) - left, (ys.max() ?? 1) - top)
        var (across, down) = (Double(size.width) / width, Double(size.height) / height)
        if shape != .ellipse { (across, down) = (min(across, down), min(across, down)) }
        let x = (Double(size.width) - width * across) / 2
        let y = (Double(size.height) - height * down) / 2
        points = model.map {
            Point(
                x: min(max(x + ($0.x - left) * across, 0), Double(size.width)),
                y: min(max(y + ($0.y - top) * down, 0), Double(size.height)))
        }
        let box = PixelSize(
            width: max(1, Int((width * across).rounded())), height: max(1, Int((height * down).rounded())))
        let (most, highest) = (max(0, size.width - box.width), max(0, size.height - box.height))
        // Rounding can put the edge of a shape that touches both sides slightly outside.
        bounds = PixelArea(
            x: min(max(Int(x.rounded(.down)), 0), most), y: min(max(Int(y.rounded(.down)), 0), highest),
            width: min(box.width, size.width), height: min(box.height, size.height))
    }

    /// The whole picture but its rounded corners. Radii that do not fit beside one another shrink together (CSS
    /// Backgrounds and Borders 3, §4.5).
    init(rounded radii: Radii, in size: PixelSize) {
        let (width, height) = (Double(size.width), Double(size.height))
        let across = radii.across.all.map(Double.init)
        let down = radii.down.all.map(Double.init)
        // The sums of the radii along the top, the right, the bottom and the left side.
        let wanted = [
            across[0] + across[1], down[1] + down[2], across[2] + across[3], down[3] + down[0],
        ]
        let shares = zip([width, height, width, height], wanted).map { $0 / max(1, $1) }
        let factor = min(1, shares.min() ?? 1)
        let centres = [(0.0, 0.0), (width, 0), (width, height), (0, height)]
        points = (0..<4).flatMap { corner in
            let radius = (x: across[corner] * factor, y: down[corner] * factor)
            let (x, y) = centres[corner]
            let middle = Point(
                x: x + (corner == 0 || corner == 3 ? radius.x : -radius.x),
                y: y + (corner < 2 ? radius.y : -radius.y))
            // With these steps the line is at most 0.005 pixels from the true curve.
            let steps = Int((8 * max(radius.x, radius.y).squareRoot()).rounded(.up))
            return (0...steps).map { step in
                let part = steps == 0 ? 0 : Double(step) / Double(steps)
                let angle = (Double(corner) + part) * .pi / 2 + .pi
                return Point(
                    x: min(max(middle.x + radius.x * cos(angle), 0), width),
                    y: min(max(middle.y + radius.y * sin(angle), 0), height))
            }
        }
        bounds = PixelArea(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The shape's points at any scale and place; y grows downwards.
    private static func model(_ shape: Mask.Shape) -> [Point] {
        switch shape {
        // With 512 corners the line is at most 0.0005 radii from the true curve.
        case .circle, .ellipse: star(corners: 512)
        case .triangle: star(corners: 3)
        case .triangle180: star(corners: 3, turn: .pi)
        case .square: star(corners: 4)
        case .pentagon: star(corners: 5)
        case .pentagon180: star(corners: 5, turn: .pi)
        case .hexagon: star(corners: 6)
        // A pentagram's star, whose inner corners lie at 1 / φ² of the radius.
        case .star: star(corners: 10, inner: 0.382)
        case .heart: heart
        }
    }

    /// A regular polygon that points up, or a star whose every other corner lies at `inner` of the radius.
    private static func star(corners: Int, inner: Double = 1, turn: Double = 0) -> [Point] {
        (0..<corners).map { corner in
            let angle = Double(corner) * 2 * .pi / Double(corners) - .pi / 2 + turn
            let radius = corner % 2 == 0 ? 1 : inner
            return Point(x: radius * cos(angle), y: radius * sin(angle))
        }
    }

    /// The sixth heart of https://mathworld.wolfram.com/HeartCurve.html.
    private static let heart = (0..<315).map { step in
        let t = -Double.pi + Double(step) * 0.02
        return Point(
            x: 16 * pow(sin(t), 3),
            y: -(13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)))
    }
}
