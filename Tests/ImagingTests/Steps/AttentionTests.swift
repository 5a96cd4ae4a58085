// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import RandomInputs
import Recipes
import RequestGrammar
import Testing

/// The part that draws the eye stays in the picture.
@Suite struct AttentionTests {
    private static func kept(_ canvas: Canvas, w: Int, h: Int) throws -> Canvas {
        let made = try TestRenderer.render(PNGFile.write(canvas), .make(.png, w: w, h: h, .cover, .attention))
        return try #require(try TestRenderer.decode(made.bytes))
    }

    private static let colours: [([UInt8], [UInt8])] = [
        // On transparency: a drawing in black, in white, in grey.
        ([0, 0, 0, 255], [0, 0, 0, 0]), ([255, 255, 255, 255], [255, 255, 255, 0]),
        ([128, 128, 128, 255], [0, 0, 0, 0]), ([0, 0, 0, 255], [255, 255, 255, 0]),
        // On an opaque ground.
        ([200, 60, 40, 255], [90, 120, 80, 255]), ([30, 30, 30, 255], [240, 240, 240, 255]),
        ([224, 172, 135, 255], [60, 90, 140, 255]),
    ]

    @Test(arguments: colours.indices)
    func `a disc is whole in a narrow window, wherever it is`(index: Int) throws {
        let (inside, outside) = Self.colours[index]
        for place in stride(from: 25.0, through: 275, by: 50) {
            for isTall in [false, true] {
                let size = isTall ? (100, 300) : (300, 100)
                let canvas = spot(
                    size, at: isTall ? (50, place) : (place, 50), radius: 20, inside, outside)
                let seen = try Self.kept(
                    canvas, w: isTall ? 100 : 70, h: isTall ? 70 : 100)
                let all = canvas.count(of: inside)
                #expect(seen.count(of: inside) >= all * 98 / 100, "\(place), \(isTall): of \(all)")
            }
        }
    }

    @Test func `a cut before and after the resize keeps the disc`() throws {
        let (inside, outside) = Self.colours[4]
        for (x, y) in [(25.0, 30.0), (150, 70), (270, 170)] {
            let canvas = spot((300, 200), at: (x, y), radius: 20, inside, outside)
            for query in [
                "cw=80&ch=80", "cw=80&ch=40%25&precrop&w=80", "cw=-220&ch=-120", "cw=80&ch=80&flip&flop",
            ] {
                let recipe = try Recipe(canonical: "output=png&ca=attention&\(query)")
                let seen = try #require(
                    try TestRenderer.decode(TestRenderer.render(PNGFile.write(canvas), recipe).bytes))
                #expect(seen.size == PixelSize(width: 80, height: 80))
                let all = canvas.count(of: inside)
                #expect(seen.count(of: inside) >= all * 95 / 100, "\(query), \(x), \(y): of \(all)")
            }
        }
    }

    @Test func `a cut after a turn keeps the disc of the turned picture`() throws {
        let (inside, outside) = Self.colours[4]
        let canvas = spot((300, 200), at: (270, 30), radius: 20, inside, outside)
        let recipe = try Recipe(
            canonical: "output=png&ca=attention&cw=80&ch=80&precrop&w=40&ro=90&preturn")
        let seen = try #require(
            try TestRenderer.decode(TestRenderer.render(PNGFile.write(canvas), recipe).bytes))
        #expect(seen.size == PixelSize(width: 40, height: 40))
        #expect(seen.count(of: inside) >= canvas.count(of: inside) * 80 / 400)
    }

    @Test func `a picture without anything to see is cut in its middle`() throws {
        let flat = Canvas(300, 100) { x, _ in [UInt8(100 + (x >= 100 && x < 200 ? 1 : 0)), 100, 100] }
        let seen = try Self.kept(flat, w: 100, h: 100)
        #expect(seen.count(of: [101, 100, 100]) >= 90 * 100)
    }

    @Test func `no picture is too thin, too small or too noisy`() throws {
        var random = SeededRandom(for: "attention")
        for (width, height) in [(1, 1), (2, 1), (1, 700), (900, 2), (64, 64), (65, 63), (333, 7)] {
            let noise = Canvas(width, height) { _, _ in
                (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            }
            let size = PixelSize(width: max(1, width / 2), height: height)
            #expect(try Self.kept(noise, w: size.width, h: size.height).size == size)
        }
    }
}
