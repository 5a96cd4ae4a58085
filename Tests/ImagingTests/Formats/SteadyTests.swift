// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// The frames of one size as they are shown one after the other.
private func shown(_ frames: [Canvas]) throws -> [Canvas] {
    let (width, height, bands) = (frames[0].width, frames[0].height, frames[0].bands)
    return try TestRenderer.withEngine {
        let size = PixelSize(width: width, height: height * frames.count)
        let strip = try Picture(samples: frames.flatMap(\.samples), size: size, bands: Int32(bands))
        let steady = try strip.paged(height: height).steadied().inMemory()
        return try frames.indices.map { (frame: Int) throws -> Canvas in
            var samples: [UInt8] = []
            for y in 0..<height {
                for x in 0..<width {
                    samples += try steady.pixel(x: x, y: frame * height + y).map { UInt8($0) }
                }
            }
            return Canvas(width: width, height: height, bands: bands, samples: samples)
        }
    }
}

/// A picture with a gradient, brighter by `more`.
private func slope(
    _ width: Int, _ height: Int, bands: Int = 3, _ more: (_ x: Int, _ y: Int) -> Int
) -> Canvas {
    Canvas(width, height) { x, y in
        let colour = [90 + 2 * x, 120, 100 + y].map { UInt8($0 + more(x, y)) }
        switch bands {
        case 1: return [colour[0]]
        case 2: return [colour[0], 255]
        case 4: return colour + [255]
        default: return colour
        }
    }
}

@Suite struct SteadyTests {
    @Test(arguments: [1, 2, 3, 4])
    func `noise on what stands still is shown once`(bands: Int) throws {
        // The sides are no multiples of a block's.
        let frames = (0..<6).map { frame in slope(21, 13, bands: bands) { ($0 + $1 + frame) % 2 * 5 } }
        let made = try shown(frames)
        #expect(made.allSatisfy { $0 == frames[0] })
    }

    @Test func `a slow change is never more than a level behind`() throws {
        let frames = (0..<20).map { frame in slope(24, 16) { _, _ in frame } }
        let steadied = try shown(frames)
        #expect(steadied.map(\.samples.count) == frames.map(\.samples.count))
        for (made, meant) in zip(steadied, frames) {
            for (one, other) in zip(made.samples, meant.samples) { #expect(abs(Int(one) - Int(other)) <= 1) }
        }
        let faster = (0..<20).map { frame in slope(24, 16) { _, _ in 2 * frame } }
        #expect(try shown(faster) == faster)
    }

    @Test func `a faint line that moves leaves nothing behind`() throws {
        let columns = (0..<12).map { frame in slope(32, 16) { x, _ in x == 2 * frame + 3 ? 6 : 0 } }
        #expect(try shown(columns) == columns)
        let rows = (0..<7).map { frame in slope(32, 16) { _, y in y == 2 * frame ? 6 : 0 } }
        #expect(try shown(rows) == rows)
    }

    @Test func `a pixel that stands out is shown, and gone again`() throws {
        let frames = (0..<4).map { frame in slope(16, 16) { $0 == 5 && $1 == 9 && frame == 2 ? 12 : 0 } }
        #expect(try shown(frames) == frames)
    }

    @Test func `what is transparent keeps its edges`() throws {
        // A disc over transparency, with a hole that moves; its colours are noise.
        let (width, height) = (64, 48)
        let frames = (0..<8).map { (frame: Int) -> Canvas in
            Canvas(width, height) { x, y in
                let (across, down, along) = (x - 32, y - 24, x - 18 - 3 * frame)
                let isSolid = across * across + down * down < 440 && along * along + down * down > 9
                let grey = UInt8(120 + (x + y + frame) % 2 * 4)
                return isSolid ? [grey, grey, grey, 255] : [0, 0, 0, 0]
            }
        }
        let made = try shown(frames)
        // Something was steadied.
        #expect(made != frames)
        for (one, other) in zip(made, frames) {
            let alphas = [one, other].map { $0.band(3) }
            #expect(alphas[0] == alphas[1])
        }
    }

    @Test func `a resized GIF spends few bytes on the dither of what stands still`() throws {
        // Each frame was dithered on its own: from flat tiles to one of two neighbours in the palette.
        let (width, height, count, seed) = (64, 48, 12, 20_261_128)
        var random = Lehmer(state: UInt64(seed))
        let palette: [[UInt8]] = (0..<16).map { (index: Int) -> [UInt8] in
            [40 + 6 * index, 200 - 5 * index, 90 + 4 * index].map { UInt8($0) }
        }
        let frames: [[UInt8]] = (0..<count).map { _ in
            (0..<width * height).map { (index: Int) -> UInt8 in
                let tile = (index % width / 8 + index / width / 6) % 14
                return UInt8(tile) + UInt8(random.next() >> 40 & 1)
            }
        }
        let gif = GIFFile.write(
            width: width, height: height, palette: palette, frames: frames,
            delays: [Int](repeating: 80, count: count), loop: 0)
        let still = try TestRenderer.render(gif, .make(.gif, w: 32))
        let made = try TestRenderer.render(gif, .make(.gif, w: 32, n: -1))
        #expect(made.result.pages == count)
        // Without steadying it has 7.9 times the size of the first frame; with it, 1.3 times.
        #expect(made.bytes.count < 2 * still.bytes.count, "seed \(seed)")
        let exact = try TestRenderer.render(gif, Recipe(canonical: "w=32&output=webp&ll&n=-1")).bytes
        // Newer versions of cgif drop frames that equal the one before, and add to its delay.
        let kept = try #require(made.header).pages
        for frame in 0..<kept {
            let seen = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            let meant = try #require(try TestRenderer.decode(exact, frame: frame))
            let (one, other) = (rgb(seen), rgb(meant))
            #expect(psnr(one, other.samples.map(Double.init)) > 38, "frame \(frame), seed \(seed)")
        }
    }

    private func rgb(_ canvas: Canvas) -> Canvas {
        Canvas(canvas.width, canvas.height) { x, y in Array(canvas[x, y].prefix(3)) }
    }
}
