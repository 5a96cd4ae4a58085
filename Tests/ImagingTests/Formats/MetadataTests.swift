// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite struct MetadataTests {
    @Test(arguments: [ImageFormat.jpeg, .png, .webp, .avif, .gif])
    func `no rendition tells where the camera was`(to: ImageFormat) throws {
        let plain = try TestRenderer.render(PNGFile.write(gradient(64, 48)), .make(.jpeg, q: 90)).bytes
        let xmp = Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>secret</x:xmpmeta>".utf8)
        var jpeg = JPEGFile.inserting(0xE1, xmp, into: plain)
        jpeg = JPEGFile.inserting(0xFE, Array("secret".utf8), into: jpeg)
        jpeg = JPEGFile.withEXIF(EXIF.withPosition, jpeg)
        jpeg = JPEGFile.withProfile(MatrixProfile.displayP3.file(), jpeg)
        for recipe in [Recipe.make(to), .make(to, w: 32)] {
            let bytes = try TestRenderer.render(jpeg, recipe).bytes
            for words in ["secret", "Exif", "EXIF", "xmpmeta", "XMP", "ICC_PROFILE", "ICCP", "iCCP", "acsp"] {
                #expect(bytes.firstRange(of: Array(words.utf8)) == nil, "\(words) in \(to)")
            }
        }
    }

    @Test func `a WebP's own metadata go too`() throws {
        let still = try TestRenderer.render(PNGFile.write(gradient(16, 16)), .make(.webp)).bytes
        let extended: [(name: String, payload: [UInt8])] =
            [("VP8X", [0x0C, 0, 0, 0, 15, 0, 0, 15, 0, 0])] + WebPFile.chunks(still)
            + [("EXIF", EXIF.withPosition), ("XMP ", Array("secret".utf8))]
        let made = try TestRenderer.render(WebPFile.write(extended), .make(.webp))
        #expect(WebPFile.chunks(made.bytes).map(\.name) == ["VP8 "])
    }
}

@Suite struct WebPContainerTests {
    private func strip(_ file: [UInt8]) -> [UInt8] {
        var file = file
        let parts = file.withUnsafeMutableBytes { WebPContainer.strip($0) }
        return parts.flatMap { Array(file[$0]) }
    }

    private let image: (name: String, payload: [UInt8]) = ("VP8 ", [1, 2, 3])

    @Test func `a plain still loses the extended header with its metadata`() {
        let file = WebPFile.write([
            ("VP8X", [0x2C, 0, 0, 0, 1, 0, 0, 1, 0, 0]), ("ICCP", [9]), image, ("EXIF", [7, 7]),
        ])
        #expect(strip(file) == WebPFile.write([image]))
    }

    @Test func `alpha and animation keep the header, with the flags of what remains`() {
        let file = WebPFile.write([
            ("VP8X", [0x3E, 0, 0, 0, 1, 0, 0, 1, 0, 0]), ("ICCP", [9]), ("ANIM", [0, 0, 0, 0, 0, 0]),
            ("ANMF", [5]),
            ("XMP ", [1]),
        ])
        let expected = WebPFile.write([
            ("VP8X", [0x12, 0, 0, 0, 1, 0, 0, 1, 0, 0]), ("ANIM", [0, 0, 0, 0, 0, 0]), ("ANMF", [5]),
        ])
        #expect(strip(file) == expected)
    }

    @Test func `a simple file and what is no WebP stay as they are`() {
        let simple = WebPFile.write([image])
        #expect(strip(simple) == simple)
        #expect(strip([1, 2, 3]) == [1, 2, 3])
        let cut = Array(WebPFile.write([("VP8X", [0x0C, 0, 0, 0, 1, 0, 0, 1, 0, 0]), image]).dropLast(3))
        #expect(strip(cut) == cut)
    }
}

@Suite struct PNGContainerTests {
    @Test func `texts are not unpacked, pixels are`() throws {
        // Compressed text of an unknown method, which a loader that looked at it would refuse or warn about.
        let texts = PNGFile.chunk("zTXt", Array("k\0\u{09}secret".utf8)) + PNGFile.chunk("sPLT", [1, 2, 3])
        let canvas = Canvas(2, 1) { x, _ in [UInt8(x), 20, 30] }
        let png = PNGFile.write(
            width: 2, height: 1, depth: 8, colourType: 2, rows: canvas.samples, before: texts)
        #expect(try TestRenderer.decode(png) == canvas)
        var muted = png
        muted.withUnsafeMutableBytes { PNGContainer.muteMetadata($0) }
        #expect(PNGFile.chunks(muted).map(\.name) == ["IHDR", "juNk", "juNk", "IDAT", "IEND"])
    }

    @Test func `of several profiles only the first is unpacked`() {
        let profiles = (0..<3).flatMap { _ in PNGFile.chunk("iCCP", Array("p\0\0zlib".utf8)) }
        var png = PNGFile.write(width: 1, height: 1, depth: 8, colourType: 0, rows: [9], before: profiles)
        png.withUnsafeMutableBytes { PNGContainer.muteMetadata($0) }
        #expect(PNGFile.chunks(png).map(\.name) == ["IHDR", "iCCP", "juNk", "juNk", "IDAT", "IEND"])
    }

    @Test func `any length of any file is walked without harm`() {
        let png = PNGFile.write(gradient(4, 4))
        for length in 0...png.count {
            var cut = Array(png.prefix(length))
            cut.withUnsafeMutableBytes { PNGContainer.muteMetadata($0) }
            #expect(cut == Array(png.prefix(length)))
        }
        var hostile = png
        for index in 8..<12 { hostile[index] = 0xFF }
        hostile.withUnsafeMutableBytes { PNGContainer.muteMetadata($0) }
    }
}
