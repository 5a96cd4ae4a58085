// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite struct BoxFitTests {
    @Test(arguments: Recipe.Alignment.allCases)
    func `cover fills the box exactly, wherever it looks`(alignment: Recipe.Alignment) throws {
        let made = try TestRenderer.render(
            PNGFile.write(gradient(120, 60)), .make(.png, w: 30, h: 40, .cover, alignment))
        #expect((made.result.width, made.result.height) == (30, 40))
        #expect(try TestRenderer.decode(made.bytes)?.size == PixelSize(width: 30, height: 40))
    }

    @Test(arguments: [(Recipe.Alignment.left, 0), (.center, 45), (.right, 90)])
    func `cover keeps the side it was told to keep`(alignment: Recipe.Alignment, from: Int) throws {
        let made = try TestRenderer.render(
            PNGFile.write(gradient(120, 30)), .make(.png, w: 30, h: 30, .cover, alignment))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect(pixels[0, 10] == gradient(120, 30)[from, 10])
    }

    @Test(arguments: [Recipe.Alignment.entropy, .attention])
    func `the interesting part is found`(alignment: Recipe.Alignment) throws {
        // Grey, except for red and green blocks at the right.
        let canvas = Canvas(160, 40) { x, y in
            x < 110 || x >= 150
                ? [128, 128, 128] : (x / 10 + y / 10) % 2 == 0 ? [230, 60, 40] : [30, 200, 60]
        }
        let made = try TestRenderer.render(
            PNGFile.write(canvas), .make(.png, w: 40, h: 40, .cover, alignment))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        let lively = (0..<40).count { distance(pixels[$0, 20], [128, 128, 128]) > 40 }
        #expect(lively >= 20)
    }

    @Test func `contain puts the picture on bars that are transparent, or white where nothing can be`() throws
    {
        let png = PNGFile.write(Canvas(40, 20, of: [200, 30, 30]))
        let clear = try TestRenderer.render(png, .make(.png, w: 20, h: 20, .contain))
        let pixels = try #require(try TestRenderer.decode(clear.bytes))
        #expect(pixels.size == PixelSize(width: 20, height: 20))
        #expect(pixels[10, 1][3] == 0)
        #expect(pixels[10, 10] == [200, 30, 30, 255])
        let white = try TestRenderer.render(png, .make(.jpeg, w: 20, h: 20, .contain, q: 95))
        let opaque = try #require(try TestRenderer.decode(white.bytes))
        #expect(distance(opaque[10, 1], [255, 255, 255]) <= 4)
        #expect(distance(opaque[10, 10], [200, 30, 30]) <= 6)
    }

    @Test func `fill squeezes and inside does not enlarge`() throws {
        let png = PNGFile.write(gradient(40, 20))
        let filled = try TestRenderer.render(png, .make(.png, w: 10, h: 20, .fill))
        #expect((filled.result.width, filled.result.height) == (10, 20))
        let same = try TestRenderer.render(png, .make(.png, w: 400))
        #expect((same.result.width, same.result.height) == (40, 20))
        let larger = try TestRenderer.render(png, .make(.png, w: 100, enlarging: true))
        let pixels = try #require(try TestRenderer.decode(larger.bytes))
        #expect(pixels.size == PixelSize(width: 100, height: 50))
        #expect(distance(pixels[50, 25], [128, 130, 128]) <= 4)
    }

    @Test func `a picture that needs nothing keeps its pixels`() throws {
        let canvas = gradient(37, 23)
        #expect(
            try TestRenderer.decode(TestRenderer.render(PNGFile.write(canvas), .make(.png)).bytes) == canvas)
    }

    /// The largest deviation of a resized gradient from its formula, in levels.
    @Test(arguments: [(403, 100), (403, 125), (407, 40), (411, 77), (800, 50), (801, 99), (799, 250)])
    func `a JPEG that is shrunk while it is loaded stays in its place`(side: Int, width: Int) throws {
        let canvas = Canvas(side, side) { x, y in
            [UInt8(x * 255 / (side - 1)), UInt8(y * 255 / (side - 1)), 0]
        }
        let jpeg = try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: 100)).bytes
        let pixels = try #require(
            try TestRenderer.decode(TestRenderer.render(jpeg, .make(.png, w: width)).bytes))
        let scale = Double(side) / Double(width)
        for position in [width / 4, width / 2, 3 * width / 4] {
            let expected = ((Double(position) + 0.5) * scale - 0.5) * 255 / Double(side - 1)
            #expect(abs(Double(pixels[position, width / 2][0]) - expected) <= 2.5)
            #expect(abs(Double(pixels[width / 2, position][1]) - expected) <= 2.5)
        }
    }

    @Test func `a loader leaves enough for the resize to do well`() {
        func shrink(_ from: Int, _ to: Int) -> Int {
            Recipe.jpegShrink(
                from: PixelSize(width: from, height: from), to: PixelSize(width: to, height: to))
        }
        #expect(shrink(1000, 1000) == 1)
        #expect(shrink(1000, 313) == 1)
        #expect(shrink(1000, 312) == 2)
        #expect(shrink(1000, 126) == 2)
        #expect(shrink(1000, 125) == 4)
        #expect(shrink(1600, 100) == 8)
        #expect(shrink(100, 200) == 1)
    }

    @Test(arguments: [(1362.5, 800), (340.625, 200), (225.125, 100), (50.875, 40), (1000, 333)])
    func `a resize ends where the picture ends`(extent: Double, target: Int) {
        let axis = Resampling(from: extent, to: target)
        // libvips rounds the scaled length and centres the remainder.
        let scaled = (Double(axis.padded) * axis.factor).rounded()
        let shift = abs(scaled / axis.factor - Double(axis.padded)) / 2
        #expect(shift * axis.factor < 0.03)
        #expect(Int(scaled) >= target)
    }
}
