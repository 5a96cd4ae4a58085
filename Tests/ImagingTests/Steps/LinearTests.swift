// SPDX-License-Identifier: Apache-2.0

import Glibc
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// `linear` resizes light: a mix of half black and half white has half the light, and not half the sample.
@Suite struct LinearTests {
    private static func light(_ number: Double) -> Double {
        let part = number / 255
        return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }

    private static func number(_ light: Double) -> Double {
        255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    private static func checks(_ bright: [UInt8], _ dark: [UInt8]) -> Canvas {
        Canvas(128, 96) { x, y in (x + y) % 2 == 0 ? bright : dark }
    }

    private static func middle(_ file: [UInt8], _ query: String) throws -> [UInt8] {
        let made = try TestRenderer.render(file, Recipe(canonical: "output=png&" + query))
        let canvas = try #require(try TestRenderer.decode(made.bytes))
        return canvas[canvas.width / 2, canvas.height / 2]
    }

    @Test(arguments: [
        "w=32&linear", "w=16&linear", "w=40&h=20&fit=fill&linear", "w=30&h=30&fit=cover&linear",
    ])
    func `checks of black and white have half the light`(query: String) throws {
        let file = PNGFile.write(Self.checks([255, 255, 255], [0, 0, 0]))
        let seen = try Self.middle(file, query)
        #expect(seen.allSatisfy { abs(Int($0) - 188) <= 2 }, "\(seen)")
        let numbers = try Self.middle(file, query.replacing("&linear", with: ""))
        #expect(numbers.allSatisfy { abs(Int($0) - 128) <= 2 }, "\(numbers)")
    }

    @Test func `of a JPEG too, which is not made smaller while it is decoded`() throws {
        let jpeg = try TestRenderer.render(
            PNGFile.write(Self.checks([250, 250, 250], [5, 5, 5])), .make(.jpeg, q: 98)
        ).bytes
        let made = try TestRenderer.render(jpeg, Recipe(canonical: "output=png&w=8&linear"))
        #expect(!made.isPlanar)
        let expected = Self.number((Self.light(250) + Self.light(5)) / 2)
        let seen = try Self.middle(jpeg, "w=8&linear")
        #expect(seen.allSatisfy { abs(Double($0) - expected) <= 3 }, "\(seen), not \(expected)")
    }

    @Test func `colours mix as lights do, weighed by alpha`() throws {
        let half = Self.checks([255, 0, 0, 255], [0, 255, 0, 255])
        let mixed = try Self.middle(PNGFile.write(half), "w=32&linear")
        #expect(abs(Int(mixed[0]) - 188) <= 2 && abs(Int(mixed[1]) - 188) <= 2 && mixed[2] <= 1)
        // Invisible pixels contribute no light.
        let faint = Self.checks([200, 100, 50, 255], [0, 0, 255, 0])
        let seen = try Self.middle(PNGFile.write(faint), "w=32&linear")
        #expect(distance(seen, [200, 100, 50, 128]) <= 2, "\(seen)")
    }

    @Test(arguments: [33, 77, 100])
    func `an opaque shape keeps its colour up to its edge`(width: Int) throws {
        let colour: [UInt8] = [128, 60, 200, 255]
        let shape = Canvas(320, 240) { x, y in
            (80..<240).contains(x) && (60..<180).contains(y) ? colour : [0, 0, 0, 0]
        }
        let made = try TestRenderer.render(
            PNGFile.write(shape), Recipe(canonical: "output=png&w=\(width)&linear"))
        let canvas = try #require(try TestRenderer.decode(made.bytes))
        for x in 0..<canvas.width {
            for y in 0..<canvas.height where canvas[x, y][3] >= 128 {
                #expect(distance(Array(canvas[x, y].prefix(3)), Array(colour.prefix(3))) <= 1, "\(x), \(y)")
            }
        }
        #expect(canvas[canvas.width / 2, canvas.height / 2] == colour)
    }

    @Test func `one colour stays what it is, at every level`() throws {
        let ramp = Canvas(256 * 4, 8) { x, _ in [UInt8(x / 4)] }
        let made = try TestRenderer.render(
            PNGFile.write(ramp), Recipe(canonical: "output=png&w=1024&h=4&fit=fill&linear"))
        let canvas = try #require(try TestRenderer.decode(made.bytes))
        // In the middle of each step.
        let off = (1..<255).map { abs(Int(canvas[$0 * 4 + 2, 2][0]) - $0) }.max()
        #expect(off == 0)
    }

    @Test func `without a size it is not spelt`() throws {
        #expect(try Recipe(canonical: "linear").canonical.isEmpty)
        #expect(try Recipe(canonical: "linear&w=5").canonical == "linear=1&w=5")
    }
}
