// SPDX-License-Identifier: Apache-2.0

import CEncoders
import CVips
import ImageHeaders
import PixelReference
import Recipes
import Testing

@Suite("AV1's ways with drawings are for drawings")
struct ScreenContentTests {
    /// An AVIF of the pixels by libheif, with AV1's tools for drawings or without.
    private static func encode(_ canvas: Canvas, asDrawing isDrawing: Bool, quality: Int32 = 65) throws
        -> [UInt8]
    {
        final class File {
            var bytes: [UInt8] = []
        }
        let file = File()
        var options = cavif_options(
            width: Int32(canvas.width), height: Int32(canvas.height),
            input: canvas.bands == 4 ? CAVIF_RGBA : CAVIF_RGB, quality: quality, effort: 1, half_chroma: true,
            lossless: false, notes: cencoders_notes())
        let writer = try #require(
            cavif_open(
                &options,
                { context, bytes, length in
                    guard let context, let bytes else { return -1 }
                    let file = Unmanaged<File>.fromOpaque(context).takeUnretainedValue()
                    file.bytes += UnsafeRawBufferPointer(start: bytes, count: length)
                    return 0
                }, Unmanaged.passUnretained(file).toOpaque()))
        defer { cavif_close(writer) }
        var stride: Int32 = 0
        let pixels = try #require(cavif_plane(writer, 0, &stride))
        let row = canvas.width * canvas.bands
        for y in 0..<canvas.height {
            canvas.samples.withUnsafeBytes {
                UnsafeMutableRawPointer(pixels + y * Int(stride)).copyMemory(
                    from: $0.baseAddress.unsafelyUnwrapped + y * row, byteCount: row)
            }
        }
        #expect(cavif_finish(writer, isDrawing) == 0)
        return file.bytes
    }

    /// A photograph under a sky of three levels, which libaom takes for screen content.
    private static let overexposed: Canvas = {
        let ground = photograph(256, 256)
        return Canvas(256, 256) { x, y in
            let level = UInt8(252 + (x &* 31 ^ y &* 17 ^ x &* y / 7) % 3)
            return y < 150 ? [level, level, level] : ground[x, y]
        }
    }()

    private static let drawing = Canvas(256, 192) { x, y in
        [[250, 250, 250], [20, 60, 160], [230, 120, 20], [0, 0, 0]][(x / 9 ^ y / 7 ^ x / 40 * (y / 31)) & 3]
    }

    @Test func `a drawing is written with them`() throws {
        let made = try TestRenderer.render(PNGFile.write(Self.drawing), .make(.avif, q: 65))
        #expect(try made.bytes == Self.encode(Self.drawing, asDrawing: true))
        #expect(try made.bytes.count < Self.encode(Self.drawing, asDrawing: false).count)
    }

    @Test func `a photograph is written without them`() throws {
        let made = try TestRenderer.render(PNGFile.write(Self.overexposed), .make(.avif, q: 65))
        #expect(try made.bytes == Self.encode(Self.overexposed, asDrawing: false))
        #expect(try made.bytes.count < Self.encode(Self.overexposed, asDrawing: true).count)
    }

    @Test func `a colour counts also if it fills its rows`() throws {
        let rows = Canvas(2, 3_000) { _, y in
            [UInt8(truncatingIfNeeded: y), UInt8(truncatingIfNeeded: y >> 8), 7]
        }
        #expect(try TestRenderer.flatness(rows, mostColours: 3_000) == 1)
        #expect(try TestRenderer.flatness(rows, mostColours: 2_999) == 0)
        #expect(try TestRenderer.flatness(rows, mostColours: 2_000) == 0)
    }

    @Test func `what has no pixels of its own is refused in words`() throws {
        var options = cavif_options(
            width: 0, height: 0, input: CAVIF_RGB, quality: 65, effort: 1, half_chroma: true,
            lossless: false, notes: cencoders_notes())
        let writer = cavif_open(&options, { _, _, _ in 0 }, nil)
        defer { writer.map { cavif_close($0) } }
        if let writer {
            #expect(cavif_finish(writer, false) != 0)
            #expect(!String(cString: cavif_error(writer)).isEmpty)
        }
    }

    @Test func `grey and alpha are written as ever`() throws {
        let grey = Canvas(90, 70) { x, y in [UInt8(truncatingIfNeeded: x * 3 + y)] }
        let soft = Canvas(90, 70) { x, y in [200, UInt8(x), UInt8(y), UInt8(x * 2)] }
        for (canvas, hasAlpha) in [(grey, false), (soft, true)] {
            let made = try TestRenderer.render(PNGFile.write(canvas), .make(.avif, q: 90))
            #expect(made.header?.hasAlpha == hasAlpha)
            let seen = try #require(try TestRenderer.decode(made.bytes))
            for (x, y) in [(5, 5), (44, 35), (80, 60)] {
                let (own, expected) = (seen[x, y], canvas[x, y])
                #expect(abs(Int(own[own.count - 1]) - Int(expected[expected.count - 1])) <= 8)
            }
        }
    }
}
