// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// Corners of the upright picture, clockwise from the top left, when the stored picture's are red, green, white and
/// blue (EXIF 2.32, tag 0x0112: where row 0 and column 0 of the stored picture belong).
private let corners: [(orientation: Int, upright: String)] = [
    (1, "rgwb"), (2, "grbw"), (3, "wbrg"), (4, "bwgr"), (5, "rbwg"), (6, "brgw"), (7, "wgrb"), (8, "gwbr"),
]

private func letter(_ colour: [UInt8]) -> Character {
    switch (colour[0] > 127, colour[1] > 127, colour[2] > 127) {
    case (true, false, false): "r"
    case (false, true, false): "g"
    case (false, false, true): "b"
    case (true, true, true): "w"
    default: "?"
    }
}

private func read(_ canvas: Canvas) -> String {
    let (right, bottom) = (canvas.width - 3, canvas.height - 3)
    return String([canvas[2, 2], canvas[right, 2], canvas[right, bottom], canvas[2, bottom]].map(letter))
}

@Suite struct OrientationTests {
    @Test(arguments: corners)
    func `a photo stands upright, whatever way the camera was held`(
        orientation: Int, upright: String
    ) throws {
        let plain = try TestRenderer.render(PNGFile.write(quarters(64, 32)), .make(.jpeg, q: 95)).bytes
        let jpeg = JPEGFile.withEXIF(EXIF.orientation(orientation), plain)
        #expect(try ImageHeader.parse(jpeg).orientation == orientation)
        let sideways = orientation >= 5
        for (recipe, longSide) in [(Recipe.make(.png), 64), (.make(.png, w: sideways ? 16 : 32), 32)] {
            let made = try TestRenderer.render(jpeg, recipe)
            let canvas = try #require(try TestRenderer.decode(made.bytes))
            #expect(canvas.width == (sideways ? longSide / 2 : longSide))
            #expect(canvas.height == (sideways ? longSide : longSide / 2))
            #expect(read(canvas) == upright)
        }
    }

    @Test(arguments: corners)
    func `a page of a TIFF stands upright as it says itself, and not as the first one does`(
        orientation: Int, upright: String
    ) throws {
        var pages = [TIFFFile.Page.rgb(Canvas(40, 40, of: [9, 9, 9])), .rgb(quarters(64, 32))]
        (pages[0].orientation, pages[1].orientation) = (9 - orientation, orientation)
        let file = TIFFFile.write(pages)
        let sideways = orientation >= 5
        for page in [1, -1] {
            for (width, longSide) in [(nil, 64), (sideways ? 16 : 32, 32)] as [(Int?, Int)] {
                var recipe = Recipe.make(.png, w: width)
                recipe.page = page
                let canvas = try #require(
                    try TestRenderer.decode(TestRenderer.render(file, recipe).bytes))
                #expect(canvas.width == (sideways ? longSide / 2 : longSide))
                #expect(canvas.height == (sideways ? longSide : longSide / 2))
                #expect(read(canvas) == upright)
            }
        }
    }

    @Test func `a crop means the upright picture`() throws {
        let plain = try TestRenderer.render(PNGFile.write(quarters(64, 32)), .make(.jpeg, q: 95)).bytes
        let jpeg = JPEGFile.withEXIF(EXIF.orientation(6), plain)
        let made = try TestRenderer.render(jpeg, .make(.png, w: 32, h: 32, .cover, .top))
        let canvas = try #require(try TestRenderer.decode(made.bytes))
        // The upright picture's upper half; its left bottom quarter was stored blue.
        #expect(canvas.size == PixelSize(width: 32, height: 32))
        #expect(read(canvas) == "brrb")
    }
}
