// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite struct PageTests {
    /// Each level has a colour of its own.
    private func pyramid(_ sizes: [(Int, Int)], orientation: Int = 1) -> [UInt8] {
        let colours: [[UInt8]] = [[200, 0, 0], [0, 200, 0], [0, 0, 200], [200, 200, 0]]
        let pages = zip(sizes, colours).map { TIFFFile.Page.rgb(Canvas($0.0, $0.1, of: $1)) }
        return TIFFFile.write(pages, orientation: orientation)
    }

    @Test(arguments: [
        ("", 0, 400, 201), ("w=201", 0, 201, 101), ("w=200", 1, 200, 101), ("w=101", 1, 101, 51),
        ("w=100", 2, 100, 51), ("h=50", 3, 50, 50), ("w=10&h=10&fit=fill", 3, 10, 10),
        ("w=25%25", 0, 100, 50),
        ("w=200&trim", 0, 200, 101), ("w=900&we=0", 0, 900, 452),
    ])
    func `of a pyramid the smallest level that is large enough is taken`(
        query: String, level: Int, width: Int, height: Int
    ) throws {
        let file = pyramid([(400, 201), (200, 101), (100, 51), (50, 26)])
        let made = try TestRenderer.shown(file, query)
        // 26 rows are too few for 50.
        let expected = query == "h=50" ? 2 : level
        #expect(made[0, 0] == [[200, 0, 0], [0, 200, 0], [0, 0, 200], [200, 200, 0]][expected])
        if query != "h=50" { #expect(made.size == PixelSize(width: width, height: height)) }
    }

    @Test func `pages that are no halves are no pyramid`() throws {
        #expect(
            try TestRenderer.shown(pyramid([(400, 200), (200, 100), (90, 50)]), "w=20")[0, 0] == [200, 0, 0])
        #expect(try TestRenderer.shown(pyramid([(400, 200), (400, 200)]), "w=20")[0, 0] == [200, 0, 0])
    }

    @Test func `a level whose pixels are not there is not needed`() throws {
        let file = Array(pyramid([(400, 201), (200, 101)]).dropLast(20_000))
        #expect(try TestRenderer.shown(file, "w=200")[150, 99] == [200, 0, 0])
        #expect(throws: ImagingFailure.self) { try TestRenderer.shown(file, "page=1") }
    }

    @Test func `a level lies as its pyramid lies`() throws {
        let made = try TestRenderer.shown(pyramid([(400, 200), (200, 100)], orientation: 6), "w=100")
        #expect(made.size == PixelSize(width: 100, height: 200) && made[0, 0] == [0, 200, 0])
    }

    @Test(arguments: [
        ("", 30, 20), ("page=1", 40, 80), ("page=2", 20, 10), ("page=-1", 40, 80), ("page=-2", 20, 10),
        ("page=1&w=100&we=0", 100, 200), ("page=-2&w=100&we=0", 100, 50),
    ])
    func `a page of a document has its own size`(query: String, width: Int, height: Int) throws {
        let made = try TestRenderer.shown(PDFFile.write([(30, 20), (40, 80), (20, 10)]), query)
        #expect(made.size == PixelSize(width: width, height: height))
    }

    @Test(arguments: [
        ("", 52, 40), ("page=1", 80, 50), ("page=2", 110, 60), ("page=-1", 110, 60), ("page=-2", 52, 40),
        ("page=1&w=40", 40, 25), ("page=2&w=220&we=0", 220, 120),
    ])
    func `a page of a TIFF has its own size, larger than the first or not`(
        query: String, width: Int, height: Int
    ) throws {
        let made = try TestRenderer.shown(pyramid([(52, 40), (80, 50), (110, 60)]), query)
        #expect(made.size == PixelSize(width: width, height: height))
    }

    @Test func `a page larger than its header told is damage`() throws {
        let file = pyramid([(52, 40), (80, 50)])
        let header = ImageHeader(format: .tiff, width: 52, height: 40, pages: 2)
        var recipe = Recipe()
        recipe.output = .format(.png)
        #expect(try TestRenderer.failure(file, recipe, header: header) == nil)
        recipe.page = 1
        guard case .damaged = try TestRenderer.failure(file, recipe, header: header) else {
            Issue.record("it was made")
            return
        }
    }

    @Test func `a page whose samples are of a kind that is not read is refused, and no level of a pyramid`()
        throws
    {
        // Integers of 32 bits.
        let odd = TIFFFile.Page(
            width: 40, height: 20, bits: [32], photometric: 1,
            samples: [UInt8](repeating: 128, count: 40 * 20 * 4))
        let file = TIFFFile.write([.rgb(Canvas(80, 40, of: [200, 0, 0])), odd])
        for query in ["page=1", "page=-2"] {
            let recipe = try Recipe(canonical: "output=png&\(query)")
            #expect(try TestRenderer.failure(file, recipe) == .codingNotRead, "\(query)")
        }
        for query in ["w=80", "w=40", "page=-1"] {
            #expect(try TestRenderer.shown(file, query)[0, 0] == [200, 0, 0], "\(query)")
        }
    }

    @Test func `a page that is not there is told with how many there are`() throws {
        for (pages, page) in [(1, 1), (1, 99), (3, 3)] {
            let file = PDFFile.write(Array(repeating: (30, 20), count: pages))
            let recipe = try Recipe(canonical: "output=png&page=\(page)")
            #expect(try TestRenderer.failure(file, recipe) == .noSuchPage(pages: pages), "\(page)")
        }
    }
}
