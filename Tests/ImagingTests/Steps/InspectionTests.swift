// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private func inspected(_ file: [UInt8], _ extras: JSONExtras) throws -> [String: String] {
    var recipe = Recipe()
    recipe.output = .json
    recipe.jsonExtras = extras
    let made = try TestRenderer.render(file, recipe)
    return try JSONDecoder().decode([String: String].self, from: Data(made.bytes))
}

@Suite("What is learnt from the pixels comes as JSON")
struct InspectionTests {
    @Test(arguments: [ImageFormat.png, .jpeg, .webp])
    func `the average is that of the picture`(format: ImageFormat) throws {
        let png = PNGFile.write(Canvas(300, 200) { x, _ in x < 150 ? [250, 100, 0] : [50, 100, 200] })
        let file = try TestRenderer.render(png, .make(format, q: 95)).bytes
        let told = try inspected(file, [.average])
        #expect(Set(told.keys) == ["average"])
        let digits = try #require(told["average"]?.dropFirst())
        let colour = stride(from: 0, to: digits.count, by: 2).compactMap { start in
            UInt8(digits.dropFirst(start).prefix(2), radix: 16)
        }
        #expect(distance(colour, [150, 100, 100]) <= 4)
    }

    @Test func `a small picture's ThumbHash is that of its very pixels`() throws {
        let rgba = Sample.waves.rgba(40, 30, seed: 1)
        let png = PNGFile.write(Canvas(width: 40, height: 30, bands: 4, samples: rgba))
        let told = try inspected(png, [.thumbhash, .average])
        let hash = ThumbHash.make(width: 40, height: 30, rgba: rgba)
        #expect(told["thumbhash"] == Data(hash).base64EncodedString())
        #expect(Set(told.keys) == ["average", "thumbhash"])
    }

    /// The expected hashes come from PyPI's package `blurhash`, with four terms across and three down.
    @Test func `a BlurHash is what others make of the same pixels`() throws {
        for (canvas, hash) in [
            (gradient(40, 30), "L$Het82s$5X8l}WWjtf7gJfjfQfj"),
            (quarters(64, 48), "L~Lqe9l}e;pYoU[=o1J*fNo1fQa|"),
            (Canvas(20, 20, of: [200, 100, 50]), "L9M|T9}XfQ}X}XoKfQoKfQfQfQfQ"),
        ] {
            #expect(try inspected(PNGFile.write(canvas), [.blurhash]) == ["blurhash": hash])
        }
        let clear = PNGFile.write(Canvas(20, 20, of: [200, 100, 50, 0]))
        let white = PNGFile.write(Canvas(20, 20, of: [255, 255, 255]))
        #expect(try inspected(clear, [.blurhash]) == inspected(white, [.blurhash]))
    }

    @Test func `the dominant colour is that of most pixels, and not a mean of all`() throws {
        let drawing = Canvas(100, 60) { x, y in
            x < 45 ? [250, 240, 20] : y < 30 ? [10, 60, UInt8(100 + x % 3)] : [200, UInt8(10 + y), 90]
        }
        let told = try inspected(PNGFile.write(drawing), [.dominant, .average])
        #expect(told["dominant"] == "#faf014" && told["average"] != told["dominant"])
        // Colours on both sides of a cell's border.
        let border = Canvas(90, 30) { x, _ in
            x < 30 ? [127, 64, 64] : x < 60 ? [128, 64, 64] : [20, 20, UInt8(x * 2)]
        }
        #expect(try inspected(PNGFile.write(border), [.dominant]) == ["dominant": "#804040"])
        let clear = Canvas(30, 30) { x, _ in x < 20 ? [250, 0, 0, 20] : [0, 0, 250, 255] }
        #expect(try inspected(PNGFile.write(clear), [.dominant]) == ["dominant": "#0000fa"])
        #expect(
            try inspected(PNGFile.write(Canvas(3, 3, of: [9, 9, 9, 0])), [.dominant]) == [
                "dominant": "#000000"
            ])
    }

    @Test func `it is looked at upright`() throws {
        // Flat blocks, for which JPEG's result does not depend on the orientation.
        let side = Canvas(64, 48) { x, _ in x < 32 ? [250, 0, 0] : [0, 0, 250] }
        let upright = Canvas(48, 64) { _, y in y < 32 ? [250, 0, 0] : [0, 0, 250] }
        func jpeg(_ canvas: Canvas) throws -> [UInt8] {
            try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: 100)).bytes
        }
        let turned = JPEGFile.withEXIF(EXIF.orientation(6), try jpeg(side))
        let told = try inspected(turned, [.thumbhash])
        #expect(told == (try inspected(try jpeg(upright), [.thumbhash])))
    }

    @Test func `grey with alpha is looked at, too`() throws {
        let png = PNGFile.write(Canvas(20, 20) { x, _ in [100, x < 10 ? 255 : 0] })
        #expect(try inspected(png, [.average]) == ["average": "#64646480"])
    }

    @Test func `the answer of a document, and of a drawing without a size, has sides`() throws {
        let drawing = "<svg xmlns='http://www.w3.org/2000/svg'><rect width='40' height='20'/></svg>"
        for file in [PDFFile.write([(30, 20), (40, 80)]), Array(drawing.utf8)] {
            #expect(try ImageHeader.parse(file).width == 0)
            for extras: JSONExtras in [.average, .blurhash, .dominant, .thumbhash] {
                var recipe = Recipe()
                recipe.output = .json
                recipe.jsonExtras = extras
                let made = try TestRenderer.render(file, recipe)
                #expect(made.result.width > 0 && made.result.height > 0, "\(recipe.canonical)")
            }
        }
        #expect(try inspected(PDFFile.write([(30, 20)]), [.average]) == ["average": "#ffffff"])
    }
}
