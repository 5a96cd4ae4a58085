// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// The result of a recipe, spelt as in a URL, for these pixels: PNG in and out, so that only the recipe changes
/// them.
func picture(_ canvas: Canvas, _ query: String, watermark: Canvas? = nil) throws -> Canvas {
    let recipe = try Recipe(canonical: "output=png&" + query)
    let made = try TestRenderer.render(
        PNGFile.write(canvas), recipe, watermark: watermark.map { PNGFile.write($0) })
    return try #require(try TestRenderer.decode(made.bytes))
}

extension Canvas {
    var size: PixelSize { PixelSize(width: width, height: height) }
}

/// A half disc of a light colour on a transparent ground, whose pixels are black.
func lightOnTransparent(_ width: Int = 96, _ height: Int = 96) -> Canvas {
    Canvas(width, height) { x, y in
        let (dx, dy) = (Double(x) - Double(width) / 2, Double(y) - Double(height) / 2)
        return (dx * dx + dy * dy).squareRoot() < Double(width) * 0.375
            ? [240, 200, 120, 255] : [0, 0, 0, 0]
    }
}

/// The colour in the middle of the recipe's result.
func centre(_ original: [UInt8], _ recipe: Recipe = .make(.png, w: 16)) throws -> [UInt8] {
    let canvas = try #require(try TestRenderer.decode(TestRenderer.render(original, recipe).bytes))
    return canvas[canvas.width / 2, canvas.height / 2]
}

/// How much darker than `colour` the worst visible pixel is.
func fringe(_ canvas: Canvas, _ colour: [UInt8]) -> Int {
    (0..<canvas.width * canvas.height).map { index in
        let pixel = canvas[index % canvas.width, index / canvas.width]
        // With little alpha, one level of rounding becomes many; the difference is weighted by alpha, as the
        // eye does.
        return (0..<3).map { (Int(colour[$0]) - Int(pixel[$0])) * Int(pixel[3]) / 255 }.max() ?? 0
    }.max() ?? 0
}

/// CIE Lab under D65 of sRGB, by the definition (IEC 61966-2-1, CIE 15), and the distance CIE 1976.
enum Lab {
    static func of(_ colour: [UInt8]) -> [Double] {
        let light = colour.prefix(3).map { decodeSRGB(Double($0) / 255) }
        let rgb = light.count == 3 ? light : [light[0], light[0], light[0]]
        let xyz = [
            (0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047,
            0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2],
            (0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883,
        ]
        return of(relative: xyz)
    }

    /// Under D50, as in profiles (ICC.1:2001, §6.3.4).
    static func inProfiles(_ colour: [UInt8]) -> [Double] {
        let light = colour.map { decodeSRGB(Double($0) / 255) }
        let columns = MatrixProfile.sRGBPrimaries
        let xyz = (0..<3).map { (row: Int) -> Double in
            columns[0][row] * light[0] + columns[1][row] * light[1] + columns[2][row] * light[2]
        }
        return of(relative: [xyz[0] / 0.9642, xyz[1], xyz[2] / 0.8249])
    }

    /// Lab from XYZ relative to the white point.
    private static func of(relative xyz: [Double]) -> [Double] {
        let f = xyz.map { $0 > 216.0 / 24389 ? cbrt($0) : (24389.0 / 27 * $0 + 16) / 116 }
        return [116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])]
    }

    static func distance(_ a: [UInt8], _ b: [UInt8]) -> Double { distance(of(a), of(b)) }

    static func distance(_ a: [Double], _ b: [Double]) -> Double {
        zip(a, b).map { ($0 - $1) * ($0 - $1) }.reduce(0, +).squareRoot()
    }
}
