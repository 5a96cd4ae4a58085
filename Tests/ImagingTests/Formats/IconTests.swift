// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite struct IconTests {
    @Test(arguments: [1, 4, 8, 24, 32], [false, true])
    func `an icon is seen through its mask`(bits: Int, isTopDown: Bool) throws {
        let made = try TestRenderer.shown(
            BitmapFile.ico([(16, BitmapFile.icon(16, bits, isTopDown: isTopDown))]))
        for (x, y) in [(0, 0), (2, 4), (15, 15)] {
            #expect(made[x, y] == bitmapColour(bitmapValue(x, y, bits), bits) + [255])
        }
        #expect(made[0, 1][3] == 0 && made[15, 0][3] == 0)
    }

    @Test func `alpha of its own comes before the mask`() throws {
        let made = try TestRenderer.shown(BitmapFile.ico([(16, BitmapFile.icon(16, 32, alpha: 128))]))
        #expect(made[0, 1] == bitmapColour(bitmapValue(0, 1, 32), 32) + [128])
    }

    @Test(arguments: [
        ("", 256), ("page=1", 256), ("page=2", 16), ("page=-1", 256), ("page=-2", 16),
        ("w=8", 8), ("w=16", 16), ("w=17", 17), ("page=1&w=9", 9),
    ])
    func `a page is a picture of the icon, and a picture may be a PNG`(query: String, side: Int) throws {
        let png = PNGFile.write(Canvas(256, 256, of: [1, 2, 3, 200]))
        let file = BitmapFile.ico([
            (32, BitmapFile.icon(32, 8)), (256, png), (16, BitmapFile.icon(16, 24)),
        ])
        let made = try TestRenderer.shown(file, query)
        #expect(made.size == PixelSize(width: side, height: side))
        if side == 256 || query.hasPrefix("page=1") { #expect(distance(made[4, 4], [1, 2, 3, 200]) <= 1) }
    }

    /// Each of 32, 64, 16 and 48 pixels has its own colour.
    private var family: [UInt8] {
        BitmapFile.ico(
            [(32, 200), (64, 150), (16, 100), (48, 50)].map { size, level in
                (size, PNGFile.write(Canvas(size, size, of: [UInt8(level), 0, 0, 255])))
            })
    }

    @Test(arguments: [
        ("w=10", 100), ("w=16", 100), ("w=17", 200), ("w=32", 200), ("w=33", 50), ("w=48", 50),
        ("w=49", 150), ("w=64", 150), ("w=500", 150), ("w=500&we=0", 150), ("", 150), ("h=20", 200),
        ("w=10&h=40&fit=fill", 50), ("w=10&h=40", 100), ("w=10&h=40&fit=cover", 50), ("w=25%25", 150),
        ("w=20&trim", 150), ("page=1&w=10", 150), ("page=2&w=40&we=0", 100), ("page=-2&w=64&we=0", 100),
    ])
    func `the smallest picture that is large enough is taken, else the largest`(
        query: String, level: UInt8
    ) throws {
        #expect(try TestRenderer.shown(family, query)[3, 3][0] == level)
    }

    @Test func `percents are of the largest picture`() throws {
        #expect(try TestRenderer.shown(family, "w=25%25").size == PixelSize(width: 16, height: 16))
    }

    @Test func `of pictures of one size that of the most bits is taken`() throws {
        let file = BitmapFile.ico([
            (16, BitmapFile.icon(16, 4)), (16, BitmapFile.icon(16, 32, alpha: 77)),
            (16, BitmapFile.icon(16, 8)),
        ])
        for query in ["", "w=16", "page=-1", "page=-2"] {
            #expect(try TestRenderer.shown(file, query)[0, 1][3] == 77)
        }
    }

    @Test(arguments: [0, 16])
    func `a picture is of the size that it says itself`(told: Int) throws {
        let png = PNGFile.write(Canvas(300, 300, of: [1, 2, 3]))
        for (picture, side) in [
            (BitmapFile.icon(24, 8), 24), (BitmapFile.icon(48, 32, alpha: 9), 48), (png, 300),
        ] {
            #expect(
                try TestRenderer.shown(BitmapFile.ico([(told, picture)])).size
                    == PixelSize(width: side, height: side))
        }
    }

    @Test func `no picture is taken that is larger than what the limits were held against`() throws {
        let held = ImageHeader(format: .ico, width: 40, height: 40, pages: 4, hasAlpha: true)
        let made = try TestRenderer.render(family, Recipe(canonical: "output=png"), header: held)
        #expect((made.result.width, made.result.height) == (32, 32))
        for query in ["page=1", "page=3", "page=4"] {
            #expect(throws: ImagingFailure.self) {
                try TestRenderer.render(family, Recipe(canonical: "output=png&" + query), header: held)
            }
        }
    }

    @Test func `a bad entry does not spoil the good ones`() throws {
        var file = family
        // The second entry's offset.
        file.replaceSubrange(34..<38, with: [255, 255, 255, 0])
        #expect(try ImageHeader.parse(file).width == 48)
        #expect(try TestRenderer.shown(file)[3, 3][0] == 50)
        #expect(throws: ImagingFailure.self) { try TestRenderer.shown(file, "page=1") }
    }
}
