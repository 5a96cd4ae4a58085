// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Mask {
    /// The size of the masked result for a picture of this size.
    func bounds(in size: PixelSize) -> PixelSize {
        guard trims, shape != .ellipse else { return size }
        return shape.bounds(in: size)
    }
}

extension Mask.Shape {
    /// The box around the shape, as large as the picture allows, in whole pixels: the same as that of the mask's outline.
    package func bounds(in size: PixelSize) -> PixelSize {
        let (width, height) = extent
        var (across, down) = (Double(size.width) / width, Double(size.height) / height)
        if self != .ellipse { (across, down) = (min(across, down), min(across, down)) }
        // Cannot trap: apart from rounding, neither product exceeds the picture's side.
        let box = (Int((width * across).rounded()), Int((height * down).rounded()))
        return PixelSize(
            width: min(max(1, box.0), size.width), height: min(max(1, box.1), size.height))
    }

    /// The width and height within a circle of radius 1; for the heart in the units of its own curve.
    private var extent: (width: Double, height: Double) {
        switch self {
        case .circle, .ellipse, .square: (2, 2)
        case .triangle, .triangle180: (1.7320508075688772, 1.5)
        case .pentagon, .pentagon180, .star: (1.9021130325903073, 1.8090169943749475)
        case .hexagon: (1.7320508075688772, 2)
        case .heart: (31.99657690214933, 28.922344408758015)
        }
    }
}
