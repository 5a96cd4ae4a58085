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

    /// As the recipe says it: the turn, then the mirror.
    func set(in recipe: inout Recipe) {
        recipe.flop = mirrors
        // Cannot trap: 0…3.
        recipe.rotation = Double((mirrors ? 4 - quarters : quarters) % 4 * 90)
    }
}
