// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// One of the eight ways in which a picture can lie: mirrored or not, then turned by quarters.
struct PictureTurn: Equatable {
    /// Left becomes right, first.
    var mirrors = false
    /// Clockwise, 0…3.
    private(set) var quarters = 0

    init(mirrors: Bool = false, quarters: Int = 0) {
        self.mirrors = mirrors
        self.quarters = (quarters % 4 + 4) % 4
    }

    /// Left becomes right, and top becomes bottom.
    init(across: Bool, down: Bool) { self.init(mirrors: across != down, quarters: down ? 2 : 0) }

    /// This turn, and the next turn of its result.
    func then(_ next: PictureTurn) -> PictureTurn {
        // A mirror behind a turn is the mirror before the opposite turn.
        let own = next.mirrors ? -quarters : quarters
        return PictureTurn(mirrors: mirrors != next.mirrors, quarters: own + next.quarters)
    }

    var swapsSides: Bool { quarters % 2 == 1 }

    /// The rectangle of the picture that becomes this one of the turned picture: the same pixels, which may count from other
    /// sides.
    /// - Parameter crop: counts from the left and from the top.
    func origin(of crop: Crop) -> Crop {
        var (across, down) = (Span(crop.x, crop.width), Span(crop.y, crop.height))
        for _ in 0..<quarters {
            // The left side of what is turned by a quarter was the bottom.
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
        /// It starts from the right or from the bottom.
        var isFar = false

        init(_ start: Recipe.Length?, _ length: Recipe.Length?) {
            (self.start, self.length) = (start, length)
        }
    }

    /// As the recipe says it: the turn, then the mirror.
    func set(in recipe: inout Recipe) {
        recipe.flop = mirrors
        // Cannot trap: 0…3.
        recipe.rotation = Double((mirrors ? 4 - quarters : quarters) % 4 * 90)
    }
}
