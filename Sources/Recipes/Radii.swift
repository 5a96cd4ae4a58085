// SPDX-License-Identifier: Apache-2.0

/// The radii of rounded corners, each from the top left, in pixels of the result.
package struct Radii: Sendable, Hashable {
    /// Along the upper and the lower side.
    package var across: Clockwise
    /// Along the left and the right side.
    package var down: Clockwise

    /// Quarters of ellipses.
    package init(_ across: Clockwise, _ down: Clockwise) { (self.across, self.down) = (across, down) }

    /// Quarters of circles.
    package init(_ both: Clockwise) { self.init(both, both) }

    /// No corner is cut: it takes both of its radii.
    var isZero: Bool {
        zip(across.all, down.all).allSatisfy { $0 == 0 || $1 == 0 }
    }

    /// A corner that lacks one of its radii has none.
    var folded: Radii {
        func kept(_ own: Clockwise, _ other: Clockwise) -> Clockwise {
            let numbers = zip(own.all, other.all).map { $1 == 0 ? 0 : $0 }
            return Clockwise(numbers) ?? own
        }
        return Radii(kept(across, down), kept(down, across))
    }

    /// Each times the ratio, rounded, within the range.
    func multiplied(by ratio: Double) -> Radii {
        Radii(across.multiplied(by: ratio), down.multiplied(by: ratio))
    }
}
