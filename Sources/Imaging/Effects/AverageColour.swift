// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// The mean of a picture's pixels, weighted by their alpha.
struct AverageColour {
    /// The mean colour without alpha; black if nothing is visible.
    let colour: Color
    /// The mean alpha of all pixels, 0…255.
    let alpha: UInt8

    /// - Parameter rgba: four samples a pixel.
    init(of rgba: [UInt8]) {
        var sums = [0, 0, 0]
        var weight = 0
        for start in stride(from: 0, to: rgba.count, by: 4) {
            let alpha = Int(rgba[start + 3])
            for band in 0..<3 { sums[band] += Int(rgba[start + band]) * alpha }
            weight += alpha
        }
        let pixels = max(1, rgba.count / 4)
        alpha = UInt8(clamping: (weight + pixels / 2) / pixels)
        let levels = sums.map { UInt8(clamping: weight == 0 ? 0 : ($0 + weight / 2) / weight) }
        colour = Color(red: levels[0], green: levels[1], blue: levels[2])
    }

    /// `#rrggbb`, or `#rrggbbaa` where there is alpha.
    var hexadecimal: String {
        let digits = (alpha < 16 ? "0" : "") + String(alpha, radix: 16)
        return "#" + colour.hexadecimal + (alpha < 255 ? digits : "")
    }
}
