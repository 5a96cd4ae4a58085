// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// One of the eight orientations of a picture: mirrored or not, then turned by quarters.
struct PictureTurn: Equatable {
    /// True if left becomes right, before the turn.
    var mirrors = false
    /// Quarter turns clockwise, 0…3.
    private(set) var quarters = 0

    init(mirrors: Bool = false, quarters: Int = 0) {
        self.mirrors = mirrors
        self.quarters = (quarters % 4 + 4) % 4
    }

    /// Mirrors the picture across, down, or both.
    init(across: Bool, down: Bool) { self.init(mirrors: across != down, quarters: down ? 2 : 0) }

    /// This orientation followed by `next`.
    func then(_ next: PictureTurn) -> PictureTurn {
        // A mirror after a turn equals the mirror before the opposite turn.
        let own = next.mirrors ? -quarters : quarters
        return PictureTurn(mirrors: mirrors != next.mirrors, quarters: own + next.quarters)
    }

    var swapsSides: Bool { quarters % 2 == 1 }

    /// The rectangle of the picture that becomes `crop` in the turned picture: the same pixels, perhaps measured from other sides.
    /// - Parameter crop: measured from the left and from the top.
    func origin(of crop: Crop) -> Crop {
        var (across, down) = (Span(crop.x, crop.width), Span(crop.y, crop.height))
        for _ in 0..<quarters {
            // The left side after a quarter turn was the bottom before it.
            across.isFar.toggle()
            (across, down) = (down, across)
        }
        if mirrors { across.isFar.toggle() }
        var origin = crop
        (origin.x, origin.width) = (across.start, across.length)
        (origin.y, origin.height) = (down.start, down.length)
        origin.anchor = .side(.init(across: across.isFar ? 1 : -1, down: down.isFar ? 1 : -1))
        return origin
    }

    /// A rectangle along one axis.
    private struct Span {
        var start: Recipe.Length?
        var length: Recipe.Length?
        /// True if it is measured from the right or from the bottom.
        var isFar = false

        init(_ start: Recipe.Length?, _ length: Recipe.Length?) {
            (self.start, self.length) = (start, length)
        }
    }

    /// Sets the orientation in a recipe, which turns first and mirrors then.
    func set(in recipe: inout Recipe) {
        recipe.flop = mirrors
        // Cannot trap: 0…3.
        recipe.rotation = Double((mirrors ? 4 - quarters : quarters) % 4 * 90)
    }
}
