// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite struct BackgroundTests {
    @Test func `an opaque background takes alpha away`() throws {
        let made = try picture(Canvas(4, 4, of: [200, 100, 0, 128]), "bg=0000ff")
        #expect(made.bands == 3)
        // 128/255 of the picture, and the rest of the background.
        #expect(distance(made[1, 1], [100, 50, 127]) <= 1)
    }

    @Test func `a translucent background shows through and stays translucent`() throws {
        let made = try picture(Canvas(4, 4, of: [200, 100, 0, 128]), "bg=800000ff")
        // Over: alpha is 128 + 128 × 127/255 = 192; each colour is weighted by its share of that.
        #expect(distance(made[1, 1], [134, 67, 85, 192]) <= 1)
        #expect(
            try picture(Canvas(4, 4, of: [7, 7, 7, 0]), "bg=3311ff33")[0, 0] == [0x11, 0xFF, 0x33, 0x33])
    }

    @Test func `a picture that is opaque has nothing to lay under`() throws {
        let canvas = Canvas(4, 4, of: [200, 100, 0])
        #expect(try picture(canvas, "bg=red") == canvas)
    }

    @Test func `grey on a colour is coloured, and grey made by a filter stays grey`() throws {
        #expect(distance(try picture(Canvas(4, 4, of: [100, 0]), "bg=ff8c00")[0, 0], [255, 140, 0]) <= 1)
        // 0.2126 × 255 + 0.7152 × 140.
        #expect(
            distance(try picture(Canvas(4, 4, of: [100, 0]), "filt=greyscale&bg=ff8c00")[0, 0], [154]) <= 1)
        #expect(try picture(Canvas(4, 4, of: [100, 0]), "bg=808080")[0, 0] == [128])
    }

    @Test func `bars have their colour, transparent where none is given`() throws {
        let canvas = Canvas(20, 10, of: [200, 100, 0])
        #expect(try picture(canvas, "w=20&h=20&fit=contain&cbg=00ff00")[3, 2] == [0, 255, 0])
        #expect(try picture(canvas, "w=20&h=20&fit=contain&cbg=4000ff00")[3, 2] == [0, 255, 0, 64])
        let clear = try picture(canvas, "w=20&h=20&fit=contain")
        #expect(clear[3, 2] == [0, 0, 0, 0] && clear[3, 10] == [200, 100, 0, 255])
    }

    @Test func `what a rectangle has left lies in the middle of the bars`() throws {
        let made = try picture(Canvas(20, 20, of: [200, 100, 0]), "w=40&h=20&fit=contain&cx=0&cw=10&cbg=000")
        #expect(made.size == PixelSize(width: 40, height: 20))
        #expect(made[14, 10] == [0, 0, 0] && made[15, 10] == [200, 100, 0])
        #expect(made[24, 10] == [200, 100, 0] && made[25, 10] == [0, 0, 0])
    }

    /// Colours are cleared only when a file is encoded again, so the original's own bytes are excluded here.
    @Test(arguments: ["", "ro=90", "flip", "flop", "cx=0&cw=30", "bri=20", "filt=negate"])
    func `what nobody can see is not handed out, whatever was done to it`(query: String) throws {
        let hidden = Canvas(40, 40) { x, _ in x < 20 ? [200, 100, 50, 0] : [1, 2, 3, 255] }
        var defaults = EncoderDefaults()
        (defaults.pngCompression, defaults.keepsSmallerOriginal) = (0, false)
        let made = try TestRenderer.render(
            PNGFile.write(hidden), Recipe(canonical: "output=png&\(query)"), defaults: defaults)
        // Reads the file without the engine, which would clear the colours while decoding.
        let file = try #require(PNGFile.read(made.bytes))
        let pixels = (0..<file.width * file.height).map { file[$0 % file.width, $0 / file.width] }
        let clear = pixels.filter { $0[3] == 0 }
        #expect(clear.count == 800 && clear.allSatisfy { $0 == [0, 0, 0, 0] })
        #expect(pixels.count { $0[3] == 255 } == (query.hasPrefix("cx") ? 400 : 800))
        if query.isEmpty { #expect(file[30, 3] == [1, 2, 3, 255]) }
    }
}

@Suite struct WatermarkTests {
    private let photo = Canvas(100, 60, of: [40, 80, 120])
    private let mark = Canvas(10, 6, of: [255, 255, 255, 255])

    private func box(_ canvas: Canvas) -> PixelArea? {
        var area: PixelArea?
        for index in 0..<canvas.width * canvas.height
        where canvas[index % canvas.width, index / canvas.width][0] > 60 {
            area = PixelArea(x: index % canvas.width, y: index / canvas.width, width: 1, height: 1).union(
                area)
        }
        return area
    }

    @Test(arguments: [
        ("top-left", 0, 0), ("top", 45, 0), ("top-right", 90, 0), ("left", 0, 27), ("center", 45, 27),
        ("right", 90, 27), ("bottom-left", 0, 54), ("bottom", 45, 54), ("bottom-right", 90, 54),
    ])
    func `it lies where it was put, in its own size`(position: String, x: Int, y: Int) throws {
        let made = try picture(photo, "wm=logo&wmp=\(position)", watermark: mark)
        #expect(box(made) == PixelArea(x: x, y: y, width: 10, height: 6))
        #expect(made.bands == 3)
    }

    @Test func `its width is a part of the picture's`() throws {
        let made = try picture(photo, "wm=logo&wms=0.5&wmp=top-left", watermark: mark)
        #expect(box(made) == PixelArea(x: 0, y: 0, width: 50, height: 30))
    }

    @Test func `it is never larger than the picture`() throws {
        let large = Canvas(300, 300, of: [255, 255, 255])
        #expect(
            box(try picture(photo, "wm=logo&wmp=center", watermark: large))?.size
                == PixelSize(width: 60, height: 60))
        let tall = Canvas(10, 100, of: [255, 255, 255])
        #expect(
            box(try picture(photo, "wm=logo&wms=1", watermark: tall))?.size == PixelSize(width: 6, height: 60)
        )
    }

    @Test func `its opacity multiplies its alpha`() throws {
        let half = try picture(photo, "wm=logo&wmo=0.5&wmp=center", watermark: mark)
        #expect(distance(half[50, 30], [148, 168, 188]) <= 1)
        let quarter = try picture(
            photo, "wm=logo&wmo=0.5&wmp=center", watermark: Canvas(10, 6, of: [255, 255, 255, 128]))
        #expect(distance(quarter[50, 30], [94, 124, 154]) <= 1)
    }

    @Test func `as a tile it is everywhere`() throws {
        let dots = Canvas(10, 6) { x, y in x < 5 ? [255, 255, 255, 255] : [0, 0, 0, 0] }
        let made = try picture(photo, "wm=logo&wmp=tile", watermark: dots)
        for (x, y) in [(2, 2), (32, 50), (91, 59)] { #expect(made[x, y] == [255, 255, 255]) }
        for (x, y) in [(7, 2), (37, 50), (99, 0)] { #expect(made[x, y] == [40, 80, 120]) }
    }

    @Test(arguments: [
        ("row-top", PixelArea(x: 0, y: 0, width: 100, height: 6)),
        ("row-center", PixelArea(x: 0, y: 27, width: 100, height: 6)),
        ("row-bottom&wmx=3&wmy=4", PixelArea(x: 0, y: 50, width: 100, height: 6)),
        ("column-left&wmx=3&wmy=4", PixelArea(x: 3, y: 0, width: 10, height: 60)),
        ("column-center", PixelArea(x: 45, y: 0, width: 10, height: 60)),
        ("column-right", PixelArea(x: 90, y: 0, width: 10, height: 60)),
    ])
    func `in a row or a column it is repeated from edge to edge`(position: String, area: PixelArea) throws {
        #expect(box(try picture(photo, "wm=logo&wmp=\(position)", watermark: mark)) == area)
        let dots = Canvas(10, 6) { x, y in x < 5 && y < 3 ? [255, 255, 255, 255] : [0, 0, 0, 0] }
        let made = try picture(photo, "wm=logo&wmp=\(position)", watermark: dots)
        for x in area.x..<area.x + area.width {
            for y in area.y..<area.y + area.height {
                let isDot = (x - area.x) % 10 < 5 && (y - area.y) % 6 < 3
                #expect(made[x, y] == (isDot ? [255, 255, 255] : [40, 80, 120]), "\(x), \(y)")
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 70), (70, 1), (7, 3), (64, 64), (99, 59), (130, 90)])
    func `tiles of any size lie beside one another`(width: Int, height: Int) throws {
        let stamp = Canvas(width, height) { x, y in [UInt8(x), UInt8(y), 9, 255] }
        let size = PixelSize(width: 100, height: 60)
        let made = try TestRenderer.withEngine {
            try Picture(samples: stamp.samples, size: stamp.size, bands: 4).tiled(over: size).rgba()
        }
        #expect(made == Canvas(100, 60) { x, y in stamp[x % width, y % height] }.samples)
    }

    @Test(arguments: [(800, 800), (1_000, 600), (64, 2_000)])
    func `a tile that is large enough is not copied`(width: Int, height: Int) throws {
        let size = PixelSize(width: width, height: height)
        let copied = try TestRenderer.withEngine {
            let samples = [UInt8](repeating: 9, count: size.area * 4)
            let stamp = try Picture(samples: samples, size: size, bands: 4).inMemory()
            let before = Engine.pixelMemory
            let layer = try stamp.tiled(over: PixelSize(width: 1_000, height: 1_000))
            return withExtendedLifetime(layer) { Engine.pixelMemory - before }
        }
        #expect(copied < size.area)
    }

    /// Drawing a tile for each of a million pixels took 70 times as long.
    @Test func `a tile of a pixel takes no longer than others`() throws {
        func time(_ side: Int) throws -> Duration {
            let size = PixelSize(width: side, height: side)
            return try TestRenderer.withEngine {
                let stamp = try Picture(
                    samples: [UInt8](repeating: 9, count: size.area * 4), size: size, bands: 4)
                let times = try (0..<3).map { _ in
                    try ContinuousClock().measure {
                        _ = try stamp.tiled(over: PixelSize(width: 1_000, height: 1_000)).inMemory()
                    }
                }
                return times.min() ?? .zero
            }
        }
        let (pixel, large) = (try time(1), try time(100))
        #expect(pixel < large * 10)
    }

    @Test func `over what is transparent it is itself`() throws {
        let made = try picture(
            Canvas(40, 40, of: [0, 0, 0, 0]), "wm=logo&wmp=top-left&wmo=0.5", watermark: mark)
        #expect(distance(made[2, 2], [255, 255, 255, 128]) <= 1)
        #expect(made[30, 30] == [0, 0, 0, 0])
    }

    @Test func `it is laid over every frame, and over the mask`() throws {
        let gif = GIFFile.write(
            width: 40, height: 40, palette: [[200, 0, 0], [0, 0, 200]],
            frames: [[UInt8](repeating: 0, count: 1600), [UInt8](repeating: 1, count: 1600)],
            delays: [70, 70], loop: 0)
        let recipe = try Recipe(canonical: "output=webp&n=-1&q=100&wm=logo&wmp=top-left&mask=circle")
        let made = try TestRenderer.render(gif, recipe, watermark: PNGFile.write(mark))
        #expect(made.result.pages == 2)
        for frame in 0..<2 {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            #expect(distance(pixels[2, 2], [255, 255, 255, 255]) <= 12)
            #expect(pixels[39, 0][3] == 0)
            #expect(pixels[20, 20][frame == 0 ? 0 : 2] > 150)
        }
    }

    @Test func `a damaged watermark is told, and so is a missing one`() throws {
        let recipe = try Recipe(canonical: "output=png&wm=logo")
        let cut = Array(PNGFile.write(gradient(60, 60)).dropLast(4000))
        #expect(throws: ImagingFailure.self) {
            try TestRenderer.render(PNGFile.write(photo), recipe, watermark: cut)
        }
        #expect(
            try TestRenderer.failure(PNGFile.write(photo), recipe) == .unavailable("the watermark is missing")
        )
    }
}
