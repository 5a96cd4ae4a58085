// SPDX-License-Identifier: Apache-2.0

/// A shape through which the picture is shown.
package struct Mask: Sendable, Hashable {
    /// The shapes by their names in URLs.
    package enum Shape: String, Sendable, Hashable, CaseIterable {
        case circle, ellipse, triangle
        case triangle180 = "triangle-180"
        case pentagon
        case pentagon180 = "pentagon-180"
        case hexagon, square, star, heart
    }

    /// The shape of the visible part.
    package var shape: Shape
    /// True to crop the result to the shape's bounds.
    package var trims: Bool
    /// The colour outside the shape.
    package var background: Color

    /// The default is transparent outside, at the picture's size.
    package init(shape: Shape, trims: Bool = false, background: Color = .transparent) {
        self.shape = shape
        self.trims = trims
        self.background = background
    }
}
