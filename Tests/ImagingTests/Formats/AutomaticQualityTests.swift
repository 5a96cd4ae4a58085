// SPDX-License-Identifier: Apache-2.0

import CVips
import Foundation
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// As hard to encode as a photograph: noise of several sizes with an edge through it.
func photograph(_ width: Int, _ height: Int) -> Canvas {
    let noise = Sample.noise.rgba(width, height, seed: 11)
    func at(_ x: Int, _ y: Int, _ cell: Int) -> Double {
        let (u, v) = (Double(x) / Double(cell), Double(y) / Double(cell))
        func corner(_ i: Int, _ j: Int) -> Double {
            Double(noise[4 * ((Int(v) + j) % height * width + (Int(u) + i) % width)])
        }
        let (fx, fy) = (u - u.rounded(.down), v - v.rounded(.down))
        let top = corner(0, 0) * (1 - fx) + corner(1, 0) * fx
        return top * (1 - fy) + (corner(0, 1) * (1 - fx) + corner(1, 1) * fx) * fy
    }
    return Canvas(width, height) { x, y in
        let edge = x + y > width * 2 / 3 ? 40.0 : 0
        let value = 0.4 * at(x, y, 32) + 0.25 * at(x, y, 8) + 0.08 * at(x, y, 2) + edge
        return [UInt8(min(255, value)), UInt8(min(255, value * 0.9)), UInt8(min(255, value * 0.7 + 30))]
    }
}

private func automatic(_ format: ImageFormat, _ target: Double?) -> Recipe {
    var recipe = Recipe.make(format)
    recipe.quality = .likeness(target)
    return recipe
}

@Suite("q=auto makes files of one look")
struct AutomaticQualityTests {
    private static let picture = photograph(128, 96)
    private static let file = PNGFile.write(picture)

    private static func likeness(of file: [UInt8]) throws -> Double {
        let canvas = try #require(try TestRenderer.decode(file))
        return try TestRenderer.likeness(picture, canvas)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif], [0.6, 0.75, 0.88])
    func `the likeness is the target's, and the file is what the quality alone makes`(
        format: ImageFormat, target: Double
    ) throws {
        let made = try TestRenderer.render(Self.file, automatic(format, target))
        let quality = try #require(made.result.quality)
        #expect((1...4).contains(made.result.tries))
        #expect(made.header?.format == format)
        let found = try Self.likeness(of: made.bytes)
        #expect(abs(found - target) <= 0.03 || quality == 95, "\(found)")
        #expect(try TestRenderer.render(Self.file, .make(format, q: quality)).bytes == made.bytes)
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    /// With half the chroma, a coloured line one pixel wide does not show at any quality.
    @Test(arguments: [ImageFormat.jpeg, .avif])
    func `what half the chroma cannot show has all of it, at a usual quality`(format: ImageFormat) throws {
        let ground = photograph(256, 192)
        let lines = Canvas(256, 192) { x, y in
            x % 16 == 0 ? [230, 20, 30] : x % 8 == 0 ? [20, 40, 230] : ground[x, y]
        }
        let file = PNGFile.write(lines)
        func likeness(_ bytes: [UInt8]) throws -> Double {
            try TestRenderer.likeness(lines, try #require(try TestRenderer.decode(bytes)))
        }
        let made = try TestRenderer.render(file, automatic(format, 0.75))
        let quality = try #require(made.result.quality)
        #expect(quality < 80)
        #expect(abs(try likeness(made.bytes) - 0.75) <= 0.03)
        #expect(try likeness(TestRenderer.render(file, .make(format, q: quality)).bytes) < 0.6)
        #expect(made.bytes.count < (try TestRenderer.render(file, .make(format, q: 90)).bytes.count))
    }

    /// Noise needs a high quality because of its luma.
    @Test(arguments: [ImageFormat.jpeg, .avif], [1, 3])
    func `noise keeps half the chroma, and grey is searched once`(format: ImageFormat, bands: Int) throws {
        let noise = Sample.noise.rgba(192, 160, seed: 5)
        let picture = Canvas(192, 160) { x, y in
            Array(repeating: UInt8(64 + Int(noise[4 * (y * 192 + x)]) / 2), count: bands)
        }
        let file = PNGFile.write(picture)
        let made = try TestRenderer.render(file, automatic(format, 0.75))
        let quality = try #require(made.result.quality)
        #expect(made.result.tries <= (bands == 1 ? 4 : 8))
        #expect(try TestRenderer.render(file, .make(format, q: quality)).bytes == made.bytes)
    }

    @Test func `a file that is made to fit has the chroma that the search has found`() throws {
        let ground = photograph(256, 192)
        let file = PNGFile.write(
            Canvas(256, 192) { x, y in
                x % 16 == 0 ? [230, 20, 30] : x % 8 == 0 ? [20, 40, 230] : ground[x, y]
            })
        var recipe = automatic(.jpeg, 0.75)
        let free = try TestRenderer.render(file, recipe)
        recipe.maxBytes = free.bytes.count - 200
        let fitting = try TestRenderer.render(file, recipe)
        let quality = try #require(fitting.result.quality)
        #expect(fitting.bytes.count <= free.bytes.count - 200)
        // With half the chroma, a file of that quality is much smaller.
        let half = try TestRenderer.render(file, .make(.jpeg, q: quality)).bytes.count
        #expect(fitting.bytes.count > half * 11 / 10, "\(half), q \(quality)")
        // If nothing fits, the file is the smallest possible one.
        recipe.maxBytes = 1
        let least = try TestRenderer.render(file, .make(.jpeg, q: 1)).bytes
        #expect(try TestRenderer.render(file, recipe).bytes == least)
    }

    @Test func `a file of few bytes gives up chroma before quality`() throws {
        let ground = photograph(256, 192)
        let file = PNGFile.write(
            Canvas(256, 192) { x, y in
                x % 16 == 0 ? [230, 20, 30] : x % 8 == 0 ? [20, 40, 230] : ground[x, y]
            })
        var recipe = automatic(.jpeg, 0.75)
        let limit = try TestRenderer.render(file, .make(.jpeg, q: 5)).bytes.count
        recipe.maxBytes = limit
        let made = try TestRenderer.render(file, recipe)
        let quality = try #require(made.result.quality)
        #expect(quality >= 5 && made.bytes.count <= limit)
        #expect(made.result.tries <= 24)
        #expect(try TestRenderer.render(file, .make(.jpeg, q: quality)).bytes == made.bytes)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif])
    func `more likeness costs more bytes`(format: ImageFormat) throws {
        let sizes = try [0.5, 0.65, 0.8, 0.95].map {
            try TestRenderer.render(Self.file, automatic(format, $0)).bytes.count
        }
        #expect(sizes == sizes.sorted() && sizes[0] < sizes[3], "\(sizes)")
    }

    @Test func `the target of the settings holds where the recipe names none`() throws {
        var defaults = EncoderDefaults()
        defaults.targetLikeness = 0.93
        let made = try TestRenderer.render(Self.file, automatic(.webp, nil), defaults: defaults)
        let named = try TestRenderer.render(Self.file, automatic(.webp, 0.93))
        #expect(made.bytes == named.bytes)
        #expect(made.result.quality == named.result.quality)
    }

    @Test func `the same question has the same answer`() throws {
        let first = try TestRenderer.render(Self.file, automatic(.jpeg, 0.96))
        #expect(try TestRenderer.render(Self.file, automatic(.jpeg, 0.96)).bytes == first.bytes)
    }

    @Test func `formats without a scale are written as ever`() throws {
        for format in [ImageFormat.png, .gif, .tiff] {
            let made = try TestRenderer.render(Self.file, automatic(format, 0.9))
            #expect(made.result.quality == nil)
            #expect(made.bytes == (try TestRenderer.render(Self.file, .make(format)).bytes))
        }
    }

    @Test func `an animation has one quality, by its first frame`() throws {
        let indices = (0..<1600).map { UInt8(truncatingIfNeeded: $0 * 7 + $0 / 40) & 3 }
        let part = GIFFile.Part(left: 0, top: 0, width: 40, height: 40, indices: indices)
        var second = part
        second.indices = part.indices.map { 3 - $0 }
        let palette: [[UInt8]] = [[200, 30, 20], [20, 40, 90], [240, 240, 230], [90, 120, 60]]
        let gif = GIFFile.write(width: 40, height: 40, palette: palette, parts: [part, second], loop: 0)
        var exact = Recipe.make(.webp, n: -1)
        exact.lossless = true
        var recipe = automatic(.webp, 0.9)
        // Neither a GIF nor its own bytes, which could be answered without a quality.
        (recipe.pages, recipe.flip) = (-1, true)
        let made = try TestRenderer.render(TestRenderer.render(gif, exact).bytes, recipe)
        #expect(made.header?.pages == 2)
        #expect(made.result.quality != nil)
    }

    @Test func `a large picture is judged by a sample, and is all there`() throws {
        let tile = photograph(100, 80)
        let rows = (0..<80).map { y in Array(tile.samples[y * 300..<(y + 1) * 300]) }
        let samples = (0..<1_200).flatMap { y in (0..<13).flatMap { _ in rows[y % 80] } }
        let large = Canvas(width: 1_300, height: 1_200, bands: 3, samples: samples)
        let made = try TestRenderer.render(PNGFile.write(large), automatic(.jpeg, 0.95))
        #expect((made.header?.width, made.header?.height) == (1_300, 1_200))
        // The whole picture looks like its part.
        let part = Canvas(
            width: 1_300, height: 240, bands: 3, samples: Array(samples.prefix(1_300 * 240 * 3)))
        let alike = try TestRenderer.render(PNGFile.write(part), automatic(.jpeg, 0.95))
        let qualities = (try #require(made.result.quality), try #require(alike.result.quality))
        #expect(abs(qualities.0 - qualities.1) <= 5, "\(qualities)")
    }

    @Test func `pictures smaller than a window are compared, too`() throws {
        for (width, height) in [(1, 1), (3, 200), (200, 3)] {
            let made = try TestRenderer.render(PNGFile.write(gradient(width, height)), automatic(.jpeg, 0.9))
            #expect(made.result.quality != nil)
        }
    }

    @Test func `alpha is part of the likeness`() throws {
        let shape = Canvas(80, 80) { x, y in
            let inside = (x - 40) * (x - 40) + (y - 40) * (y - 40) < 900
            return [UInt8(x * 3), UInt8(y * 3), 90, inside ? 255 : 0]
        }
        for format in [ImageFormat.webp, .avif] {
            let made = try TestRenderer.render(PNGFile.write(shape), automatic(format, 0.95))
            #expect(made.header?.hasAlpha == true)
            #expect(made.result.quality != nil)
        }
    }
}
