// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// Each pixel contains its column and its row.
private let grid = Canvas(60, 40) { x, y in [UInt8(x), UInt8(y), 7] }

@Suite struct CropTests {
    @Test(arguments: [
        ("cx=10&cy=5&cw=20&ch=8", 10, 5, 20, 8), ("cx=50&cw=30", 50, 0, 10, 40), ("cy=50%25", 0, 20, 60, 20),
        ("cx=99&cy=10&cw=10", 0, 10, 10, 30), ("cw=25%25&ch=5", 0, 0, 15, 5),
        ("cx=10&cy=5&cw=-20&ch=-8", 10, 5, 30, 27), ("cw=-59&ch=-40", 0, 0, 1, 40),
    ])
    func `a rectangle is cut out, as far as there is one`(
        query: String, x: Int, y: Int, width: Int, height: Int
    ) throws {
        let cut = try picture(grid, query)
        #expect(cut == Canvas(width, height) { [UInt8(x + $0), UInt8(y + $1), 7] })
    }

    @Test func `after the resize its pixels are the result's, before it the original's`() throws {
        let after = try picture(gradient(80, 40), "w=40&cx=20&cw=10")
        #expect(after.size == PixelSize(width: 10, height: 20))
        #expect(abs(Int(after[0, 0][0]) - 128) <= 6)
        let before = try picture(gradient(80, 40), "w=40&we=0&cx=20&cw=10&precrop")
        #expect(before.size == PixelSize(width: 40, height: 160))
        #expect(abs(Int(before[0, 0][0]) - 65) <= 4 && abs(Int(before[39, 0][0]) - 94) <= 4)
    }

    @Test(arguments: 1...8)
    func `a rectangle of a turned photo means the photo as it is seen`(orientation: Int) throws {
        let plain = try TestRenderer.render(PNGFile.write(quarters(64, 64)), .make(.jpeg, q: 98)).bytes
        let photo = JPEGFile.withEXIF(EXIF.orientation(orientation), plain)
        let whole = try #require(try TestRenderer.decode(try TestRenderer.render(photo, .make(.png)).bytes))
        for query in ["cx=4&cy=36&cw=20&ch=20", "cx=4&cy=36&cw=20&ch=20&precrop"] {
            let made = try TestRenderer.render(photo, Recipe(canonical: "output=png&" + query))
            let cut = try #require(try TestRenderer.decode(made.bytes))
            #expect(cut.size == PixelSize(width: 20, height: 20))
            #expect(distance(cut[10, 10], whole[14, 46]) <= 8)
        }
    }
}

@Suite struct TrimTests {
    private func framed(_ border: [UInt8], _ inside: [UInt8]) -> Canvas {
        Canvas(50, 40) { x, y in (12..<40).contains(x) && (6..<30).contains(y) ? inside : border }
    }

    @Test(arguments: [
        ([255, 255, 255], [30, 60, 90]), ([0, 0, 0], [30, 60, 90]), ([200], [20]),
        ([9, 200, 9, 255], [9, 9, 200, 255]),
        ([0, 0, 0, 0], [0, 0, 0, 255]), ([0, 0, 0, 0], [250, 250, 250, 255]), ([90, 255], [200, 255]),
        ([255, 255, 255, 255], [0, 0, 0, 0]),
    ])
    func `a border like the corner goes, by its colour or by its alpha`(border: [UInt8], inside: [UInt8])
        throws
    {
        let trimmed = try picture(framed(border, inside), "trim")
        #expect(trimmed == Canvas(28, 24, of: inside))
    }

    @Test func `a border that varies less than the threshold goes, more stays`() throws {
        let noisy = Canvas(50, 40) { x, y in
            (12..<40).contains(x) && (6..<30).contains(y)
                ? [20, 20, 20] : [UInt8(230 + (x * 7 + y * 3) % 20), 240, 240]
        }
        #expect(try picture(noisy, "trim=25").size == PixelSize(width: 28, height: 24))
        #expect(try picture(noisy, "trim=1").size != PixelSize(width: 28, height: 24))
    }

    /// A block, and apart from it a line one pixel wide below and a dot at the right.
    private func drawing(_ border: [UInt8], _ line: [UInt8]) -> Canvas {
        Canvas(50, 40) { x, y in
            let isBlock = (12..<30).contains(x) && (6..<30).contains(y)
            let isLine = (5..<45).contains(x) && y == 37
            return isBlock || isLine || (x, y) == (47, 20) ? line : border
        }
    }

    @Test(arguments: [
        ([255, 255, 255], [0, 0, 0]), ([200], [20]), ([0, 0, 0, 0], [0, 0, 0, 255]),
        ([90, 255], [200, 255]),
        ([255, 255, 255, 255], [200, 0, 0, 255]),
    ])
    func `a line of a pixel is no border`(border: [UInt8], line: [UInt8]) throws {
        #expect(try picture(drawing(border, line), "trim").size == PixelSize(width: 43, height: 32))
    }

    @Test func `a pixel unlike its neighbours is noise in a scan`() throws {
        let scan = TIFFFile.write([.rgb(drawing([255, 255, 255], [0, 0, 0]))])
        let made = try TestRenderer.render(scan, Recipe(canonical: "output=png&trim"))
        #expect((made.result.width, made.result.height) == (18, 24))
    }

    @Test func `a border of a named colour goes, another stays`() throws {
        let canvas = framed([255, 0, 0], [30, 60, 90])
        #expect(try picture(canvas, "trim&tbg=red").size == PixelSize(width: 28, height: 24))
        // Nothing in the picture is white, so there is no border.
        #expect(try picture(canvas, "trim&tbg=white").size == PixelSize(width: 50, height: 40))
    }

    /// 15 differs from it by 10, and 16 by more.
    @Test(arguments: ["15", "15,255"])
    func `a border of a named grey goes as far as the threshold`(border: String) throws {
        let border = border.split(separator: ",").compactMap { UInt8($0) }
        let inside = [UInt8(16)] + border.dropFirst()
        let made = try picture(framed(border, inside), "trim=10&tbg=050505")
        #expect(made == Canvas(28, 24, of: inside))
    }

    @Test(arguments: [(1, 9), (9, 1), (2, 9), (9, 2)])
    func `a drawing is trimmed however thin it is`(width: Int, height: Int) throws {
        let canvas = Canvas(width, height) { x, y in (3..<5).contains(max(x, y)) ? [0] : [255] }
        let made = try picture(canvas, "trim")
        #expect(made == Canvas(min(width, 2), min(height, 2), of: [0]))
    }

    @Test func `a transparent border is none of an opaque picture`() throws {
        let black = framed([0, 0, 0], [30, 60, 90])
        for colour in ["transparent", "80000000"] {
            #expect(try picture(black, "trim&tbg=\(colour)").size == PixelSize(width: 50, height: 40))
        }
        let clear = framed([0, 0, 0, 0], [30, 60, 90, 255])
        #expect(try picture(clear, "trim&tbg=transparent").size == PixelSize(width: 28, height: 24))
    }

    @Test func `the size is that of what remains`() throws {
        let made = try picture(framed([255, 255, 255], [30, 60, 90]), "trim&w=14")
        #expect(made.size == PixelSize(width: 14, height: 12))
        #expect(made[0, 0] == [30, 60, 90] && made[13, 11] == [30, 60, 90])
    }

    @Test func `what is nothing but border stays`() throws {
        #expect(
            try picture(Canvas(20, 10, of: [9, 9, 9]), "trim=200").size == PixelSize(width: 20, height: 10))
        #expect(try picture(Canvas(2, 2, of: [9, 9, 9]), "trim").size == PixelSize(width: 2, height: 2))
    }

    @Test func `what is trimmed may not be enlarged beyond the limit`() throws {
        let thin = Canvas(40, 60) { x, _ in x == 20 ? [0, 0, 0] : [255, 255, 255] }
        let wide = Canvas(40, 60) { x, _ in (18...21).contains(x) ? [0, 0, 0] : [255, 255, 255] }
        let recipe = try Recipe(canonical: "output=png&trim&w=1000&we=0")
        for canvas in [thin, wide] {
            do {
                let made = try TestRenderer.render(PNGFile.write(canvas), recipe, pixelLimit: 1_000_000)
                #expect(made.result.width * made.result.height <= 1_000_000)
            } catch let failure as ImagingFailure {
                #expect(failure == .outputTooLarge(.pixels(1_000_000)))
            }
        }
    }
}
