// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

/// Each pixel contains its column and its row.
private let grid = Canvas(30, 20) { x, y in [UInt8(x), UInt8(y), 7] }

@Suite struct TurnOrderTests {
    @Test(
        arguments: ["cx=4&cy=9&cw=10&ch=12", "cx=50%25&ch=25%25", "cx=25"],
        ["ro=90", "ro=270", "flip", "flop", "ro=180"])
    func `turned first, a rectangle is one of the turned picture`(crop: String, turn: String) throws {
        let turned = try picture(grid, turn)
        #expect(try picture(grid, "preturn&\(turn)&\(crop)") == picture(turned, crop))
    }

    @Test func `it is turned before a cut out of the original as well`() throws {
        let turned = try picture(grid, "ro=90")
        let query = "cx=4&cy=9&cw=10&ch=12&w=20&we=0&precrop"
        #expect(try picture(grid, "preturn&ro=90&\(query)") == picture(turned, query))
    }

    @Test(arguments: ["top", "bottom-left", "focal&fpx=0.2&fpy=0.9"])
    func `an alignment is that of the turned picture`(alignment: String) throws {
        let query = "w=20&h=20&fit=cover&a=\(alignment)"
        #expect(try picture(grid, "preturn&flip&\(query)") == picture(picture(grid, "flip"), query))
    }

    @Test func `the box is not turned along`() throws {
        // 30 × 20 is resized to 30 × 20 and turned to 20 × 30, of which a box of 30 × 20 takes the middle.
        let made = try picture(grid, "preturn&ro=90&w=30&h=20&fit=cover")
        #expect(made == Canvas(20, 20) { x, y in [UInt8(5 + y), UInt8(19 - x), 7] })
        let barred = try picture(grid, "preturn&ro=90&w=60&h=20&fit=contain&cbg=102030")
        #expect(barred.size == PixelSize(width: 60, height: 20))
        #expect(barred[19, 0] == [0x10, 0x20, 0x30] && barred[20, 0] == [5, 19, 7])
    }

    @Test func `a mirror comes before a rotation by another angle`() throws {
        let mirrored = try picture(grid, "flop")
        #expect(try picture(grid, "preturn&flop&ro=30&rbg=000") == picture(mirrored, "ro=30&rbg=000"))
    }

    @Test(arguments: [
        "ro=90&cw=7&ch=11", "ro=90&cw=7&ch=11&precrop&w=14&we=0", "ro=90&w=30&h=20&fit=cover",
        "ro=90&w=60&h=20&fit=contain", "w=60&h=20&fit=contain&cw=7&ch=11", "w=90&h=60&fit=contain&cw=7&ch=11",
    ])
    func `the header tells the size of the result`(query: String) throws {
        let recipe = try Recipe(canonical: "preturn&" + query)
        let header = try ImageHeader.parse(PNGFile.write(grid))
        #expect(try picture(grid, "preturn&" + query).size == recipe.resultSize(for: header))
    }
}
