// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
@testable import Imaging
import Recipes
import Testing

private func inspected(_ file: [UInt8], _ extras: JSONExtras) throws -> [String: String] {
    var recipe = Recipe()
    recipe.output = .json
    recipe.jsonExtras = extras
    let made = try Studio.make(file, recipe)
    return try JSONDecoder().decode([String: String].self, from: Data(made.bytes))
}

@Suite("What is learnt from the pixels comes as JSON")
struct InspectionTests {
    @Test(arguments: [ImageFormat.png, .jpeg, .webp])
    func `the average is that of the picture`(format: ImageFormat) throws {
        let png = PNGFile.write(Canvas(300, 200) { x, _ in x < 150 ? [250, 100, 0] : [50, 100, 200] })
        let file = try Studio.make(png, .make(format, q: 95)).bytes
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

    @Test func `it is looked at upright`() throws {
        // Flat blocks, which JPEG writes the same way round or not.
        let side = Canvas(64, 48) { x, _ in x < 32 ? [250, 0, 0] : [0, 0, 250] }
        let upright = Canvas(48, 64) { _, y in y < 32 ? [250, 0, 0] : [0, 0, 250] }
        func jpeg(_ canvas: Canvas) throws -> [UInt8] {
            try Studio.make(PNGFile.write(canvas), .make(.jpeg, q: 100)).bytes
        }
        let turned = JPEGFile.withEXIF(EXIF.orientation(6), try jpeg(side))
        let told = try inspected(turned, [.thumbhash])
        #expect(told == (try inspected(try jpeg(upright), [.thumbhash])))
    }

    @Test func `grey with alpha is looked at, too`() throws {
        let png = PNGFile.write(Canvas(20, 20) { x, _ in [100, x < 10 ? 255 : 0] })
        #expect(try inspected(png, [.average]) == ["average": "#64646480"])
    }
}
