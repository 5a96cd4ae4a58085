// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Testing

@Suite struct PNGHeaderTests {
    private typealias Sample = SampleHeaders

    @Test func `size comes from IHDR`() throws {
        #expect(try ImageHeader.parse(Sample.png()) == ImageHeader(format: .png, width: 640, height: 480))
    }

    @Test func `alpha comes from the colour type or tRNS`() throws {
        for (colour, alpha) in [(UInt8(0), false), (2, false), (3, false), (4, true), (6, true)] {
            #expect(try ImageHeader.parse(Sample.png(colour: colour)).hasAlpha == alpha)
        }
        #expect(try ImageHeader.parse(Sample.png(before: Sample.chunk("tRNS", [0, 0]))).hasAlpha)
    }

    @Test func `orientation comes from eXIf`() throws {
        let exif =
            Sample.chunk("tEXt", Array(repeating: 0, count: 40_000)) + Sample.chunk("eXIf", Sample.exif(5))
        #expect(try ImageHeader.parse(Sample.png(before: exif)).orientation == 5)
    }

    @Test func `an animated PNG is a still`() throws {
        let control = Sample.chunk("acTL", Sample.big(9, 4) + Sample.big(0, 4))
        #expect(try ImageHeader.parse(Sample.png(before: control)).pages == 1)
    }

    @Test func `no IHDR or an impossible size is damage`() {
        let noHeader = Array(Sample.png().prefix(8)) + Sample.chunk("tEXt", [UInt8](repeating: 0, count: 13))
        for bytes in [Sample.png(width: 0), Sample.png(height: 0), Sample.png(width: 1 << 31), noHeader] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
        }
    }

    @Test func `a file that ends before its first pixels is damage`() {
        let start = Array(Sample.png().prefix(33))
        let chunks = Sample.chunk("tEXt", [1, 2, 3])
        let huge = Sample.big(0x3FFF_FFFF, 4) + Array("sCAL".utf8) + Sample.big(0, 4)
        for rest in [[], chunks, huge, chunks + huge, Sample.chunk("IEND", [])] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(start + rest) }
        }
    }

    @Test func `a file that ends in its pixels is for the decoder to judge`() throws {
        let bytes = Array(Sample.png().prefix(33)) + Sample.big(1_000, 4) + Array("IDAT".utf8)
        #expect(try ImageHeader.parse(bytes) == ImageHeader(format: .png, width: 640, height: 480))
    }
}

@Suite struct GIFHeaderTests {
    private typealias Sample = SampleHeaders

    @Test func `frames are counted over all kinds of blocks`() throws {
        let comment: [UInt8] = [0x21, 0xFE, 3, 1, 2, 3, 2, 0x2C, 0x2C, 0]
        let control = Sample.gifControl(transparent: false)
        let frames = (0..<5).flatMap { _ in comment + control + Sample.gifFrame() }
        #expect(
            try ImageHeader.parse(Sample.gif(frames))
                == ImageHeader(format: .gif, width: 64, height: 48, pages: 5))
    }

    @Test func `a frame with a transparent colour makes alpha`() throws {
        let frames = Sample.gifFrame() + Sample.gifControl(transparent: true) + Sample.gifFrame()
        #expect(try ImageHeader.parse(Sample.gif(frames)).hasAlpha)
    }

    @Test func `a cut animation has the frames until the cut`() throws {
        let bytes = Sample.gif(Sample.gifFrame() + Sample.gifFrame() + Sample.gifFrame())
        #expect(try ImageHeader.parse(Array(bytes.dropLast(Sample.gifFrame().count))).pages == 2)
        // A part of the third frame's data is there.
        #expect(try ImageHeader.parse(Array(bytes.dropLast(3))).pages == 3)
    }

    @Test func `the first frame may enlarge the screen, the others may not`() throws {
        let large = Sample.gifFrame(left: 10, top: 20, width: 64, height: 48)
        let grown = try ImageHeader.parse(Sample.gif(large))
        #expect(grown.width == 74 && grown.height == 68)
        let kept = try ImageHeader.parse(Sample.gif(Sample.gifFrame() + large))
        #expect(kept.width == 64 && kept.height == 48)
    }

    @Test(arguments: [(640, 480), (640, 512), (800, 600), (1_024, 768), (1_280, 1_024), (1_600, 1_200)])
    func `a screen of a monitor's size is believed`(width: Int, height: Int) throws {
        let header = try ImageHeader.parse(Sample.gif(width: width, height: height, Sample.gifFrame()))
        #expect(header.width == width && header.height == height)
    }

    @Test(arguments: [(0, 48), (2_049, 10), (65_535, 65_535)])
    func `a screen that is not believed is as large as its first frame`(width: Int, height: Int) throws {
        let header = try ImageHeader.parse(Sample.gif(width: width, height: height, Sample.gifFrame()))
        #expect(header.width == 64 && header.height == 48)
    }

    @Test func `no frame is damage`() {
        for bytes in [Sample.gif([]), Sample.gif([0x00]), Sample.gif(Sample.gifControl(transparent: true))] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(bytes) }
        }
    }
}

@Suite struct WebPHeaderTests {
    private typealias Sample = SampleHeaders

    @Test func `lossy pictures have 14-bit sides`() throws {
        let header = try ImageHeader.parse(Sample.webp(Sample.vp8(width: 16_383, height: 5, scale: 3)))
        #expect(header == ImageHeader(format: .webp, width: 16_383, height: 5))
        var damaged = Sample.webp(Sample.vp8())
        damaged[23] = 0
        #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(damaged) }
    }

    @Test func `lossless pictures tell size and alpha`() throws {
        let opaque = try ImageHeader.parse(Sample.webp(Sample.vp8l(width: 16_384, height: 1)))
        #expect(opaque == ImageHeader(format: .webp, width: 16_384, height: 1))
        #expect(try ImageHeader.parse(Sample.webp(Sample.vp8l(alpha: true))).hasAlpha)
    }

    @Test func `extended pictures tell canvas, alpha, frames and orientation`() throws {
        let frame = Sample.webpChunk("ANMF", [1, 2, 3])
        let exif = Sample.webpChunk("EXIF", Sample.exif(6, bigEndian: true))
        let chunks = Sample.vp8x(width: 70_000, height: 3, flags: 0x1A) + frame + frame + frame + exif
        let expected = ImageHeader(
            format: .webp, width: 70_000, height: 3, pages: 3, orientation: 6, hasAlpha: true)
        #expect(try ImageHeader.parse(Sample.webp(chunks)) == expected)
    }

    // A picture of 640 × 480, and its frames: x, y, width, height, whether the area is cleared afterwards.
    @Test(arguments: [
        (false, [[0, 0, 640, 480, 0]]), (true, [[0, 0, 638, 480, 0]]), (true, [[0, 0, 640, 478, 0]]),
        (true, [[2, 0, 638, 480, 0]]), (true, [[0, 2, 640, 478, 0]]),
        (true, [[100, 100, 64, 64, 0], [0, 0, 640, 480, 0]]),
        // Frames with the changes, on a canvas that is covered.
        (false, [[0, 0, 640, 480, 0], [100, 100, 64, 64, 0], [200, 100, 64, 64, 0]]),
        // The area of a cleared frame is transparent.
        (true, [[0, 0, 640, 480, 1], [100, 100, 64, 64, 0]]),
        (true, [[0, 0, 640, 480, 0], [100, 100, 64, 64, 1], [200, 100, 64, 64, 0]]),
        (false, [[0, 0, 640, 480, 0], [100, 100, 64, 64, 1], [98, 98, 68, 66, 0]]),
        (false, [[0, 0, 640, 480, 1], [0, 0, 640, 480, 1]]),
    ])
    func `an animation has alpha where a frame leaves some of the canvas free`(
        hasAlpha: Bool, frames: [[Int]]
    ) throws {
        let chunks = frames.flatMap { frame in
            Sample.webpChunk(
                "ANMF",
                Sample.little(frame[0] / 2, 3) + Sample.little(frame[1] / 2, 3)
                    + Sample.little(frame[2] - 1, 3) + Sample.little(frame[3] - 1, 3) + Sample.little(100, 3)
                    + [UInt8(2 | frame[4])])
        }
        let header = try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 0x02) + chunks))
        #expect(header.hasAlpha == hasAlpha)
        #expect(header.pages == frames.count)
        // A still picture has no frames.
        #expect(try !ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 0x08) + chunks)).hasAlpha)
    }

    @Test func `an animation has alpha where a frame has, whatever its flag says`() throws {
        let (lossy, alpha) = (Sample.vp8(), Sample.webpChunk("ALPH", [0, 1]))
        let images = [
            (lossy, false), (alpha + lossy, true), (lossy + alpha, false), (Sample.vp8l(), false),
            (Sample.vp8l(alpha: true), true),
        ]
        for (image, hasAlpha) in images {
            // Place, sides − 1, milliseconds and blending.
            let head: [UInt8] = [0, 0, 0, 0, 0, 0, 127, 2, 0, 223, 1, 0, 100, 0, 0, 2]
            let frames = [lossy, image, lossy].flatMap { Sample.webpChunk("ANMF", head + $0) }
            let header = try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 0x02) + frames))
            #expect(header.hasAlpha == hasAlpha)
            #expect(header.pages == 3)
            // For a still picture, libwebp trusts the flag.
            #expect(try !ImageHeader.parse(Sample.webp(Sample.vp8x() + image)).hasAlpha)
        }
    }

    @Test func `a frame without a whole head has no alpha, whatever stands behind it`() throws {
        let head: [UInt8] = [0, 0, 0, 0, 0, 0, 127, 2, 0, 223, 1, 0, 100, 0, 0, 2]
        let empty = Sample.webpChunk("VP8L", [])
        // The first five bytes would be the header of a picture with alpha.
        let other = Sample.webpChunk("/\0\0\0", [UInt8](repeating: 0, count: 16))
        let cases: [([UInt8], [UInt8])] = [
            (empty, other), (empty + other, []), (Array(Sample.vp8l(alpha: true).prefix(12)), [0x10]),
        ]
        for (image, behind) in cases {
            let frame = Sample.webpChunk("ANMF", head + image)
            let header = try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 0x02) + frame + behind))
            #expect(header.pages == 1 && !header.hasAlpha, "\(image.count)")
        }
    }

    @Test func `EXIF may have JPEG's prefix, and is not looked for without its flag`() throws {
        let exif = Sample.webpChunk("EXIF", Array("Exif\0\0".utf8) + Sample.exif(7))
        let image = Sample.vp8()
        #expect(try ImageHeader.parse(Sample.webp(Sample.vp8x(flags: 8) + image + exif)).orientation == 7)
        #expect(try ImageHeader.parse(Sample.webp(Sample.vp8x() + image + exif)).orientation == 1)
    }

    @Test func `an animation without frames and an unknown first chunk are damage`() {
        for chunks in [Sample.vp8x(flags: 2), Sample.webpChunk("ICCP", [1, 2])] {
            #expect(throws: ImageHeaderError.damaged) { try ImageHeader.parse(Sample.webp(chunks)) }
        }
    }
}
