// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let colours: [[UInt8]] = [
    [220, 30, 30], [30, 200, 40], [40, 60, 220], [230, 210, 40], [20, 20, 20],
]
private let delays = [70, 120, 200, 40, 500]

/// Five frames, each of one colour, with a stripe on the left in another colour.
private func animation(_ width: Int = 60, _ height: Int = 40) -> [UInt8] {
    let frames = (0..<5).map { frame in
        (0..<width * height).map { UInt8($0 % width < 6 ? (frame + 1) % 5 : frame) }
    }
    return GIFFile.write(
        width: width, height: height, palette: colours, frames: frames, delays: delays, loop: 3)
}

/// A pixel with alpha. Transparent pixels compare equal, whatever their colour.
private func shown(_ pixel: [UInt8]) -> [UInt8] {
    pixel.count < 4 ? pixel + [255] : pixel[3] == 0 ? [0, 0, 0, 0] : pixel
}

@Suite struct AnimationTests {
    @Test(arguments: [ImageFormat.gif, .webp], [ImageFormat.gif, .webp])
    func `an animation keeps its frames, its delays and its loop`(from: ImageFormat, to: ImageFormat) throws {
        let original =
            from == .gif ? animation() : try TestRenderer.render(animation(), .make(.webp, n: -1)).bytes
        let made = try TestRenderer.render(original, .make(to, w: 30, n: -1))
        #expect((made.result.width, made.result.height, made.result.pages) == (30, 20, 5))
        let header = try #require(made.header)
        #expect((header.format, header.width, header.height, header.pages) == (to, 30, 20, 5))
        // GIF counts the repetitions, WebP the plays.
        #expect(made.timing == GIFFile.Timing(delays: delays, loop: to == .gif ? 3 : 4))
        for frame in 0..<5 {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            #expect(distance(Array(pixels[20, 10].prefix(3)), colours[frame]) <= 12)
            // No frame bleeds into the rows of its neighbours.
            #expect(distance(Array(pixels[20, 0].prefix(3)), colours[frame]) <= 12)
            #expect(distance(Array(pixels[20, 19].prefix(3)), colours[frame]) <= 12)
        }
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test func `frames of a drawing lose nothing in a WebP, where that takes fewer bytes`() throws {
        // Thin shapes that move on a flat ground.
        let frames = (0..<5).map { (frame: Int) -> [UInt8] in
            (0..<90 * 60).map { (index: Int) -> UInt8 in
                let (x, y) = (index % 90, index / 90)
                if (x + frame * 3) % 11 == 0 { return 4 }
                return (y + frame) % 13 == 0 ? 4 : UInt8(frame % 2)
            }
        }
        let gif = GIFFile.write(
            width: 90, height: 60, palette: colours, frames: frames, delays: delays, loop: 3)
        let mixed = try TestRenderer.render(gif, .make(.webp, n: -1))
        let exact = try TestRenderer.render(gif, Recipe(canonical: "ll=1&n=-1&output=webp"))
        #expect(mixed.bytes.count <= exact.bytes.count)
        for frame in 0..<5 {
            let (ours, theirs) = (
                try TestRenderer.decode(mixed.bytes, frame: frame), try TestRenderer.decode(gif, frame: frame)
            )
            for x in 0..<90 where x % 7 == 0 {
                #expect(shown(try #require(ours)[x, 30]) == shown(try #require(theirs)[x, 30]))
            }
        }
    }

    @Test func `a WebP of a GIF whose pixels are noise of few colours has no more bytes than the GIF`() throws
    {
        // Half of the pixels differ from their neighbours, which is too much for a drawing. Frames change little.
        let (width, height, seed) = (96, 64, 20_261_129)
        var random = Lehmer(state: UInt64(seed))
        let noise = (0..<width * height).map { _ in UInt8(random.next() >> 40 & 1) * 3 }
        let first = GIFFile.Part(left: 0, top: 0, width: width, height: height, indices: noise)
        let others = (1..<8).map {
            GIFFile.Part(
                left: 8 * $0, top: 8, width: 8, height: 8, indices: [UInt8](repeating: 2, count: 64))
        }
        let gif = GIFFile.write(
            width: width, height: height, palette: colours, parts: [first] + others, loop: 0)
        let meant = try #require(try TestRenderer.decode(gif, frame: 7))
        // The GIF has 4,740 bytes; lossy WebP has 6,846, lossless WebP 1,434.
        for (quality, limit) in [(nil, nil), (.likeness(0.9), nil), (nil, 3_000), (.likeness(0.9), 3_000)]
            as [(Quality?, Int?)]
        {
            var recipe = Recipe.make(.webp, n: -1)
            (recipe.quality, recipe.maxBytes) = (quality, limit)
            let made = try TestRenderer.render(gif, recipe)
            #expect(made.result.format == .webp && made.header?.pages == 8)
            #expect(made.bytes.count < limit ?? gif.count, "seed \(seed)")
            let seen = try #require(try TestRenderer.decode(made.bytes, frame: 7))
            for x in 0..<width { #expect(shown(seen[x, 10]) == shown(meant[x, 10])) }
        }
        // If neither fits, a lower quality may.
        var tight = Recipe.make(.webp, n: -1)
        tight.maxBytes = 1_000
        #expect(try TestRenderer.render(gif, tight).bytes.count <= 1_434, "seed \(seed)")
    }

    @Test(arguments: [Recipe.Alignment.center, .attention, .entropy])
    func `cover crops each frame and keeps them all`(alignment: Recipe.Alignment) throws {
        let made = try TestRenderer.render(animation(), .make(.webp, w: 20, h: 20, .cover, alignment, n: -1))
        #expect((made.result.width, made.result.height, made.result.pages) == (20, 20, 5))
        #expect(made.header?.pages == 5)
        for frame in 0..<5 {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            #expect(distance(Array(pixels[12, 10].prefix(3)), colours[frame]) <= 12)
        }
    }

    @Test(arguments: ["cw=20&ch=20", "cw=60%25&ch=60%25&precrop&w=20&h=20&fit=fill"])
    func `a cut where it draws the eye is the same in each frame`(query: String) throws {
        let made = try TestRenderer.render(
            animation(), Recipe(canonical: "output=webp&n=-1&ca=attention&\(query)"))
        #expect((made.result.width, made.result.height, made.result.pages) == (20, 20, 5))
        for frame in 0..<5 {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            #expect(distance(Array(pixels[12, 10].prefix(3)), colours[frame]) <= 12)
        }
    }

    @Test(arguments: [
        "w=20&h=20&fit=cover&a=attention", "w=20&h=20&fit=cover&a=entropy", "cw=20&ch=20&ca=attention",
        "cw=20&ch=20&ca=attention&precrop&w=20",
    ])
    func `what draws the eye is looked for in what a trim by all frames leaves`(query: String) throws {
        // A striped bar on a dark ground, at the left and then at the right. Alone, the first frame would be cut to 10 by 20;
        // both together are cut to 50 by 20.
        let frames = [5, 45].map { (left: Int) -> [UInt8] in
            (0..<60 * 40).map { (place: Int) -> UInt8 in
                let (x, y) = (place % 60, place / 60)
                return (left..<left + 10).contains(x) && (10..<30).contains(y) ? UInt8(y / 2 % 2) : 4
            }
        }
        let gif = GIFFile.write(
            width: 60, height: 40, palette: colours, frames: frames, delays: [70, 120], loop: 0)
        let made = try TestRenderer.render(gif, Recipe(canonical: "output=webp&ll&n=-1&trim&\(query)"))
        #expect((made.result.width, made.result.height, made.result.pages) == (20, 20, 2))
        let first = try #require(try TestRenderer.decode(made.bytes))
        #expect((0..<20).contains { distance(Array(first[$0, 10].prefix(3)), colours[0]) <= 12 })
    }

    @Test func `frames that are high enough to leave the cache of the first are still right`() throws {
        let made = try TestRenderer.render(animation(40, 900), .make(.webp, w: 20, n: -1))
        #expect((made.result.width, made.result.height, made.result.pages) == (20, 450, 5))
        for frame in 0..<5 {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            #expect(distance(Array(pixels[12, 440].prefix(3)), colours[frame]) <= 12)
        }
    }

    @Test func `contain puts each frame on its own canvas`() throws {
        let made = try TestRenderer.render(animation(), .make(.gif, w: 30, h: 30, .contain, n: 3))
        #expect((made.result.width, made.result.height, made.result.pages) == (30, 30, 3))
        let pixels = try #require(try TestRenderer.decode(made.bytes, frame: 2))
        #expect(pixels[20, 1][3] == 0)
        #expect(distance(Array(pixels[20, 15].prefix(3)), colours[2]) <= 12)
    }

    @Test func `as many frames are taken as were asked for`() throws {
        #expect(try TestRenderer.render(animation(), .make(.gif, n: 2)).result.pages == 2)
        #expect(try TestRenderer.render(animation(), .make(.gif, n: 200)).result.pages == 5)
        #expect(try TestRenderer.render(animation(), .make(.gif)).header?.pages == 1)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .avif])
    func `the first frame becomes a still`(to: ImageFormat) throws {
        let made = try TestRenderer.render(animation(), .make(to, n: -1, q: 90))
        #expect((made.result.width, made.result.height, made.result.pages) == (60, 40, 1))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect(distance(Array(pixels[40, 20].prefix(3)), colours[0]) <= 12)
    }

    @Test(arguments: [(640, 480), (640, 512), (800, 600), (1_024, 768), (641, 480)], [1, -1])
    func `a canvas is as large as its file says, though its first frame is small`(
        size: (Int, Int), pages: Int
    ) throws {
        let small = GIFFile.Part(
            left: 10, top: 20, width: 8, height: 8, indices: [UInt8](repeating: 1, count: 64))
        let large = GIFFile.Part(
            left: size.0 - 8, top: size.1 - 8, width: 8, height: 8, indices: [UInt8](repeating: 2, count: 64))
        let gif = GIFFile.write(
            width: size.0, height: size.1, palette: colours, parts: [small, large], loop: 0)
        let made = try TestRenderer.render(gif, .make(.webp, n: pages))
        #expect(
            (made.result.width, made.result.height, made.result.pages) == (size.0, size.1, pages == 1 ? 1 : 2)
        )
        let first = try #require(try TestRenderer.decode(made.bytes))
        #expect(distance(Array(first[14, 24].prefix(3)), colours[1]) <= 16)
        guard pages == -1 else { return }
        let second = try #require(try TestRenderer.decode(made.bytes, frame: 1))
        #expect(distance(Array(second[size.0 - 2, size.1 - 2].prefix(3)), colours[2]) <= 16)
        let own = try TestRenderer.render(gif, .make(.gif, n: -1)).bytes
        #expect(try ImageHeader.parse(own).width == size.0)
    }

    @Test func `what is transparent in a frame stays so`() throws {
        let frames: [[UInt8]] = [0, 1].map { frame in (0..<400).map { UInt8($0 % 20 < 10 ? frame : 2) } }
        let gif = GIFFile.write(
            width: 20, height: 20, palette: colours, frames: frames, delays: [100, 100], loop: 0,
            transparent: 2)
        for format in [ImageFormat.gif, .webp] {
            let made = try TestRenderer.render(gif, .make(format, w: 10, n: -1))
            for frame in 0..<2 {
                let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
                #expect(pixels[8, 5][3] == 0)
                #expect(pixels[2, 5][3] >= 253)
                #expect(distance(Array(pixels[2, 5].prefix(3)), colours[frame]) <= 12)
            }
        }
    }

    /// A step that computes pixels while it is built, and one that does not, alone and in both orders.
    static let steps = [
        "", "w=30", "w=30&h=30&fit=cover", "w=50&h=50&fit=contain&cbg=red", "w=90&we=0",
        "w=25&blur=2&sharp=1",
        "sharp", "sharp=1,2,1", "blur=4", "blur=40", "filt=greyscale", "filt=sepia", "filt=negate",
        "filt=duotone&start=navy&stop=gold", "tint=704214", "bri=20", "con=20", "gam=2", "mod=1.2,0.8,40",
        "mask=circle",
        "mask=star&mbg=gold&mtrim", "ro=30&rbg=80ff0000", "ro=90", "flip", "flip&flop", "flop&w=20",
        "cx=5&cy=5&cw=20&ch=20", "cx=5&cy=5&cw=20&ch=20&precrop&w=15", "bg=white",
        "w=33&blur=1&sharp=2&con=10&ro=45", "pixelate=7", "w=50&h=50&fit=contain&cblur=4",
        "radius=9,3&pad=4,2",
        "w=30&radius=5&pad=3&pbg=gold",
    ]

    @Test(arguments: steps)
    func `each frame is what its page alone becomes`(step: String) throws {
        let (width, height, count) = (60, 40, 4)
        var random = Lehmer(state: 20_261_123)
        let palette = (0..<16).map { _ in (0..<3).map { _ in UInt8(truncatingIfNeeded: random.next() >> 8) } }
        let frames = (0..<count).map { _ in (0..<width * height).map { _ in UInt8(random.next() >> 8 & 15) } }
        let gif = GIFFile.write(
            width: width, height: height, palette: palette, frames: frames,
            delays: [Int](repeating: 40, count: count),
            loop: 0, transparent: 7)
        let query = "output=webp&ll&\(step)"
        let animated = try TestRenderer.render(gif, Recipe(canonical: "\(query)&n=-1"))
        #expect(animated.result.pages == count)
        for frame in 0..<count {
            let alone = try TestRenderer.render(gif, Recipe(canonical: "\(query)&page=\(frame)"))
            let seen = try #require(try TestRenderer.decode(animated.bytes, frame: frame))
            let meant = try #require(try TestRenderer.decode(alone.bytes))
            #expect(seen.size == meant.size)
            var differing = 0
            for y in 0..<meant.size.height {
                for x in 0..<meant.size.width {
                    if shown(seen[x, y]) != shown(meant[x, y]) { differing += 1 }
                }
            }
            #expect(differing == 0, "pixels of frame \(frame)")
        }
    }
}
