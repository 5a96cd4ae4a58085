// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private let writable: [ImageFormat] = [.jpeg, .png, .webp, .avif, .gif]

/// The gradient as an original in each format.
private func original(_ format: ImageFormat) throws -> [UInt8] {
    let canvas = gradient(64, 48)
    if format == .tiff { return TIFFFile.write([.rgb(canvas)]) }
    let png = PNGFile.write(canvas)
    return format == .png ? png : try TestRenderer.render(png, .make(format, q: 95)).bytes
}

@Suite struct FormatTests {
    @Test(arguments: writable + [.tiff], writable)
    func `every format becomes every format, of the size that was asked for`(
        from: ImageFormat, to: ImageFormat
    ) throws {
        let made = try TestRenderer.render(original(from), .make(to, w: 32))
        #expect(made.result.format == to)
        #expect((made.result.width, made.result.height, made.result.pages) == (32, 24, 1))
        #expect(made.result.length == made.bytes.count)
        let header = try #require(made.header)
        #expect((header.format, header.width, header.height, header.pages) == (to, 32, 24, 1))
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test(arguments: writable + [.tiff])
    func `the colours of every format come through`(from: ImageFormat) throws {
        let made = try TestRenderer.render(original(from), .make(.png, w: 32))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        // A GIF has a dithered palette.
        let tolerance = from == .gif ? 40 : 12
        for (x, y) in [(4, 4), (16, 12), (28, 20), (4, 20)] {
            let expected = [UInt8((2 * x + 1) * 255 / 64), UInt8((2 * y + 1) * 255 / 48), 128]
            #expect(distance(Array(pixels[x, y].prefix(3)), expected) <= tolerance)
        }
    }

    @Test func `an AVIF is as long as what reads it allows`() throws {
        let longest = Canvas(16_384, 2, of: [20, 120, 220])
        let made = try TestRenderer.render(PNGFile.write(longest), .make(.avif))
        #expect(try TestRenderer.decode(made.bytes)?.size == longest.size)
        #expect(
            try TestRenderer.failure(PNGFile.write(Canvas(16_385, 2, of: [20, 120, 220])), .make(.avif))
                == .outputTooLarge(.side(16_384)))
    }

    @Test(arguments: [1, 3, 4])
    func `AVIF without loss has the very pixels`(bands: Int) throws {
        // All neighbours differ in colour, and half the chroma would lose that.
        let noise = Canvas(47, 33) { x, y in
            let level = (x &* 73_856_093 ^ y &* 19_349_663) >> 3
            let colours = (0..<min(bands, 3)).map { UInt8(truncatingIfNeeded: level >> (5 * $0)) }
            return bands == 4 ? colours + [UInt8(255 - 3 * x)] : colours
        }
        var recipe = Recipe.make(.avif, q: 40)
        recipe.lossless = true
        let made = try TestRenderer.render(PNGFile.write(noise), recipe)
        #expect(made.header?.format == .avif)
        let expected = bands == 1 ? noise.band(0, times: 3) : noise
        #expect(try TestRenderer.decode(made.bytes) == expected)
    }

    @Test func `a source keeps its format where that can be written`() throws {
        let tiff = TIFFFile.write([.rgb(gradient(16, 16))])
        #expect(try TestRenderer.render(tiff).result.format == .tiff)
    }

    @Test func `a format that no loader is trusted with is refused`() throws {
        for format in [ImageFormat.jxl] {
            let header = ImageHeader(format: format, width: 10, height: 10)
            #expect(try TestRenderer.failure([1, 2, 3], .make(.png), header: header) == .formatNotAllowed)
        }
        let png = PNGFile.write(gradient(8, 8))
        #expect(try TestRenderer.failure(png, .make(.heic)) == .formatNotAllowed)
    }

    @Test func `only the first page of a document becomes a still`() throws {
        let pages = [
            Canvas(8, 8, of: [250, 0, 0]), Canvas(8, 8, of: [0, 250, 0]), Canvas(8, 8, of: [0, 0, 250]),
        ]
        let made = try TestRenderer.render(TIFFFile.write(pages.map { .rgb($0) }), .make(.png))
        #expect(try TestRenderer.decode(made.bytes) == pages[0])
    }

    @Test func `a lower quality makes fewer bytes`() throws {
        let png = PNGFile.write(gradient(200, 200))
        for format in [ImageFormat.jpeg, .webp, .avif] {
            let (low, high) = (
                try TestRenderer.render(png, .make(format, q: 20)),
                try TestRenderer.render(png, .make(format, q: 95))
            )
            #expect(low.bytes.count < high.bytes.count)
        }
    }

    @Test func `a picture with a palette keeps it`() throws {
        let header = PNGFile.chunk("PLTE", [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255])
        let rows = (0..<256).map { (index: Int) -> UInt8 in UInt8((index % 16 / 4 + index / 64) % 4) }
        let png = PNGFile.write(width: 16, height: 16, depth: 8, colourType: 3, rows: rows, before: header)
        let made = try TestRenderer.render(png, .make(.png))
        #expect(PNGFile.chunks(made.bytes)[0].payload[9] == 3)
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect(pixels[0, 0] == [255, 0, 0])
        #expect(pixels[5, 0] == [0, 255, 0])
        #expect(pixels[15, 0] == [255, 255, 255])
    }
}
