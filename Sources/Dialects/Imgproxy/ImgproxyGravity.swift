// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// The part of a picture that matters most.
enum ImgproxyGravity: Equatable {
    /// A point as fractions of the sides, and an offset from it: below 1 a fraction, else pixels.
    case side(FocalPoint, x: Double, y: Double)
    case focus(FocalPoint)
    /// The most eye-catching part.
    case smart

    /// The offset from the side; 0 if the gravity names no side.
    var offset: (x: Double, y: Double) {
        guard case .side(_, let x, let y) = self else { return (0, 0) }
        return (x, y)
    }

    static let center = ImgproxyGravity.side(FocalPoint(), x: 0, y: 0)

    static let sides: [String: FocalPoint] = [
        "ce": FocalPoint(), "no": FocalPoint(y: 0), "so": FocalPoint(y: 1), "ea": FocalPoint(x: 1),
        "we": FocalPoint(x: 0), "noea": FocalPoint(x: 1, y: 0), "nowe": FocalPoint(x: 0, y: 0),
        "soea": FocalPoint(x: 1, y: 1), "sowe": FocalPoint(x: 0, y: 1),
    ]

    static let words =
        "ce, no, so, ea, we, noea, nowe, soea or sowe with offsets, sm, or fp:x:y with two fractions 0…1"
}

extension ImgproxyGravity {
    /// Where to put the middle of the result, for a cut or a canvas; nil for the most eye-catching part.
    var place: ImgproxyPlace? {
        switch self {
        case .smart: nil
        case .focus(let point): ImgproxyPlace(x: .init(point: point.x), y: .init(point: point.y))
        case .side(let point, let x, let y):
            ImgproxyPlace(x: .init(point: point.x, offset: x), y: .init(point: point.y, offset: y))
        }
    }
}

/// A point of a picture and an offset from it, along both axes.
struct ImgproxyPlace {
    struct Axis {
        /// The point as a fraction of the side.
        var point: Double
        /// The offset away from the side that the point names, and from the middle to the right or down; below 1 a fraction, else
        /// pixels.
        var offset = 0.0

        /// The same place, measured from the other end.
        var reversed: Axis { Axis(point: 1 - point, offset: point == 0.5 ? -offset : offset) }

        /// The offset as a length; nil for none.
        var length: Recipe.Length? {
            guard offset != 0 else { return nil }
            if offset.magnitude < 1 { return .percent(DecimalText.quantised(offset * 100)) }
            let range = PositionOffset.pixelRange
            // Cannot trap: a number within ±65,535.
            return .pixels(min(max(Int(offset.rounded()), range.lowerBound), range.upperBound))
        }
    }

    let x: Axis
    let y: Axis

    func mirrored(across: Bool, down: Bool) -> ImgproxyPlace {
        ImgproxyPlace(x: across ? x.reversed : x, y: down ? y.reversed : y)
    }

    /// The place in the upright picture, for a place in a turned one. Degrees clockwise: 0, 90, 180 or 270.
    func turnedBack(by degrees: Int) -> ImgproxyPlace {
        switch degrees {
        case 90: ImgproxyPlace(x: y, y: x.reversed)
        case 180: ImgproxyPlace(x: x.reversed, y: y.reversed)
        case 270: ImgproxyPlace(x: y.reversed, y: x)
        default: self
        }
    }
}
