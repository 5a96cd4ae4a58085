// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import Recipes
import RequestGrammar
import Testing

/// Windows' formats, written plainly.
private enum BitmapFile {
    static func little(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Rows of the values of pixels, the lowest first, padded to 4 bytes.
    static func rows(_ width: Int, _ height: Int, _ bits: Int, _ value: (Int, Int) -> Int) -> [UInt8] {
        (0..<height).reversed().flatMap { y in
            var row = [UInt8](repeating: 0, count: (width * bits + 31) / 32 * 4)
            for x in 0..<width {
                let pixel = value(x, y)
                if bits < 8 {
                    row[x * bits / 8] |= UInt8(pixel << (8 - bits - x * bits % 8))
                } else {
                    for (index, byte) in little(pixel, bits / 8).enumerated() {
                        row[x * bits / 8 + index] = byte
                    }
                }
            }
            return row
        }
    }

    static func header(_ width: Int, _ height: Int, _ bits: Int, compression: Int = 0) -> [UInt8] {
        little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(bits, 2)
            + little(compression, 4) + [UInt8](repeating: 0, count: 20)
    }

    static func palette(_ bits: Int) -> [UInt8] {
        bits > 8 ? [] : (0..<1 << bits).flatMap { [UInt8(255 - $0), UInt8($0), 9, 0] }
    }

    static func bmp(_ dib: [UInt8], rowsAt: Int) -> [UInt8] {
        Array("BM".utf8) + little(14 + dib.count, 4) + little(0, 4) + little(14 + rowsAt, 4) + dib
    }

    static func ico(_ entries: [(size: Int, bytes: [UInt8])]) -> [UInt8] {
        var (directory, bodies) = (little(0, 2) + little(1, 2) + little(entries.count, 2), [UInt8]())
        let start = 6 + 16 * entries.count
        for entry in entries {
            let side = UInt8(truncatingIfNeeded: entry.size)
            directory += [side, side, 0, 0] + little(1, 2) + little(32, 2)
            directory += little(entry.bytes.count, 4) + little(start + bodies.count, 4)
            bodies += entry.bytes
        }
        return directory + bodies
    }
}

private func shown(_ file: [UInt8], _ query: String = "") throws -> Canvas {
    try #require(try Studio.develop(Studio.make(file, Recipe(canonical: "output=png&" + query)).bytes))
}

/// What a pixel's value means.
private func colour(_ value: Int, _ bits: Int) -> [UInt8] {
    guard bits > 8 else { return [9, UInt8(value), UInt8(255 - value)] }
    let width = bits == 16 ? 5 : 8
    let most = 1 << width - 1
    return [2, 1, 0].map { (band: Int) -> UInt8 in
        let level = (value >> (band * width)) & most
        return UInt8((level * 255 + most / 2) / most)
    }
}

/// Another value for each pixel, as far as the bits go.
private func value(_ x: Int, _ y: Int, _ bits: Int) -> Int {
    (x * 7_919 + y * 104_729) & (bits == 16 ? 0x7FFF : (1 << min(bits, 24)) - 1)
}

@Suite struct BitmapTests {
    @Test(arguments: [1, 4, 8, 16, 24, 32])
    func `a bitmap is read at every depth`(bits: Int) throws {
        let dib = BitmapFile.header(13, 7, bits) + BitmapFile.palette(bits)
        let file = BitmapFile.bmp(
            dib + BitmapFile.rows(13, 7, bits) { value($0, $1, bits) }, rowsAt: dib.count)
        #expect(try shown(file) == Canvas(13, 7) { colour(value($0, $1, bits), bits) })
    }

    @Test func `masks say where the colours are, and a negative height that the first row comes first`()
        throws
    {
        let masks = [0xF800, 0x7E0, 0x1F].flatMap { BitmapFile.little($0, 4) }
        let rows = BitmapFile.rows(5, 3, 16) { _, y in [0xF800, 0x7E0, 0x1F][y] }
        let dib = BitmapFile.header(5, -3, 16, compression: 3) + masks
        let file = BitmapFile.bmp(dib + rows, rowsAt: dib.count)
        let colours: [[UInt8]] = [[0, 0, 255], [0, 255, 0], [255, 0, 0]]
        #expect(try shown(file) == Canvas(5, 3) { colours[$1] })
    }

    /// A checkerboard of holes.
    private func icon(_ size: Int, _ bits: Int, alpha: Int = 0) -> [UInt8] {
        BitmapFile.header(size, size * 2, bits) + BitmapFile.palette(bits)
            + BitmapFile.rows(size, size, bits) { value($0, $1, bits) | (bits == 32 ? alpha << 24 : 0) }
            + BitmapFile.rows(size, size, 1) { ($0 + $1) % 2 }
    }

    @Test(arguments: [1, 4, 8, 24, 32])
    func `an icon is seen through its mask`(bits: Int) throws {
        let made = try shown(BitmapFile.ico([(16, icon(16, bits))]))
        for (x, y) in [(0, 0), (2, 4), (15, 15)] {
            #expect(made[x, y] == colour(value(x, y, bits), bits) + [255])
        }
        #expect(made[0, 1][3] == 0 && made[15, 0][3] == 0)
    }

    @Test func `alpha of its own comes before the mask`() throws {
        let made = try shown(BitmapFile.ico([(16, icon(16, 32, alpha: 128))]))
        #expect(made[0, 1] == colour(value(0, 1, 32), 32) + [128])
    }

    @Test(arguments: [("", 32), ("page=1", 256), ("page=2", 16), ("page=-1", 256), ("page=-2", 16)])
    func `a page is a picture of the icon, and a picture may be a PNG`(query: String, side: Int) throws {
        let png = PNGFile.write(Canvas(256, 256, of: [1, 2, 3, 200]))
        let file = BitmapFile.ico([(32, icon(32, 8)), (256, png), (16, icon(16, 24))])
        let made = try shown(file, query)
        #expect(made.size == PixelSize(width: side, height: side))
        if side == 256 { #expect(made[9, 9] == [1, 2, 3, 200]) }
    }

    @Test func `a picture that is not of the size that its entry tells is refused`() throws {
        let png = PNGFile.write(Canvas(300, 300, of: [1, 2, 3]))
        for file in [BitmapFile.ico([(16, icon(24, 8))]), BitmapFile.ico([(44, png)])] {
            #expect(throws: ImagingFailure.self) { try shown(file) }
        }
    }

    @Test func `whatever is damaged is refused or shown, and nothing beyond the bytes is read`() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = Lehmer(state: seed)
        let png = PNGFile.write(Canvas(16, 16, of: [1, 2, 3, 200]))
        let dib = BitmapFile.header(13, 7, 8) + BitmapFile.palette(8)
        let whole = [
            BitmapFile.ico([(16, icon(16, 4)), (16, png), (16, icon(16, 32))]),
            BitmapFile.bmp(dib + BitmapFile.rows(13, 7, 8) { value($0, $1, 8) }, rowsAt: dib.count),
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
            do { _ = try Studio.make(file, recipe, header: header) } catch let failure as ImagingFailure {
                guard case .damaged = failure else {
                    Issue.record("\(failure), seed \(seed)")
                    continue
                }
            }
        }
    }
}
