// SPDX-License-Identifier: Apache-2.0

package import ImageHeaders

extension Recipe {
    /// The size of the result in pixels, as far as the header tells. A trim is ignored, and every page is
    /// taken for the first.
    package func resultSize(for header: ImageHeader) -> PixelSize {
        guard header.width > 0, header.height > 0 else { return header.upright }
        let recipe = canonicalised
        let geometry = Geometry.plan(upright: recipe.keptSize(of: header), recipe: recipe)
        var size = geometry.canvas
        // If the picture goes on a canvas, the crop was applied before that.
        if let crop = recipe.crop, !crop.beforeResize, !geometry.isEmbedded {
            size = crop.area(of: size).size
        }
        size = recipe.padded(recipe.liesDownFirst ? size : recipe.turned(size))
        return recipe.mask?.bounds(in: size) ?? size
    }

    /// The smallest upright box around the turned picture. The recipe must be canonical.
    private func turned(_ size: PixelSize) -> PixelSize {
        switch rotation {
        case 0, 180: return size
        case 90, 270: return size.lyingDown
        case let degrees:
            let acute = degrees.truncatingRemainder(dividingBy: 180)
            let sine = Self.sine(ofDegrees: acute)
            let cosine = Self.sine(ofDegrees: (90 - acute).magnitude)
            let (width, height) = (Double(size.width), Double(size.height))
            return PixelSize(
                // Cannot trap: sides are below 2⁴⁶, and neither factor exceeds 1.
                width: Int((width * cosine + height * sine).rounded()),
                // Cannot trap: as above.
                height: Int((width * sine + height * cosine).rounded()))
        }
    }

    /// The sine by its Taylor series, because this module has no mathematical library; exact to 10⁻⁹ for
    /// 0…180.
    private static func sine(ofDegrees degrees: Double) -> Double {
        let radians = min(degrees, 180 - degrees) * .pi / 180
        var (sum, term) = (radians, radians)
        for n in 1...8 {
            term *= -radians * radians / Double(2 * n * (2 * n + 1))
            sum += term
        }
        return sum
    }
}
