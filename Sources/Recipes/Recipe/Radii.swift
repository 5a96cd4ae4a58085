// SPDX-License-Identifier: Apache-2.0

/// The radii of rounded corners, each from the top left, in pixels of the result.
package struct Radii: Sendable, Hashable {
    /// The radii along the upper and the lower side.
    package var across: Clockwise
    /// The radii along the left and the right side.
    package var down: Clockwise

    /// Corners that are quarters of ellipses.
    package init(_ across: Clockwise, _ down: Clockwise) { (self.across, self.down) = (across, down) }

    /// Corners that are quarters of circles.
    package init(_ both: Clockwise) { self.init(both, both) }

    /// True if no corner is rounded; rounding needs both radii of a corner.
    var isZero: Bool {
        zip(across.all, down.all).allSatisfy { $0 == 0 || $1 == 0 }
    }

    /// The radii with 0 for both if a corner lacks one of them.
    var canonicalised: Radii {
        func kept(_ own: Clockwise, _ other: Clockwise) -> Clockwise {
            let numbers = zip(own.all, other.all).map { $1 == 0 ? 0 : $0 }
            return Clockwise(numbers) ?? own
        }
        return Radii(kept(across, down), kept(down, across))
    }

    /// Each radius times the ratio, rounded and clamped to the range.
    func multiplied(by ratio: Double) -> Radii {
        Radii(across.multiplied(by: ratio), down.multiplied(by: ratio))
    }
}
