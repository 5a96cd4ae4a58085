// SPDX-License-Identifier: Apache-2.0

/// The point of the upright picture that matters most: fractions of its sides, 0…1 from the top left corner.
package struct FocalPoint: Sendable, Hashable {
    package var x: Double
    package var y: Double

    package init(x: Double = 0.5, y: Double = 0.5) {
        self.x = x
        self.y = y
    }
}
