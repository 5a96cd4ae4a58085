// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private func own(_ file: [UInt8], _ format: ImageFormat) -> [UInt8]? {
    file.withUnsafeBytes { StrippedOriginal.of($0, format) }
}

/// Small for its content, so that encoding it again at the usual quality makes it bigger.
private func meagre(_ format: ImageFormat) throws -> [UInt8] {
    let noise = Sample.noise.rgba(64, 48, seed: 5)
    let canvas = Canvas(64, 48) { x, y in Array(noise[(y * 64 + x) * 4..<(y * 64 + x) * 4 + 3]) }
    var defaults = EncoderDefaults()
    defaults.keepsSmallerOriginal = false
    return try TestRenderer.render(PNGFile.write(canvas), .make(format, q: 10), defaults: defaults).bytes
}

@Suite("Nothing comes out bigger than it came in, if only its bytes would change")
struct OwnBytesTests {
    private static let lossy = [ImageFormat.jpeg, .webp, .avif]

    @Test(arguments: lossy)
    func `a meagre file is answered as it came`(format: ImageFormat) throws {
        let file = try meagre(format)
        let made = try TestRenderer.render(file, .make(format))
        #expect(made.bytes == file)
        #expect(made.result.length == file.count)
        #expect((made.result.format, made.result.width, made.result.height) == (format, 64, 48))
        var defaults = EncoderDefaults()
        defaults.keepsSmallerOriginal = false
        #expect(try TestRenderer.render(file, .make(format), defaults: defaults).bytes.count > file.count)
        // A box that the picture fits into changes nothing, and neither does a search for a quality.
        #expect(try TestRenderer.render(file, .make(format, w: 200)).bytes == file)
        var searching = Recipe.make(format)
        searching.quality = .likeness(0.99)
        #expect(try TestRenderer.render(file, searching).bytes == file)
    }

    @Test func `an AVIF that browsers take for no such file is written anew`() throws {
        var file = try meagre(.avif)
        #expect(own(file, .avif) == file)
        // In ftyp, behind its size and its name.
        for place in stride(from: 8, to: Int(file[3]), by: 4)
        where file[place..<place + 4].elementsEqual("avif".utf8) {
            file.replaceSubrange(place..<place + 4, with: "mif1".utf8)
        }
        #expect(try ImageHeader.parse(file).format == .avif)
        #expect(own(file, .avif) == nil)
    }

    @Test func `whatever changes the picture is written anew`() throws {
        let file = try meagre(.jpeg)
        var recipes = [Recipe.make(.jpeg, w: 63), .make(.webp), .make(.jpeg, w: 32, h: 32, .cover)]
        var interlaced = Recipe.make(.jpeg)
        interlaced.interlaced = true
        recipes.append(interlaced)
        for recipe in recipes { #expect(try TestRenderer.render(file, recipe).bytes != file) }
    }

    @Test func `what has to be turned or converted is written anew`() throws {
        let file = try meagre(.jpeg)
        let turned = JPEGFile.withEXIF(EXIF.orientation(6), file)
        let made = try TestRenderer.render(turned, .make(.jpeg))
        #expect((made.header?.width, made.header?.height) == (48, 64))
        let wide = JPEGFile.withProfile(MatrixProfile.displayP3.file(), file)
        #expect(try TestRenderer.render(wide, .make(.jpeg)).bytes != file)
    }

    @Test func `metadata stay behind`() throws {
        let file = try meagre(.jpeg)
        let dressed = JPEGFile.withEXIF(
            EXIF.withPosition,
            JPEGFile.inserting(
                0xFE, Array("a comment".utf8), into: JPEGFile.withProfile(MatrixProfile.sRGB.file(), file)))
        #expect(
            try TestRenderer.render(dressed + Array("secret behind the end".utf8), .make(.jpeg)).bytes == file
        )

        let webp = try meagre(.webp)
        let chunks = WebPFile.chunks(webp)
        let extended = WebPFile.write(
            [("VP8X", [0x0C, 0, 0, 0, 63, 0, 0, 47, 0, 0])] + chunks + [
                ("EXIF", EXIF.withPosition), ("what", [1]),
            ])
        #expect(try TestRenderer.render(extended, .make(.webp)).bytes == webp)

        let png = PNGFile.write(
            width: 1, height: 1, depth: 8, colourType: 0, rows: [9],
            before: PNGFile.chunk("tEXt", Array("k\0secret".utf8))
                + PNGFile.chunk("eXIf", EXIF.orientation(1)))
        #expect(PNGFile.chunks(try #require(own(png, .png))).map(\.name) == ["IHDR", "IDAT", "IEND"])
    }

    @Test func `parts that follow upon one another are one`() throws {
        let text = PNGFile.chunk("tEXt", Array("k\0secret".utf8))
        let png = PNGFile.write(width: 1, height: 1, depth: 8, colourType: 0, rows: [9], before: text)
        let parts = png.withUnsafeBytes { StrippedOriginal.parts(of: $0, .png) }
        // The signature and IHDR; IDAT and IEND.
        #expect(parts == [0..<33, (33 + text.count)..<png.count])
    }

    @Test func `a GIF keeps its frames and their timing, and loses its comments`() throws {
        let part = GIFFile.Part(
            left: 0, top: 0, width: 4, height: 4, indices: [UInt8](repeating: 1, count: 16))
        let comment: [UInt8] = [0x21, 0xFE, 6] + Array("secret".utf8) + [0]
        let application: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [1, 7, 0]
        func file(_ before: [UInt8]) -> [UInt8] {
            GIFFile.write(
                width: 4, height: 4, palette: [[1, 2, 3], [4, 5, 6]], parts: [part, part], loop: 2,
                before: before)
        }
        #expect(own(file(comment + application) + [1, 2], .gif) == file([]))
        // Some programs end an extension with an empty first sub-block, and others do not; what follows may look like
        // a frame.
        #expect(own(file([0x21, 0xFE, 0]), .gif) == file([]))
        for label in [0x01, 0xF9, 0xFF] as [UInt8] { #expect(own(file([0x21, label, 0]), .gif) == nil) }
    }

    @Test(arguments: [(60, 60), (40, 40), (0, 0), (60, 0), (2_049, 60)])
    func `a GIF whose screen is not the picture that is told of is written anew`(
        width: Int, height: Int
    ) throws {
        let seed: UInt64 = 20_261_128
        var random = Lehmer(state: seed)
        // Noise of all colours, which takes more bytes when it is encoded again.
        let parts = (0..<2).map { _ in
            GIFFile.Part(
                left: 20, top: 20, width: 40, height: 40,
                indices: (0..<1_600).map { _ in UInt8(random.next() >> 60) })
        }
        let palette = (0..<16).map { (level: UInt8) -> [UInt8] in [level * 16, 255 - level * 16, level * 5] }
        let gif = GIFFile.write(
            width: width, height: height, palette: palette, parts: parts, loop: 0)
        let header = try ImageHeader.parse(gif)
        #expect((header.width, header.height) == (60, 60))
        let made = try TestRenderer.render(gif, .make(.gif, n: -1))
        #expect((made.result.width, made.result.height, made.result.pages) == (60, 60, 2))
        #expect(made.bytes[6..<10].elementsEqual([60, 0, 60, 0]))
        // The frames leave an edge free.
        #expect(made.header?.hasAlpha == true)
        #expect((made.bytes.count == gif.count) == (width == 60 && height == 60), "seed \(seed)")
    }

    @Test func `no hole is told of in an extension that has no room for it`() {
        let screen = Array("GIF89a".utf8) + [4, 0, 4, 0, 0, 0, 0]
        let frame: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 1, 9, 0, 0x3B]
        for (control, isMarked) in [([0x21, 0xF9, 1, 0, 0], false), ([0x21, 0xF9, 4, 0, 0, 0, 0, 0], true)]
            as [([UInt8], Bool)]
        {
            let file = screen + control + frame
            var marked = file
            marked.withUnsafeMutableBytes { GIFContainer.openHoles($0) }
            #expect((marked != file) == isMarked)
            #expect(marked.suffix(frame.count) == frame[...])
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .gif, .webp, .avif])
    func `a file that is cut anywhere, or spoilt, is never taken beyond its end`(format: ImageFormat) throws {
        let file =
            format == .gif
            ? GIFFile.write(
                width: 3, height: 3, palette: [[1, 2, 3]], frames: [[UInt8](repeating: 0, count: 9)],
                delays: [10], loop: 0)
            : try TestRenderer.render(PNGFile.write(gradient(16, 16)), .make(format)).bytes
        let kept = try #require(own(file, format))
        #expect(own(kept, format) == kept)
        for length in 0..<file.count {
            let cut = own(Array(file.prefix(length)), format)
            if format != .avif { #expect(cut == nil, "\(length)") }
        }
        for index in file.indices {
            for value in [0x00, 0x7F, 0xFF] as [UInt8] {
                var spoilt = file
                spoilt[index] = value
                #expect(own(spoilt, format)?.count ?? 0 <= file.count)
                spoilt.withUnsafeMutableBytes { if format == .gif { GIFContainer.openHoles($0) } }
            }
        }
    }

    @Test func `codings that browsers do not show are written anew`() throws {
        var file = try meagre(.jpeg)
        let frame = try #require(file.firstRange(of: [0xFF, 0xC0]))
        file[frame.lowerBound + 1] = 0xC9
        #expect(own(file, .jpeg) == nil)
        #expect(own(JPEGFile.flatCMYK(8, 8, [255, 0, 0, 0]), .jpeg) != nil)
        #expect(own(TIFFFile.write([.rgb(gradient(4, 4))]), .tiff) == nil)
    }

    @Test func `the limit holds for the original's bytes as for others`() throws {
        let file = try meagre(.jpeg)
        #expect(
            try TestRenderer.failure(file, .make(.jpeg), outputLimit: file.count - 1)
                == .outputTooLarge(.bytes(file.count - 1)))
        #expect(try TestRenderer.failure(file, .make(.jpeg), outputLimit: file.count) == nil)
    }
}
