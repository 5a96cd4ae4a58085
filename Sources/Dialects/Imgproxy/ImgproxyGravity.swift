// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// Which part of a picture counts.
enum ImgproxyGravity: Equatable {
    /// The point as fractions of the sides, and the offset from there: below 1 a fraction, else pixels.
    case side(FocalPoint, x: Double, y: Double)
    case focus(FocalPoint)
    /// The part that draws the eye.
    case smart

    /// The offset from the side; 0 where the gravity has no side.
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
    /// Where a result's middle is to be, for what is cut or put on a canvas; nil for what draws the eye.
    var place: ImgproxyPlace? {
        switch self {
        case .smart: nil
        case .focus(let point): ImgproxyPlace(x: .init(point: point.x), y: .init(point: point.y))
        case .side(let point, let x, let y):
            ImgproxyPlace(x: .init(point: point.x, offset: x), y: .init(point: point.y, offset: y))
        }
    }
}

/// A point of a picture and how far from there, along both axes.
struct ImgproxyPlace {
    struct Axis {
        /// Fraction of the side.
        var point: Double
        /// Away from the side that the point names, and from the middle to the right or down; below 1 a fraction, else
        /// pixels.
        var offset = 0.0

        /// Seen from the other end.
        var reversed: Axis { Axis(point: 1 - point, offset: point == 0.5 ? -offset : offset) }

        /// Nil for no offset.
        var length: Recipe.Length? {
            guard offset != 0 else { return nil }
            if offset.magnitude < 1 { return .percent(DecimalText.quantised(offset * 100)) }
            let range = PositionOffset.pixelRange
            // Cannot trap: a number of ±65,535.
            return .pixels(min(max(Int(offset.rounded()), range.lowerBound), range.upperBound))
        }
    }

    let x: Axis
    let y: Axis

    func mirrored(across: Bool, down: Bool) -> ImgproxyPlace {
        ImgproxyPlace(x: across ? x.reversed : x, y: down ? y.reversed : y)
    }

    /// In the upright picture, of one that was turned. Degrees clockwise: 0, 90, 180 or 270.
    func turnedBack(by degrees: Int) -> ImgproxyPlace {
        switch degrees {
        case 90: ImgproxyPlace(x: y, y: x.reversed)
        case 180: ImgproxyPlace(x: x.reversed, y: y.reversed)
        case 270: ImgproxyPlace(x: y.reversed, y: x)
        default: self
        }
    }
}
