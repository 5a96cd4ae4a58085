// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let grid = Canvas(30, 20) { x, y in [UInt8(x), UInt8(y), 7] }

@Suite struct TurnTests {
    @Test(arguments: ["ro=90", "ro=180", "ro=270", "flip", "flop", "flip&flop", "ro=90&flip"])
    func `quarter turns and mirrors move pixels and change none`(query: String) throws {
        let turned = try picture(grid, query)
        let sideways = query.hasPrefix("ro=90") || query.hasPrefix("ro=270")
        #expect(turned.size == PixelSize(width: sideways ? 20 : 30, height: sideways ? 30 : 20))
        for (x, y) in [(0, 0), (3, 11), (17, 2), (19, 19)] {
            // The original place of this pixel.
            let (column, row) =
                switch query {
                case "ro=90": (y, 19 - x)
                case "ro=180", "flip&flop": (29 - x, 19 - y)
                case "ro=270": (29 - y, x)
                case "flip": (x, 19 - y)
                case "flop": (29 - x, y)
                default: (29 - y, 19 - x)
                }
            #expect(turned[x, y] == [UInt8(column), UInt8(row), 7])
        }
    }

    @Test(arguments: [1.0, 30, 45, 133.5, 315])
    func `any other angle keeps the whole picture on the smallest canvas`(angle: Double) throws {
        let turned = try picture(Canvas(80, 50, of: [200, 80, 20]), "ro=\(angle)&rbg=102030")
        let (c, s) = (abs(cos(angle * .pi / 180)), abs(sin(angle * .pi / 180)))
        #expect(abs(Double(turned.width) - (80 * c + 50 * s)) <= 1.01)
        #expect(abs(Double(turned.height) - (80 * s + 50 * c)) <= 1.01)
        #expect(turned[turned.width / 2, turned.height / 2] == [200, 80, 20])
        if angle > 20 { #expect(turned[0, 0] == [0x10, 0x20, 0x30]) }
    }

    @Test(arguments: [1.0, 30, 45, 89, 133.5, 180.5, 315])
    func `at any other angle the picture lies in the middle of its canvas`(angle: Double) throws {
        let turned = try picture(Canvas(80, 50, of: [200, 80, 20]), "ro=\(angle)&rbg=000")
        // The picture is alike upside down, and stays so if no edge of it is shifted or cut.
        for y in 0..<turned.height {
            for x in 0..<turned.width {
                let opposite = turned[turned.width - 1 - x, turned.height - 1 - y]
                #expect(distance(turned[x, y], opposite) <= 16, "\(x), \(y)")
            }
        }
    }

    @Test func `it turns clockwise`() throws {
        let turned = try picture(quarters(60, 60), "ro=45&rbg=000")
        let last = turned.width - 1
        // Red moved from the top left to the top.
        #expect(distance(turned[last / 2, 14], [255, 0, 0]) <= 2)
        #expect(distance(turned[last - 14, last / 2], [0, 255, 0]) <= 2)
        #expect(distance(turned[14, last / 2], [0, 0, 255]) <= 2)
    }

    @Test func `corners are transparent, translucent or opaque as asked`() throws {
        let canvas = Canvas(40, 40, of: [50, 100, 150])
        #expect(try picture(canvas, "ro=45")[0, 0] == [0, 0, 0, 0])
        #expect(distance(try picture(canvas, "ro=45&rbg=80ff8000")[0, 0], [255, 128, 0, 128]) <= 1)
        #expect(try picture(canvas, "ro=45&rbg=ff8000")[0, 0] == [255, 128, 0])
        #expect(try picture(Canvas(40, 40, of: [90]), "ro=45&rbg=333")[0, 0] == [0x33])
        #expect(try picture(Canvas(40, 40, of: [90]), "ro=45&rbg=f00")[0, 0] == [255, 0, 0])
    }

    @Test(arguments: ["ro=45&rbg=000", "ro=45&rbg=ffffff"])
    func `hardly a pixel is darker or lighter than the two that meet`(query: String) throws {
        let turned = try picture(Canvas(40, 40, of: [120, 120, 120]), query)
        // Bicubic overshoots by less than a fifth of the step.
        let inner = turned.samples.filter { query.contains("ffffff") ? $0 < 120 : $0 > 120 }
        #expect(inner.allSatisfy { abs(Int($0) - 120) < 24 })
    }

    @Test func `the canvas of a turned picture has to be one that its format can hold`() throws {
        let wide = PNGFile.write(Canvas(16_000, 1, of: [9, 9, 9]))
        #expect(try TestRenderer.render(wide, Recipe(canonical: "output=webp&ro=90")).result.height == 16_000)
        let tall = PNGFile.write(Canvas(1, 1, of: [9, 9, 9]))
        let recipe = try Recipe(canonical: "output=webp&we=0&w=16000&h=4000&fit=fill&ro=14")
        #expect(try TestRenderer.failure(tall, recipe) == .outputTooLarge(.side(16_383)))
    }
}
