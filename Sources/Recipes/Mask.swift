// SPDX-License-Identifier: Apache-2.0

/// Shows the picture through a shape.
package struct Mask: Sendable, Hashable {
    package enum Shape: String, Sendable, Hashable, CaseIterable {
        case circle, ellipse, triangle
        case triangle180 = "triangle-180"
        case pentagon
        case pentagon180 = "pentagon-180"
        case hexagon, square, star, heart
    }

    package var shape: Shape
    /// Cuts away what lies outside the shape's bounds.
    package var trims: Bool
    package var background: Color

    package init(shape: Shape, trims: Bool = false, background: Color = .transparent) {
        self.shape = shape
        self.trims = trims
        self.background = background
    }
}
