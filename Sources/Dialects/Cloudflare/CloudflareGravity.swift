// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Recipes

/// The part that `fit=cover` and `fit=crop` keep.
enum CloudflareGravity {
    /// The most eye-catching part.
    case auto
    /// A point of the result, as fractions of its sides from the top left corner.
    case point(FocalPoint)

    static let words =
        "`auto`, `left`, `right`, `top`, `bottom`, `center`, or a point XxY of two fractions 0…1"

    /// Nil if the text is no gravity.
    init?(_ text: String) {
        if text == "auto" {
            self = .auto
        } else if let side = Self.sides[text] {
            self = .point(side)
        } else {
            let parts = text.split(separator: "x", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, let x = DecimalText.read(parts[0]), let y = DecimalText.read(parts[1]),
                (0...1).contains(x), (0...1).contains(y)
            else { return nil }
            self = .point(FocalPoint(x: x, y: y))
        }
    }

    private static let sides = [
        "left": FocalPoint(x: 0), "right": FocalPoint(x: 1), "top": FocalPoint(y: 0),
        "bottom": FocalPoint(y: 1), "center": FocalPoint(),
    ]
}

extension CloudflareGravity {
    /// Sets the gravity in the recipe. The picture is cut before it is turned, so the point is converted to the upright picture.
    func set(in recipe: inout Recipe, _ turn: CloudflareTurn) {
        guard case .point(let point) = self else {
            recipe.alignment = .attention
            return
        }
        recipe.keep(turn.origin(of: point))
    }
}

/// `flip`, then `rotate`. At Cloudflare both come before the resize, so box and gravity refer to the turned picture.
struct CloudflareTurn {
    /// Degrees clockwise: 0, 90, 180 or 270.
    var degrees = 0
    /// Left becomes right, before the rotation.
    var mirrorsAcross = false
    /// Top becomes bottom, before the rotation.
    var mirrorsDown = false

    private var swapsSides: Bool { degrees == 90 || degrees == 270 }

    /// Sets the turn in the recipe. A recipe mirrors last, along the turned picture's axes, and its box is that of the upright
    /// picture.
    func set(in recipe: inout Recipe) {
        recipe.rotation = Double(degrees)
        recipe.flop = swapsSides ? mirrorsDown : mirrorsAcross
        recipe.flip = swapsSides ? mirrorsAcross : mirrorsDown
        if swapsSides { (recipe.width, recipe.height) = (recipe.height, recipe.width) }
    }

    /// The place in the upright picture of a point of the result.
    func origin(of point: FocalPoint) -> FocalPoint {
        let turned = point.turnedBack(by: degrees)
        return FocalPoint(
            x: DecimalText.quantised(mirrorsAcross ? 1 - turned.x : turned.x),
            y: DecimalText.quantised(mirrorsDown ? 1 - turned.y : turned.y))
    }
}
