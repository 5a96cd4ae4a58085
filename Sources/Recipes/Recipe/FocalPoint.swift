// SPDX-License-Identifier: Apache-2.0

/// The point of the upright picture that cropping keeps: fractions of its sides, 0…1 from the top left
/// corner.
package struct FocalPoint: Sendable, Hashable {
    /// Fraction of the width.
    package var x: Double
    /// Fraction of the height.
    package var y: Double

    /// The default is the middle.
    package init(x: Double = 0.5, y: Double = 0.5) {
        self.x = x
        self.y = y
    }
}
