// SPDX-License-Identifier: Apache-2.0
// Unwanted behaviour of libvips 8.14, each with a test that it does not occur here.

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private func photo() throws -> [UInt8] {
    try TestRenderer.render(PNGFile.write(gradient(64, 48)), .make(.jpeg, q: 90)).bytes
}

private func animation() -> [UInt8] {
    let frames = (0..<3).map { frame in [UInt8](repeating: UInt8(frame), count: 40 * 30) }
    return GIFFile.write(
        width: 40, height: 30, palette: [[200, 0, 0], [0, 200, 0], [0, 0, 200]], frames: frames,
        delays: [70, 70, 70], loop: 0)
}

@Suite struct TrapTests {
    @Test func `sniffing a gzip header would spin for ever: it is no picture, and no loader sees it`() {
        for file in [[0x1F, 0x8B, 8, 0], [0x1F, 0x8B] + [UInt8](repeating: 0, count: 183)] as [[UInt8]] {
            #expect(throws: ImageHeaderError.notAnImage) { try ImageHeader.parse(file) }
        }
    }

    @Test func `webpsave ignores strip: the camera's position does not leave in WebP`() throws {
        let original = JPEGFile.withEXIF(EXIF.withPosition, try photo())
        let made = try TestRenderer.render(original, .make(.webp, w: 32))
        #expect(WebPFile.chunks(made.bytes).map(\.name) == ["VP8 "])
        #expect(made.bytes.firstRange(of: Array("secret".utf8)) == nil)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp])
    func `fail_on is ignored by buffers: half a picture is refused, unless it may be shown`(
        format: ImageFormat
    ) throws {
        // Our own PNG is not compressed; a few hundred compressed bytes would be lost as one block.
        let png = PNGFile.write(gradient(300, 300))
        let whole = format == .png ? png : try TestRenderer.render(png, .make(format, q: 95)).bytes
        let half = Array(whole.prefix(whole.count * 6 / 10))
        guard case .damaged? = try TestRenderer.failure(half, .make(.png)) else {
            Issue.record("half a \(format) was served")
            return
        }
        // libwebp decodes nothing of a truncated still picture.
        guard format != .webp else { return }
        let shown = try TestRenderer.render(half, .make(.png), damaged: .show)
        let pixels = try #require(try TestRenderer.decode(shown.bytes))
        #expect(pixels.size == PixelSize(width: 300, height: 300))
        #expect(distance(pixels[150, 20], [128, 17, 128]) <= 12)
    }

    @Test func `exporting to sRGB shifts white: it stays 255, with a profile and without`() throws {
        let white = try TestRenderer.render(
            PNGFile.write(Canvas(32, 32, of: [255, 255, 255])), .make(.jpeg, q: 95)
        )
        .bytes
        for profile in [
            nil, MatrixProfile.sRGB.file(), MatrixProfile.displayP3.file(), MatrixProfile.adobeRGB.file(),
        ] {
            let file = profile.map { JPEGFile.withProfile($0, white) } ?? white
            let pixels = try #require(
                try TestRenderer.decode(TestRenderer.render(file, .make(.png, w: 10)).bytes))
            #expect(pixels[5, 5] == [255, 255, 255])
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif])
    func `profiles stay on after they were applied: none leaves`(to: ImageFormat) throws {
        let inks = JPEGFile.flatCMYK(32, 32, [90, 200, 140, 230])
        let files = [
            JPEGFile.withProfile(MatrixProfile.displayP3.file(space: "CMYK"), inks), inks,
            JPEGFile.withProfile(MatrixProfile.displayP3.file(), try photo()),
        ]
        for file in files {
            let made = try TestRenderer.render(file, .make(to, w: 16))
            for words in ["ICC_PROFILE", "iCCP", "ICCP", "acsp", "prof"] {
                #expect(!made.bytes.contains(words.utf8))
            }
        }
    }

    @Test(arguments: [
        "w=20&h=20&fit=cover", "cx=5&cy=5&cw=20&ch=10", "cx=5&cy=5&cw=20&ch=10&precrop", "ro=90", "ro=30",
        "mask=circle",
        "flip", "blur=2", "w=20&h=40&fit=contain", "trim",
    ])
    func `an animation is cut as one tall strip: every step sees a frame, and keeps them all`(query: String)
        throws
    {
        let made = try TestRenderer.render(animation(), Recipe(canonical: "output=webp&n=-1&q=95&" + query))
        #expect(made.result.pages == 3 && made.header?.pages == 3)
        for frame in 0..<3 {
            let pixels = try #require(try TestRenderer.decode(made.bytes, frame: frame))
            let middle = pixels[pixels.width / 2, pixels.height / 2]
            #expect(middle[frame] > 150 && middle[(frame + 1) % 3] < 60)
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .avif])
    func `an animation becomes one tall still: a still has one frame`(to: ImageFormat) throws {
        #expect(try TestRenderer.render(animation(), .make(to, n: -1)).result.height == 30)
    }

    @Test func `a scale below 0.001 is dropped and a giant drawing is made whole: it is refused`() throws {
        let giant = Array("<svg xmlns='http://www.w3.org/2000/svg' width='10000000' height='10000000'/>".utf8)
        #expect(throws: ImagingFailure.self) { try TestRenderer.render(giant, .make(.png, w: 100)) }
    }

    @Test func `a damaged picture prints hundreds of lines: they are counted`() throws {
        let before = TestRenderer.withEngine { Engine.warnings }
        let whole = PNGFile.write(gradient(64, 64))
        _ = try? TestRenderer.render(Array(whole.prefix(whole.count / 2)), .make(.png), damaged: .show)
        #expect(TestRenderer.withEngine { Engine.warnings } >= before)
    }

    @Test func `the operation cache returns what a file was: the same descriptor gives what it is`() throws {
        for colour in [[200, 0, 0], [0, 0, 200]] as [[UInt8]] {
            let made = try TestRenderer.render(PNGFile.write(Canvas(8, 8, of: colour)), .make(.png))
            #expect(try TestRenderer.decode(made.bytes)?[4, 4] == colour)
        }
    }
}
