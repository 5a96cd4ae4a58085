// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// A focal point as given in a URL: a fraction or pixels along each side.
package struct Focus: Sendable, Hashable {
    /// The distance along a side of the picture that is resized, from the left or from the top.
    package enum Distance: Sendable, Hashable {
        case fraction(Double)
        case pixels(Double)

        /// The allowed fractions.
        package static let fractionRange = 0.0...1.0
        /// The allowed pixels, in steps of 0.0001, because the middle of a region may lie between two pixels.
        package static let pixelRange = 0.0...Double(Crop.pixelRange.upperBound)

        /// The distance as 0…1 of a side of this many pixels; a distance beyond the side counts as 1.
        fileprivate func fraction(of side: Int) -> Double {
            switch self {
            case .fraction(let fraction): fraction
            // Cannot trap: floating-point arithmetic.
            case .pixels(let pixels): min(pixels / Double(max(side, 1)), 1)
            }
        }
    }

    /// The distance from the left.
    package var x: Distance
    /// The distance from the top.
    package var y: Distance

    /// The default is the middle.
    package init(_ point: FocalPoint = FocalPoint()) {
        self.init(x: .fraction(point.x), y: .fraction(point.y))
    }

    package init(x: Distance, y: Distance) {
        self.x = x
        self.y = y
    }

    /// The point in a picture of this size.
    package func point(in size: PixelSize) -> FocalPoint {
        FocalPoint(x: x.fraction(of: size.width), y: y.fraction(of: size.height))
    }
}
