// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import RandomInputs
import Recipes
import RequestGrammar
import Testing

@Suite struct BitmapTests {
    @Test(arguments: [1, 2, 4, 8, 16, 24, 32])
    func `a bitmap is read at every depth`(bits: Int) throws {
        let dib = BitmapFile.header(13, 7, bits) + BitmapFile.palette(bits)
        let file = BitmapFile.bmp(
            dib + BitmapFile.rows(13, 7, bits) { bitmapValue($0, $1, bits) }, rowsAt: dib.count)
        #expect(
            try TestRenderer.shown(file) == Canvas(13, 7) { bitmapColour(bitmapValue($0, $1, bits), bits) })
    }

    @Test func `masks say where the colours are, and a negative height that the first row comes first`()
        throws
    {
        let masks = [0xF800, 0x7E0, 0x1F].flatMap { BitmapFile.little($0, 4) }
        let rows = BitmapFile.rows(5, 3, 16) { _, y in [0xF800, 0x7E0, 0x1F][y] }
        let dib = BitmapFile.header(5, -3, 16, compression: 3) + masks
        let file = BitmapFile.bmp(dib + rows, rowsAt: dib.count)
        let colours: [[UInt8]] = [[0, 0, 255], [0, 255, 0], [255, 0, 0]]
        #expect(try TestRenderer.shown(file) == Canvas(5, 3) { colours[$1] })
    }

    @Test(arguments: [(124, 3), (108, 3), (56, 3), (40, 6)])
    func `a mask of its own says where alpha is`(length: Int, compression: Int) throws {
        let masks = [0xF00, 0xF0, 0xF, 0xF000]
        let dib = BitmapFile.header(5, 3, 16, compression: compression, length: length, masks: masks)
        let rows = BitmapFile.rows(5, 3, 16) { x, y in [0xFF00, 0x80F0, 0x000F][y] }
        let made = try TestRenderer.shown(BitmapFile.bmp(dib + rows, rowsAt: dib.count))
        #expect(made.bands == 4)
        #expect(made[0, 0] == [255, 0, 0, 255] && made[0, 1] == [0, 255, 0, 136] && made[0, 2][3] == 0)
    }

    @Test func `alpha that is 0 all over is none`() throws {
        let masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000]
        let dib = BitmapFile.header(5, 3, 32, compression: 3, length: 124, masks: masks)
        let rows = BitmapFile.rows(5, 3, 32) { _, _ in 0x10_2030 }
        #expect(
            try TestRenderer.shown(BitmapFile.bmp(dib + rows, rowsAt: dib.count))
                == Canvas(5, 3, of: [16, 32, 48, 255]))
    }

    @Test func `a fourth byte without a mask is not alpha`() throws {
        let dib = BitmapFile.header(5, 3, 32, length: 124, masks: [0, 0, 0, 0xFF00_0000])
        let rows = BitmapFile.rows(5, 3, 32) { _, _ in 0x7F10_2030 }
        #expect(
            try TestRenderer.shown(BitmapFile.bmp(dib + rows, rowsAt: dib.count))
                == Canvas(5, 3, of: [16, 32, 48]))
    }

    @Test func `the short header of OS/2 has the palette of later ones`() throws {
        let dib = Array(BitmapFile.header(13, 7, 4).prefix(16))
        let start = [UInt8(16)] + dib.dropFirst() + BitmapFile.palette(4)
        let file = BitmapFile.bmp(
            start + BitmapFile.rows(13, 7, 4) { bitmapValue($0, $1, 4) }, rowsAt: start.count)
        #expect(try TestRenderer.shown(file) == Canvas(13, 7) { bitmapColour(bitmapValue($0, $1, 4), 4) })
    }

    @Test(arguments: [4, 8, 24])
    func `a palette may be larger than pixels can use`(bits: Int) throws {
        var dib = BitmapFile.header(13, 7, bits)
        dib.replaceSubrange(32..<36, with: BitmapFile.little(300, 4))
        let palette = BitmapFile.palette(min(bits, 8))
        dib += palette + [UInt8](repeating: 7, count: 1_200 - palette.count)
        let file = BitmapFile.bmp(
            dib + BitmapFile.rows(13, 7, bits) { bitmapValue($0, $1, bits) }, rowsAt: dib.count)
        #expect(
            try TestRenderer.shown(file) == Canvas(13, 7) { bitmapColour(bitmapValue($0, $1, bits), bits) })
    }

    @Test func `whatever is damaged is refused or shown, and nothing beyond the bytes is read`() throws {
        let seed = SeededRandom(for: "Bitmap").seed
        var random = Lehmer(state: seed)
        let png = PNGFile.write(Canvas(16, 16, of: [1, 2, 3, 200]))
        let dib = BitmapFile.header(13, 7, 8) + BitmapFile.palette(8)
        let whole = [
            BitmapFile.ico([(16, BitmapFile.icon(16, 4)), (16, png), (16, BitmapFile.icon(16, 32))]),
            BitmapFile.bmp(dib + BitmapFile.rows(13, 7, 8) { bitmapValue($0, $1, 8) }, rowsAt: dib.count),
        ]
        for _ in 0..<400 {
            var file = whole[Int.random(in: 0...1, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                file[Int.random(in: 4..<min(90, file.count), using: &random)] =
                    [
                        0, 1, 2, 40, 127, 128, 255, UInt8.random(in: 0...255, using: &random),
                    ].randomElement(using: &random) ?? 0
            }
            if Bool.random(using: &random) {
                file.removeLast(Int.random(in: 0..<file.count - 30, using: &random))
            }
            guard let header = try? ImageHeader.parse(file), header.width * header.height < 1 << 20 else {
                continue
            }
            var recipe = try Recipe(canonical: "output=png")
            recipe.page = Int.random(in: -2...3, using: &random)
            do { _ = try TestRenderer.render(file, recipe, header: header) } catch let failure
                as ImagingFailure
            {
                guard case .damaged = failure else {
                    Issue.record("\(failure), seed \(seed)")
                    continue
                }
            }
        }
    }
}
