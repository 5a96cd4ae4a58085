// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let (width, height) = (128, 96)

/// The number of frames in a GIF with colour tables of their own.
private func ownTables(_ file: [UInt8]) -> Int {
    func table(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 * (2 << Int(flags & 7)) }
    func afterBlocks(_ start: Int) -> Int {
        var at = start
        while at < file.count, file[at] != 0 { at += Int(file[at]) + 1 }
        return at + 1
    }
    var (at, tables) = (13 + table(file[10]), 0)
    while at + 10 < file.count, file[at] != 0x3B {
        if file[at] == 0x21 {
            at = afterBlocks(at + 2)
        } else {
            let flags = file[at + 9]
            if flags & 0x80 != 0 { tables += 1 }
            at = afterBlocks(at + 10 + table(flags) + 1)
        }
    }
    return tables
}

/// A tiled disc that moves over transparency.
private func moving(_ count: Int = 8) -> [UInt8] {
    let palette: [[UInt8]] = (0..<16).map { (index: Int) -> [UInt8] in
        [40 + 12 * index, 220 - 10 * index, 60 + 9 * index].map { UInt8($0) }
    }
    let frames: [[UInt8]] = (0..<count).map { (frame: Int) -> [UInt8] in
        (0..<width * height).map { (place: Int) -> UInt8 in
            let (x, y) = (place % width, place / width)
            let (across, down) = (x - 16 - 12 * frame, y - 48)
            return across * across + down * down < 900 ? UInt8(1 + (x / 9 + y / 7) % 14) : 0
        }
    }
    return GIFFile.write(
        width: width, height: height, palette: palette, frames: frames,
        delays: [Int](repeating: 80, count: count), loop: 0, transparent: 0)
}

/// Noise of many colours around grey, 192 × 144 in eight frames, the sixth with a red square of 3 × 3: a lossless animated
/// WebP.
private func noiseWithRedSquare(seed: Int) throws -> [UInt8] {
    let (width, height) = (192, 144)
    var random = Lehmer(state: UInt64(seed))
    var recipe = Recipe.make(.webp)
    recipe.lossless = true
    var chunks: [(name: String, payload: [UInt8])] = [
        ("VP8X", [0x02, 0, 0, 0, UInt8(width - 1), 0, 0, UInt8(height - 1), 0, 0]),
        ("ANIM", [0, 0, 0, 0, 0, 0]),
    ]
    for frame in 0..<8 {
        var samples = (0..<width * height * 3).map { _ in UInt8(80 + (random.next() >> 40 & 63)) }
        for place in 0..<9 where frame == 5 {
            let start = ((40 + place / 3) * width + 60 + place % 3) * 3
            samples.replaceSubrange(start..<start + 3, with: [255, 0, 0])
        }
        let still = Canvas(width: width, height: height, bands: 3, samples: samples)
        let coded = try TestRenderer.render(PNGFile.write(still), recipe).bytes
        let picture = WebPFile.write(WebPFile.chunks(coded).filter { $0.name == "VP8L" })
        let head: [UInt8] = [
            0, 0, 0, 0, 0, 0, UInt8(width - 1), 0, 0, UInt8(height - 1), 0, 0, 100, 0, 0, 2,
        ]
        let payload: [UInt8] = head + picture.dropFirst(12)
        chunks.append(("ANMF", payload))
    }
    return WebPFile.write(chunks)
}

@Suite struct SharedPaletteTests {
    /// Once, the shared palette had no red, because nine pixels of 221,184 weigh next to nothing in a mean.
    @Test func `what is small and is seen in one frame alone keeps its colour`() throws {
        let seed = 20_261_202
        let made = try TestRenderer.render(noiseWithRedSquare(seed: seed), .make(.gif, n: -1))
        #expect(made.result.pages == 8)
        let shown = try #require(try TestRenderer.decode(made.bytes, frame: 5))
        let middle = shown[61, 41].map(Int.init)
        #expect(middle[0] > 200 && middle[1] < 60 && middle[2] < 60, "seed \(seed): \(middle)")
    }

    @Test func `frames of one drawing share a palette`() throws {
        let made = try TestRenderer.render(moving(), .make(.gif, w: 64, n: -1))
        #expect(made.result.pages == 8)
        #expect(ownTables(made.bytes) == 0)
        // With a palette for each frame it has 7,544 bytes.
        #expect(made.bytes.count < 6_500)
    }

    @Test func `what is transparent stays so with a shared palette, and nothing else becomes it`() throws {
        let gif = moving()
        let made = try TestRenderer.render(gif, .make(.gif, w: 64, n: -1)).bytes
        let exact = try TestRenderer.render(gif, Recipe(canonical: "w=64&output=webp&ll&n=-1")).bytes
        #expect(ownTables(made) == 0)
        for frame in 0..<8 {
            let seen = try #require(try TestRenderer.decode(made, frame: frame)).band(3).samples
            let meant = try #require(try TestRenderer.decode(exact, frame: frame)).band(3).samples
            #expect(seen.map { $0 >= 128 } == meant.map { $0 >= 128 }, "frame \(frame)")
        }
    }

    @Test func `pictures of a slide show keep palettes of their own`() throws {
        // Noise of sixteen colours, different ones in each frame.
        let seed = 20_261_130
        var random = Lehmer(state: UInt64(seed))
        let parts = (0..<6).map { _ in
            let palette: [[UInt8]] = (0..<16).map { _ in
                (0..<3).map { _ in UInt8(truncatingIfNeeded: random.next() >> 40) }
            }
            let indices = (0..<width * height).map { _ in UInt8(random.next() >> 40 & 15) }
            return GIFFile.Part(
                left: 0, top: 0, width: width, height: height, indices: indices, palette: palette)
        }
        let black = [[UInt8]](repeating: [0, 0, 0], count: 16)
        let gif = GIFFile.write(width: width, height: height, palette: black, parts: parts, loop: 0)
        let made = try TestRenderer.render(gif, .make(.gif, w: 64, n: -1))
        #expect(made.result.pages == 6)
        #expect(ownTables(made.bytes) == 5, "seed \(seed)")
    }

    /// Their own palettes have no transparent colour, and white is the first colour of each.
    @Test func `pictures of products on white keep palettes of their own`() throws {
        let seed = 20_261_201
        var random = Lehmer(state: UInt64(seed))
        func next(_ bound: Int) -> Int { Int(random.next() >> 40) % bound }
        let hues = [[10, 3, 2], [2, 10, 3], [3, 2, 10], [10, 9, 2], [9, 2, 10], [2, 9, 10]]
        let parts = hues.map { hue in
            let shades: [[UInt8]] = (1..<16).map { (shade: Int) -> [UInt8] in
                hue.map { UInt8(shade * 16 * $0 / 11 + next(24)) }
            }
            let indices = (0..<width * height).map { place -> UInt8 in
                let (x, y) = (place % width - 64, place / width - 48)
                return x * x + y * y < 1_600 ? UInt8(1 + (x + 40) * 11 / 80 + next(4)) : 0
            }
            return GIFFile.Part(
                left: 0, top: 0, width: width, height: height, indices: indices,
                palette: [[250, 246, 255]] + shades)
        }
        let black = [[UInt8]](repeating: [0, 0, 0], count: 16)
        let gif = GIFFile.write(width: width, height: height, palette: black, parts: parts, loop: 0)
        let made = try TestRenderer.render(gif, .make(.gif, w: 96, n: -1))
        #expect(made.result.pages == hues.count)
        #expect(ownTables(made.bytes) == hues.count - 1, "seed \(seed)")
    }
}
