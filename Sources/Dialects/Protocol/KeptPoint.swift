// SPDX-License-Identifier: Apache-2.0

internal import Recipes

extension Recipe {
    /// Keeps the area around a point. Corners, sides and the middle are set by their names, which are their only spelling.
    mutating func keep(_ point: FocalPoint) {
        if let name = Self.pointNames[point] {
            alignment = name
        } else {
            (alignment, focus) = (.focal, Focus(point))
        }
    }

    private static let pointNames: [FocalPoint: Recipe.Alignment] = [
        FocalPoint(): .center, FocalPoint(y: 0): .top, FocalPoint(y: 1): .bottom, FocalPoint(x: 0): .left,
        FocalPoint(x: 1): .right, FocalPoint(x: 0, y: 0): .topLeft, FocalPoint(x: 1, y: 0): .topRight,
        FocalPoint(x: 0, y: 1): .bottomLeft, FocalPoint(x: 1, y: 1): .bottomRight,
    ]
}

extension Recipe.Alignment {
    /// The side, corner or middle in a direction.
    /// - Parameters:
    ///   - across: −1 left, 0 in the middle, 1 right.
    ///   - down: −1 at the top, 0 in the middle, 1 at the bottom.
    init(across: Int, down: Int) {
        self =
            switch (across, down) {
            case (-1, -1): .topLeft
            case (0, -1): .top
            case (1, -1): .topRight
            case (-1, 0): .left
            case (1, 0): .right
            case (-1, 1): .bottomLeft
            case (0, 1): .bottom
            case (1, 1): .bottomRight
            default: .center
            }
    }
}

extension FocalPoint {
    /// The place in the upright picture of a point of a turned one. Degrees clockwise: 0, 90, 180 or 270.
    func turnedBack(by degrees: Int) -> FocalPoint {
        switch degrees {
        case 90: FocalPoint(x: y, y: 1 - x)
        case 180: FocalPoint(x: 1 - x, y: 1 - y)
        case 270: FocalPoint(x: 1 - y, y: x)
        default: self
        }
    }
}
