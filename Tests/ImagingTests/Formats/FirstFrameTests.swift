// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite("Of animations that are not read as such, the picture for everyone else is shown")
struct FirstFrameTests {
    private let shown = Canvas(16, 12, of: [200, 100, 50])

    /// An animated PNG (W3C PNG, third edition, §11.3.6): a default image, and another frame in another colour.
    /// - Parameter begins: true if the default image is the first frame as well.
    private func animatedPNG(begins: Bool) -> [UInt8] {
        func control(_ number: Int) -> [UInt8] {
            PNGFile.chunk(
                "fcTL",
                big32(number) + big32(16) + big32(12) + big32(0) + big32(0) + [0, 1, 0, 10, 0, 0])
        }
        let frames = PNGFile.chunk("acTL", big32(begins ? 2 : 1) + big32(0))
        let still = PNGFile.write(
            width: 16, height: 12, depth: 8, colourType: 2, rows: shown.samples,
            before: frames + (begins ? control(0) : []))
        let other = PNGFile.chunks(PNGFile.write(Canvas(16, 12, of: [0, 0, 255])))
            .filter { $0.name == "IDAT" }.flatMap(\.payload)
        let first = begins ? 1 : 0
        // IEND has 12 bytes.
        return Array(still.dropLast(12)) + control(first) + PNGFile.chunk("fdAT", big32(first + 1) + other)
            + PNGFile.chunk("IEND", [])
    }

    /// The brand of an image sequence, and a track list without tracks.
    private func sequence(_ file: [UInt8]) -> [UInt8] {
        let unity = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].flatMap(big32)
        let numbers = big32(0) + big32(0) + big32(0) + big32(1_000) + big32(2_000) + big32(0x1_0000)
        let header = numbers + [1, 0] + [UInt8](repeating: 0, count: 10) + unity
        let movie = header + [UInt8](repeating: 0, count: 24) + big32(2)
        func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
            big32(content.count + 8) + Array(name.utf8) + content
        }
        var file = file
        file.replaceSubrange(8..<12, with: Array("avis".utf8))
        return file + box("moov", box("mvhd", movie))
    }

    @Test(arguments: [true, false])
    func `an animated PNG is its default image`(begins: Bool) throws {
        let file = animatedPNG(begins: begins)
        #expect(try ImageHeader.parse(file).pages == 1)
        for format in [ImageFormat.png, .webp, .gif] {
            let made = try TestRenderer.render(file, .make(format, w: 8, n: -1))
            #expect(made.result.pages == 1)
            let pixels = try #require(try TestRenderer.decode(made.bytes))
            #expect(distance(Array(pixels[4, 3].prefix(3)), [200, 100, 50]) <= 12, "\(format)")
        }
    }

    @Test func `what is left of an animated PNG where it is answered with its own bytes is the same`() throws
    {
        let file = animatedPNG(begins: true)
        let bytes = try #require(file.withUnsafeBytes { StrippedOriginal.of($0, .png) })
        #expect(PNGFile.chunks(bytes).map(\.name) == ["IHDR", "IDAT", "IEND"])
        #expect(PNGFile.read(bytes) == shown)
    }

    @Test func `an image sequence is its primary picture`() throws {
        let file = sequence(HEIFFile.multiplied)
        let header = try ImageHeader.parse(file)
        #expect(header.format == .avif && header.pages == 1 && header.isDecodable)
        let made = try TestRenderer.render(file, .make(.png, n: -1))
        #expect(made.result.pages == 1)
        #expect(try made.bytes == TestRenderer.render(HEIFFile.multiplied, .make(.png, n: -1)).bytes)
    }

    /// An animated WebP of 16 × 12 in two frames with these numbers of columns.
    /// - Parameter clears: true if the first frame's area is cleared before the second.
    private func animatedWebP(_ first: Int, _ second: Int, clears: Bool) throws -> [UInt8] {
        func frame(_ width: Int, _ flags: UInt8) throws -> (String, [UInt8]) {
            var recipe = Recipe.make(.webp)
            recipe.lossless = true
            let still = try TestRenderer.render(
                PNGFile.write(Canvas(width, 12, of: [200, 100, 50])), recipe)
            let coded = WebPFile.write(WebPFile.chunks(still.bytes).filter { $0.name == "VP8L" })
            let place: [UInt8] = [0, 0, 0, 0, 0, 0, UInt8(width - 1), 0, 0, 11, 0, 0, 100, 0, 0, flags]
            return ("ANMF", place + coded.dropFirst(12))
        }
        return try WebPFile.write([
            ("VP8X", [0x02, 0, 0, 0, 15, 0, 0, 11, 0, 0]), ("ANIM", [0, 0, 0, 0, 0, 0]),
            frame(first, clears ? 3 : 2), frame(second, 2),
        ])
    }

    @Test(arguments: [(8, 16, false), (16, 8, false), (16, 8, true)])
    func `a frame of a WebP that leaves the canvas free is known to have alpha`(
        first: Int, second: Int, clears: Bool
    ) throws {
        let file = try animatedWebP(first, second, clears: clears)
        let header = try ImageHeader.parse(file)
        try #require(header.pages == 2)
        let rims = try (0..<2).map { page in
            var recipe = Recipe.make(.png)
            recipe.page = page
            let shown = try #require(try TestRenderer.decode(TestRenderer.render(file, recipe).bytes))
            return shown.bands == 4 ? shown[14, 6][3] : 255
        }
        #expect(rims == [first == 16 ? 255 : 0, clears ? 0 : 255])
        #expect(header.hasAlpha == rims.contains(0))
        // For a client that accepts neither AVIF nor WebP.
        var recipe = Recipe()
        recipe.output = .auto
        let chosen = recipe.resolvingAuto(avif: false, webp: false, header: header)
        #expect(chosen.output == .format(rims.contains(0) ? .png : .jpeg))
    }
}
