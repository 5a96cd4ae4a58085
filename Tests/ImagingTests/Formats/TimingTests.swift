// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let palette: [[UInt8]] = [[250, 0, 0], [0, 250, 0], [0, 0, 250], [250, 250, 0]]

/// One frame for each colour, with these delays in hundredths of a second.
private func animation(_ delays: [Int], loop: Int? = 0) -> [UInt8] {
    let parts = delays.enumerated().map { index, delay in
        GIFFile.Part(
            left: 0, top: 0, width: 12, height: 8,
            indices: [UInt8](repeating: UInt8(index % palette.count), count: 96), delay: delay)
    }
    return GIFFile.write(width: 12, height: 8, palette: palette, parts: parts, loop: loop)
}

/// Changes the picture, so that the original's own bytes are not the answer.
private func recipe(
    _ format: ImageFormat, n: Int = -1, page: Int = 0, loop: Int? = nil, delays: [Int] = []
) -> Recipe {
    var recipe = Recipe.make(format, w: 6, n: n)
    (recipe.page, recipe.loop, recipe.delays) = (page, loop, delays)
    return recipe
}

@Suite("An animation runs as it did")
struct TimingTests {
    private static let formats = [ImageFormat.gif, .webp]

    @Test(arguments: formats)
    func `delays that browsers ignore are said in full`(format: ImageFormat) throws {
        let made = try TestRenderer.render(animation([0, 1, 2, 50]), recipe(format))
        #expect(made.timing.delays == [100, 100, 20, 500])
        let onward = try TestRenderer.render(made.bytes, recipe(format == .gif ? .webp : .gif))
        #expect(onward.timing.delays == [100, 100, 20, 500])
    }

    @Test(arguments: formats, [nil, 0, 1, 3, 65_535])
    func `it is played as often`(format: ImageFormat, loop: Int?) throws {
        // A GIF without a loop count is played once, and one with 3 is repeated three times.
        let plays = loop.map { $0 == 0 ? 0 : $0 + 1 } ?? 1
        let made = try TestRenderer.render(animation([10, 20], loop: loop), recipe(format))
        #expect(made.timing.loop == Self.loop(of: plays, format))
        let other = format == .gif ? ImageFormat.webp : .gif
        let onward = try TestRenderer.render(made.bytes, recipe(other))
        #expect(onward.timing.loop == Self.loop(of: min(plays, 65_535), other))
    }

    /// The count that a file has for so many plays. GIF counts repetitions, and has no count for a single play.
    private static func loop(of plays: Int, _ format: ImageFormat) -> Int? {
        guard format == .gif else { return min(plays, 65_535) }
        return plays == 0 ? 0 : plays == 1 ? nil : plays - 1
    }

    @Test(arguments: formats)
    func `frames from the middle keep their own delays`(format: ImageFormat) throws {
        let original = animation([10, 20, 30, 40])
        let made = try TestRenderer.render(original, recipe(format, n: 2, page: 1))
        #expect(made.timing.delays == [200, 300])
        #expect(made.result.pages == 2)
        let first = try #require(try TestRenderer.decode(made.bytes, frame: 0))
        #expect(distance(Array(first[3, 2].prefix(3)), palette[1]) <= 12)
        let rest = try TestRenderer.render(original, recipe(format, n: -1, page: 2))
        #expect(rest.timing.delays == [300, 400])
        #expect(try TestRenderer.render(original, recipe(format, n: 5, page: 3)).header?.pages == 1)
    }

    @Test(arguments: formats)
    func `a recipe may say how fast and how often`(format: ImageFormat) throws {
        let original = animation([10, 20, 30])
        let all = try TestRenderer.render(original, recipe(format, loop: 1, delays: [250])).timing
        #expect(all.delays == [250, 250, 250])
        #expect(all.loop == (format == .gif ? nil : 1))
        let each = try TestRenderer.render(original, recipe(format, loop: 0, delays: [50, 70])).timing
        #expect(each == GIFFile.Timing(delays: [50, 70, 70], loop: 0))
    }

    @Test func `what a WebP shows for an hour, a GIF shows for as long as it can tell`() throws {
        let long = try TestRenderer.render(animation([10, 20]), recipe(.webp, delays: [3_600_000, 200]))
        #expect(long.timing.delays == [3_600_000, 200])
        let made = try TestRenderer.render(long.bytes, recipe(.gif))
        #expect(made.timing.delays == [655_350, 200])
    }

    @Test(arguments: formats)
    func `an animation of one frame is a still`(format: ImageFormat) throws {
        let made = try TestRenderer.render(animation([10]), recipe(format))
        #expect(made.header?.pages == 1)
        #expect(made.result.pages == 1)
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect(distance(Array(pixels[3, 2].prefix(3)), palette[0]) <= 12)
    }

    @Test func `equal frames are shown for as long, even if there are no others`() throws {
        let part = GIFFile.Part(
            left: 0, top: 0, width: 12, height: 8, indices: [UInt8](repeating: 2, count: 96), delay: 20)
        let still = GIFFile.write(width: 12, height: 8, palette: palette, parts: [part, part, part], loop: 4)
        let made = try TestRenderer.render(still, recipe(.webp))
        #expect(made.timing == GIFFile.Timing(delays: [600], loop: 5))
        #expect(made.header?.pages == 1)
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect((pixels.width, pixels.height) == (6, 4))
        #expect(distance(Array(pixels[3, 2].prefix(3)), palette[2]) <= 12)
        // A search for a quality looks at a single frame.
        var searched = recipe(.webp)
        searched.quality = .likeness(nil)
        #expect(try TestRenderer.render(still, searched).timing.delays == [600])
        // One other frame, and two equal ones.
        let last = GIFFile.Part(
            left: 0, top: 0, width: 12, height: 8, indices: [UInt8](repeating: 0, count: 96), delay: 10)
        let file = GIFFile.write(width: 12, height: 8, palette: palette, parts: [last, part, part], loop: 0)
        #expect(try TestRenderer.render(file, recipe(.webp)).timing.delays == [100, 400])
    }

    @Test func `many frames come through in their order`() throws {
        let made = try TestRenderer.render(animation((0..<60).map { 2 + $0 }), recipe(.webp))
        #expect(made.timing.delays == (0..<60).map { 20 + 10 * $0 })
        for frame in [0, 13, 31, 59] {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            #expect(distance(Array(pixels[3, 2].prefix(3)), palette[frame % 4]) <= 12)
        }
    }

    @Test func `an animation whose frames leave something free says that it has alpha`() throws {
        let part = GIFFile.Part(left: 2, top: 2, width: 4, height: 4, indices: Array(repeating: 1, count: 16))
        let other = GIFFile.Part(
            left: 2, top: 2, width: 4, height: 4, indices: Array(repeating: 0, count: 16))
        let file = GIFFile.write(
            width: 8, height: 8, palette: [[0, 0, 0], [200, 30, 30]], parts: [part, other], loop: 0)
        var recipe = try Recipe(canonical: "output=webp")
        recipe.pages = -1
        for isLossless in [true, false] {
            recipe.lossless = isLossless
            let made = try TestRenderer.render(file, recipe)
            #expect(made.header?.hasAlpha == true && made.header?.pages == 2)
        }
        let whole = GIFFile.Part(
            left: 0, top: 0, width: 8, height: 8, indices: Array(repeating: 1, count: 64))
        let opaque = GIFFile.write(
            width: 8, height: 8, palette: [[0, 0, 0], [200, 30, 30]], parts: [whole, part], loop: 0)
        #expect(try TestRenderer.render(opaque, recipe).header?.hasAlpha == false)
    }
}
