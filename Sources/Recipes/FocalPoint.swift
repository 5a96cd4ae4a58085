// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

/// The point of the upright picture that cropping keeps: fractions of its sides, 0…1 from the top left
/// corner.
package struct FocalPoint: Sendable, Hashable {
    /// Fraction of the width.
    package var x: Double
    /// Fraction of the height.
    package var y: Double

    /// By default the middle.
    package init(x: Double = 0.5, y: Double = 0.5) {
        self.x = x
        self.y = y
    }
}

/// A focal point as a URL says it: along each side a fraction, or pixels.
package struct Focus: Sendable, Hashable {
    /// A way along a side of the picture that is resized, from the left or from the top.
    package enum Distance: Sendable, Hashable {
        case fraction(Double)
        case pixels(Double)

        /// Fractions that may be asked for.
        package static let fractionRange = 0.0...1.0
        /// Pixels that may be asked for, in steps of 0.0001: the middle of a region may lie between two of them.
        package static let pixelRange = 0.0...Double(Crop.pixelRange.upperBound)

        /// 0…1 of a side of so many pixels; what lies beyond it counts as its end.
        fileprivate func fraction(of side: Int) -> Double {
            switch self {
            case .fraction(let fraction): fraction
            // Cannot trap: of Doubles.
            case .pixels(let pixels): min(pixels / Double(max(side, 1)), 1)
            }
        }
    }

    /// From the left.
    package var x: Distance
    /// From the top.
    package var y: Distance

    /// By default the middle.
    package init(_ point: FocalPoint = FocalPoint()) {
        self.init(x: .fraction(point.x), y: .fraction(point.y))
    }

    package init(x: Distance, y: Distance) {
        self.x = x
        self.y = y
    }

    /// Where it is in a picture of this size.
    package func point(in size: PixelSize) -> FocalPoint {
        FocalPoint(x: x.fraction(of: size.width), y: y.fraction(of: size.height))
    }
}
