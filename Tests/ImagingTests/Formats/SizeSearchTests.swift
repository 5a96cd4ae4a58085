// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

@Suite("The best quality is found whose file fits")
struct SizeSearchTests {
    @Test func `every limit is found within eight tries`() {
        for highest in 1...100 {
            for best in 0...100 {
                var search = SizeSearch(upTo: highest)
                while let quality = search.next {
                    #expect((1...highest).contains(quality))
                    search.record(quality, fits: quality <= best)
                }
                #expect(search.fitting == min(best, highest))
                #expect(search.tries <= SizeSearch.mostTries)
                if best >= highest { #expect(search.tries == 1) }
            }
        }
    }

    @Test func `what fits already is not tried again`() {
        for known in 0...100 {
            for best in known...100 {
                var search = SizeSearch(upTo: 89, above: known)
                while let quality = search.next {
                    #expect(quality > known)
                    search.record(quality, fits: quality <= best)
                }
                #expect(search.fitting == max(known, min(best, 89)))
                #expect(search.tries <= SizeSearch.mostTries)
            }
        }
    }

    /// Grey noise, which costs bytes at every quality, and has no colours that half the chroma would lose.
    private static let original: [UInt8] = {
        var random = Lehmer(state: 5)
        return PNGFile.write(
            Canvas(120, 80) { _, _ in
                Array(repeating: UInt8(truncatingIfNeeded: random.next() >> 8), count: 3)
            })
    }()

    @Test(arguments: ["jpg", "webp", "avif", "jpg&q=auto"])
    func `a file has no more bytes than are allowed, and one of the next quality has`(output: String) throws {
        func make(_ query: String) throws -> TestRenderer.RenderedFile {
            try TestRenderer.render(Self.original, Recipe(canonical: "output=\(query)"))
        }
        let plain = output.replacing("&q=auto", with: "")
        let whole = try make(output).bytes.count
        let limit = whole * 2 / 3
        let print = try make("\(output)&maxbytes=\(limit)")
        #expect(print.bytes.count <= limit)
        let quality = try #require(print.result.quality)
        #expect((2..<100).contains(quality) && print.result.tries <= 13)
        #expect(try make("\(plain)&q=\(quality)").bytes == print.bytes)
        #expect(try make("\(plain)&q=\(quality + 1)").bytes.count > limit)
        // A file that fits already stays as it is.
        let same = try make("\(output)&maxbytes=\(whole)")
        #expect(try same.bytes == make(output).bytes)
    }

    @Test func `where nothing fits, it is the lowest quality`() throws {
        let print = try TestRenderer.render(Self.original, Recipe(canonical: "output=jpg&maxbytes=1"))
        #expect(print.result.quality == 1)
        #expect(
            try print.bytes == TestRenderer.render(Self.original, Recipe(canonical: "output=jpg&q=1")).bytes)
    }

    @Test func `a drawing without loss that fits is not made worse`() throws {
        let drawing = PNGFile.write(quarters(200, 100))
        let lossless = try TestRenderer.render(drawing, Recipe(canonical: "output=webp&ll"))
        let print = try TestRenderer.render(
            drawing, Recipe(canonical: "output=webp&maxbytes=\(lossless.bytes.count)"))
        #expect(print.bytes.count <= lossless.bytes.count)
        #expect(try TestRenderer.decode(print.bytes) == TestRenderer.decode(drawing))
    }
}
