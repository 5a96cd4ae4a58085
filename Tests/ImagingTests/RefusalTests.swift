// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

private func isDamaged(_ failure: ImagingFailure?) -> Bool {
    if case .damaged = failure { true } else { false }
}

@Suite struct RefusalTests {
    @Test(
        arguments: [
            "vips_tracked: out of memory --- size == 12MB", "cvips_save_jpeg: Insufficient memory (case 4)",
            "heif: Memory allocation error: Unspecified", "webp: VP8_STATUS_OUT_OF_MEMORY",
            "webpsave: picture memory error",
        ])
    func `a lack of memory is told by libvips' words, and is no damage`(words: String) {
        #expect(ImagingFailure.ofPixels(words) == .outOfMemory(words))
        #expect(Sink(inMemory: 100).failure(words, limit: 100) == .outOfMemory(words))
    }

    @Test func `a lack of threads is the machine's, and all else is damage`() {
        let words = "glib: Error creating thread: Resource temporarily unavailable"
        #expect(ImagingFailure.ofPixels(words) == .unavailable(words))
        for words in [
            "VipsJpeg: premature end of file", "no reason given", "",
            // Words that a file contains, and limits of libraries.
            "glib: XML parse error: Error domain 1 code 23 on line 1: Entity 'out_of_memory' not defined",
            "glib: XML parse error: xmlns:q: 'Error creating thread' is not a valid URI",
            "heif: Memory allocation error: Security limit exceeded: Image size 20000x80 exceeds the maximum",
            "tiff2vips: Out of memory reading of \"StripOffsets\"",
        ] {
            #expect(ImagingFailure.ofPixels(words) == .damaged(words))
        }
    }

    @Test(arguments: [(1, true), (2, true), (3, false), (6, false), (9, false)] as [(Int32, Bool)])
    func `a lack of memory is told by libwebp's error number, and is no failure of the encoder`(
        error: Int32, isOfMemory: Bool
    ) {
        let words = WebPPlanes.words(error)
        let expected = isOfMemory ? ImagingFailure.outOfMemory(words) : .encoderFailed(words)
        #expect(words.contains("\(error)"))
        #expect(Sink(inMemory: 100).failure(words, limit: 100) == expected)
    }

    @Test(
        arguments: [
            ("webpsave: unable to encode webpsave: mux error", true),
            ("webpsave_buffer: anim add error", true), ("webpsave: mux error", false),
        ])
    func `libwebp lacks memory where a lossless file is not made, though libvips does not say so`(
        words: String, isOfMemory: Bool
    ) {
        let told = ImagingFailure.wordsOfLosslessWebP(words)
        let expected = isOfMemory ? ImagingFailure.outOfMemory(told) : .encoderFailed(told)
        #expect(told.hasSuffix(words))
        #expect(Sink(inMemory: 100).failure(told, limit: 100) == expected)
        // A lossy file may be too long for its format.
        #expect(Sink(inMemory: 100).failure(words, limit: 100) == .encoderFailed(words))
    }

    @Test func `an encoder that gives up is told apart from an output that cannot be written`() {
        let words = "libwebp: error 9"
        #expect(Sink(inMemory: 100).failure(words, limit: 100) == .encoderFailed(words))
        let output = Sink(descriptor: -1, limit: 100)
        #expect(output.failure(words, limit: 100) == .encoderFailed(words))
        #expect(!output.write([1]))
        #expect(output.failure(words, limit: 100) == .cannotWrite("write: errno 9"))
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif])
    func `a file whose end is missing is refused`(format: ImageFormat) throws {
        let png = PNGFile.write(gradient(200, 200))
        let whole = format == .png ? png : try TestRenderer.render(png, .make(format)).bytes
        let header = try ImageHeader.parse(whole)
        for recipe in [
            Recipe.make(.jpeg), .make(.png, w: 50), .make(.webp, w: 20, h: 30, .cover, .attention),
        ] {
            let cut = Array(whole.prefix(whole.count * 6 / 10))
            #expect(isDamaged(try TestRenderer.failure(cut, recipe, header: header)))
        }
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test(arguments: [0, 1, 4_095])
    func `a JPEG that lacks nothing but its last marker is made, wherever its last page ends`(
        bytesOnLastPage: Int
    ) throws {
        let made = try TestRenderer.render(PNGFile.write(gradient(200, 200)), .make(.jpeg)).bytes
        let header = try ImageHeader.parse(made)
        // A comment segment has four bytes besides its text, and the removed marker has two.
        let comment = (bytesOnLastPage + 2 * 4_096 - (made.count + 4 - 2) % 4_096) % 4_096
        let whole = JPEGFile.inserting(0xFE, [UInt8](repeating: 0x20, count: comment), into: made)
        let endless = Array(whole.dropLast(2))
        #expect(endless.count % 4_096 == bytesOnLastPage)
        for recipe in [Recipe.make(.png), .make(.png, w: 50)] {
            for lane in [true, false] {
                let expected = try TestRenderer.render(whole, recipe, header: header, jpegLane: lane).bytes
                #expect(
                    try TestRenderer.render(endless, recipe, header: header, jpegLane: lane).bytes == expected
                )
                // Half a marker.
                #expect(
                    try TestRenderer.render(endless + [0xFF], recipe, header: header, jpegLane: lane).bytes
                        == expected)
            }
            for missing in [8, 40] {
                let cut = Array(endless.dropLast(missing))
                #expect(isDamaged(try TestRenderer.failure(cut, recipe, header: header)), "\(missing) bytes")
            }
        }
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test(arguments: [false, true])
    func `data that break off are seen at every size, in one scan and in several`(interlaced: Bool) throws {
        var writing = Recipe.make(.jpeg)
        writing.interlaced = interlaced
        let whole = try TestRenderer.render(PNGFile.write(gradient(400, 400)), writing).bytes
        let header = try ImageHeader.parse(whole)
        #expect(header.isProgressive == interlaced)
        let endless = Array(whole.dropLast(2))
        for recipe in [
            Recipe.make(.jpeg), .make(.jpeg, w: 20), .make(.webp, w: 150), .make(.png, w: 20),
            .make(.gif, w: 90),
            .make(.jpeg, w: 100, h: 20, .cover, .top),
        ] {
            let expected = try TestRenderer.render(whole, recipe, header: header).bytes
            #expect(try TestRenderer.render(endless, recipe, header: header).bytes == expected)
            let cut = Array(endless.dropLast(40))
            #expect(isDamaged(try TestRenderer.failure(cut, recipe, header: header)))
        }
    }

    @Test func `a truncated picture is shown where that is wanted`() throws {
        let jpeg = try TestRenderer.render(PNGFile.write(gradient(200, 200)), .make(.jpeg)).bytes
        let cut = Array(jpeg.prefix(jpeg.count * 6 / 10))
        #expect(try TestRenderer.render(cut, .make(.png, w: 50), damaged: .show).result.width == 50)
    }

    @Test func `a size that only one of two parsers sees is refused`() throws {
        let canvas = gradient(64, 48)
        let tiff = TIFFFile.write([.rgb(canvas)])
        let png = PNGFile.write(canvas)
        let files =
            [tiff, png]
            + (try [ImageFormat.jpeg, .webp, .gif, .avif].map {
                try TestRenderer.render(png, .make($0)).bytes
            })
        for file in files {
            var header = try ImageHeader.parse(file)
            header.width = 32
            #expect(isDamaged(try TestRenderer.failure(file, .make(.png, w: 10), header: header)))
        }
    }

    @Test func `bytes of another format are refused by the loader that was named`() throws {
        let png = PNGFile.write(gradient(16, 16))
        for format in [ImageFormat.jpeg, .webp, .gif, .avif, .tiff] {
            let header = ImageHeader(format: format, width: 16, height: 16)
            #expect(isDamaged(try TestRenderer.failure(png, .make(.png), header: header)))
        }
        let gzip = [0x1F, 0x8B, 8, 0] + [UInt8](repeating: 0, count: 181)
        for format in [ImageFormat.jpeg, .png, .webp, .gif, .avif, .tiff] {
            let header = ImageHeader(format: format, width: 16, height: 16)
            #expect(isDamaged(try TestRenderer.failure(gzip, .make(.png), header: header)))
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .gif])
    func `not a byte more than allowed is written`(to: ImageFormat) throws {
        let png = PNGFile.write(gradient(200, 200))
        let whole = try TestRenderer.render(png, .make(to))
        let limit = whole.bytes.count
        #expect(try TestRenderer.render(png, .make(to), outputLimit: limit).bytes.count == limit)
        #expect(
            try TestRenderer.failure(png, .make(to), outputLimit: limit - 1)
                == .outputTooLarge(.bytes(limit - 1)))
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }

    @Test func `a side that its format cannot have is refused with the limit`() throws {
        let png = PNGFile.write(Canvas(200, 1, of: [1, 2, 3]))
        let recipe = Recipe.make(.webp, w: 16_384, enlarging: true)
        #expect(try TestRenderer.failure(png, recipe) == .outputTooLarge(.side(16_383)))
        #expect(try TestRenderer.render(png, .make(.jpeg, w: 16_384, enlarging: true)).result.width == 16_384)
    }

    @Test func `an original that is shorter than announced is refused`() throws {
        let png = PNGFile.write(gradient(8, 8))
        let header = try ImageHeader.parse(png)
        let (input, output) = (UnlinkedFile(png), UnlinkedFile([]))
        let job = ImagingJob(
            original: .init(input: input.descriptor, length: png.count + 1, header: header),
            recipe: .make(.png), defaults: EncoderDefaults(), output: output.descriptor,
            outputLimit: 1 << 20, pixelLimit: .max, damaged: .refuse)
        #expect(throws: ImagingFailure.self) { try TestRenderer.withEngine { try Engine.render(job) } }
    }

    @Test func `an output that cannot be written is told apart from a picture that cannot be read`() throws {
        let png = PNGFile.write(gradient(8, 8))
        let header = try ImageHeader.parse(png)
        let input = UnlinkedFile(png)
        let job = ImagingJob(
            original: .init(input: input.descriptor, length: png.count, header: header),
            recipe: .make(.jpeg), defaults: EncoderDefaults(), output: -1, outputLimit: 1 << 20,
            pixelLimit: .max, damaged: .refuse)
        do {
            _ = try TestRenderer.withEngine { try Engine.render(job) }
            Issue.record("it was written")
        } catch let failure as ImagingFailure {
            guard case .cannotWrite = failure else {
                Issue.record("\(failure)")
                return
            }
        }
    }

    @Test func `damage of any kind ends in a failure or a picture, and leaves nothing behind`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed \(seed)")
        var random = Lehmer(state: seed)
        let png = PNGFile.write(gradient(48, 48))
        let files =
            [png, TIFFFile.write([.rgb(gradient(48, 48))])]
            + (try [ImageFormat.jpeg, .webp, .gif].map { try TestRenderer.render(png, .make($0)).bytes })
        for file in files {
            let header = try ImageHeader.parse(file)
            for _ in 0..<40 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...12, using: &random) {
                    damaged[Int.random(in: 0..<file.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                _ = try TestRenderer.failure(damaged, .make(.jpeg, w: 24), header: header)
            }
        }
        #expect(TestRenderer.remainingPixelBytes() == 0)
    }
}
