// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

@Suite("A PNG is as large on paper as its original, pixel for pixel")
struct DensityTests {
    /// 300 pixels an inch, as pixels a metre.
    private static let dense = big32(11_811) + big32(11_811) + [1]
    /// 100 and 50 pixels a centimetre, as pixels a metre.
    private static let uneven = big32(10_000) + big32(5_000) + [1]
    /// 72 pixels an inch, as pixels a metre.
    private static let usual = big32(2_835) + big32(2_835) + [1]

    private func png(_ density: [UInt8]) -> [UInt8] {
        PNGFile.write(
            width: 32, height: 16, depth: 8, colourType: 2, rows: gradient(32, 16).samples,
            before: PNGFile.chunk("pHYs", density))
    }

    private func density(_ file: [UInt8]) -> [UInt8]? {
        PNGFile.chunks(file).first { $0.name == "pHYs" }?.payload
    }

    @Test func `a PNG keeps the density of its original`() throws {
        for recipe in [Recipe.make(.png), .make(.png, w: 16)] {
            let made = try TestRenderer.render(png(Self.dense), recipe)
            #expect(density(made.bytes) == Self.dense)
        }
    }

    @Test func `a density that differs across and down is turned with the picture`() throws {
        let (fine, coarse) = (big32(8_031), big32(3_858))
        for rotation in [90.0, 180, 270] {
            var recipe = Recipe.make(.png, w: 16)
            recipe.rotation = rotation
            let made = try TestRenderer.render(png(fine + coarse + [1]), recipe)
            let told = rotation == 180 ? fine + coarse : coarse + fine
            #expect(density(made.bytes) == told + [1], "\(rotation)")
        }
    }

    @Test(arguments: [ImageFormat.webp, .gif])
    func `an original that can tell none is made with 72 pixels an inch`(format: ImageFormat) throws {
        let original = try TestRenderer.render(PNGFile.write(gradient(32, 16)), .make(format))
        let made = try TestRenderer.render(original.bytes, .make(.png, w: 16))
        #expect(density(made.bytes) == big32(2_835) + big32(2_835) + [1])
    }

    @Test func `a density that the own bytes tell is that of a metre, and of no other length`() {
        let odd = [big32(11_811) + big32(11_811) + [0], Self.dense + [1], Array(Self.dense.dropLast())]
        for payload in [Self.dense] + odd {
            let own = png(payload).withUnsafeBytes { StrippedOriginal.of($0, .png) }
            #expect(own.flatMap(density) == (payload == Self.dense ? payload : nil))
        }
    }

    @Test func `a density without a unit is none`() throws {
        let told = try TestRenderer.render(png(big32(11_811) + big32(11_811) + [0]), .make(.png, w: 16))
        let silent = try TestRenderer.render(PNGFile.write(gradient(32, 16)), .make(.png, w: 16))
        #expect(density(told.bytes) == density(silent.bytes))
    }

    @Test func `a density of 0 is none`() throws {
        let told = try TestRenderer.render(png(big32(0) + big32(0) + [1]), .make(.png, w: 16))
        #expect(density(told.bytes) == Self.usual)
    }

    @Test(
        arguments: [
            (nil, (300, 300, 1), usual), (nil, (300, 300, 2), dense), (nil, (0, 0, 2), usual),
            (nil, (100, 50, 3), uneven),
            ([1, 1, 44, 1, 44], (72, 72, 1), dense), ([1, 1, 44, 1, 44], (150, 150, 2), dense),
            ([0, 0, 1, 0, 1], (300, 300, 2), dense), ([0, 0, 1, 0, 1], (300, 300, 1), usual),
            ([1, 0, 1, 0, 1], (300, 300, 1), usual),
        ] as [([UInt8]?, (Int, Int, Int), [UInt8])])
    func `a JPEG's density is JFIF's, else EXIF's, and one without a unit is none`(
        jfif: [UInt8]?, exif: (Int, Int, Int), expected: [UInt8]
    ) throws {
        let plain = try TestRenderer.render(PNGFile.write(gradient(32, 16)), .make(.jpeg)).bytes
        var file = JPEGFile.withEXIF(EXIF.resolution(exif.0, exif.1, unit: exif.2), plain)
        if let jfif {
            file = JPEGFile.inserting(0xE0, Array("JFIF\0".utf8) + [1, 1] + jfif + [0, 0], into: file)
        }
        for width in [32, 16] {
            for lane in [true, false] {
                let made = try TestRenderer.render(file, .make(.png, w: width), jpegLane: lane)
                #expect(density(made.bytes) == expected, "\(width)")
            }
        }
    }

    @Test func `a TIFF's resolution counts by its unit, and without one it is none`() throws {
        var file = try TestRenderer.render(png(Self.dense), .make(.tiff)).bytes
        // ResolutionUnit (296): one short number, here the centimetre.
        let entry: [UInt8] = [0x28, 1, 3, 0, 1, 0, 0, 0, 3]
        let found = file.indices.first { file[$0...].starts(with: entry) }
        let unit = try #require(found) + 8
        for (value, expected) in [(UInt8(3), Self.dense), (1, Self.usual), (9, Self.usual)] {
            file[unit] = value
            for recipe in [Recipe.make(.png), .make(.png, w: 16)] {
                let made = try TestRenderer.render(file, recipe)
                #expect(density(made.bytes) == expected, "\(value)")
            }
        }
    }
}
