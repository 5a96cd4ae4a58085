// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import Testing

/// A light disc on invisible black.
private let disc = Canvas(96, 96) { x, y in
    let (dx, dy) = (Double(x) - 47.5, Double(y) - 47.5)
    return (dx * dx + dy * dy).squareRoot() < 36 ? [240, 200, 120, 255] : [0, 0, 0, 0]
}

@Suite struct AlphaTests {
    @Test(arguments: [ImageFormat.png, .webp])
    func `an edge against nothing has no dark fringe`(from: ImageFormat) throws {
        let png = PNGFile.write(disc)
        let original = from == .png ? png : try TestRenderer.render(png, .make(.webp, q: 100)).bytes
        let made = try TestRenderer.render(original, .make(.png, w: 31))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        try #require(pixels.bands == 4)
        let edge = (0..<31 * 31).map { pixels[$0 % 31, $0 / 31] }.filter { $0[3] > 40 && $0[3] < 230 }
        #expect(edge.count > 20)
        for pixel in edge {
            for (band, expected) in [240, 200, 120].enumerated() {
                // The colour as it looks on black. Lanczos overshoots slightly into the light, and WebP's
                // colours are lossy.
                let lighter = (Int(pixel[band]) - expected) * Int(pixel[3]) / 255
                #expect(lighter >= (from == .png ? -2 : -6))
                #expect(lighter <= (from == .png ? 8 : 16))
            }
        }
        #expect(pixels[15, 15] == [240, 200, 120, 255] || from == .webp)
        #expect(pixels[0, 0][3] == 0)
    }

    /// Lanczos makes more than all of the alpha beside nothing, and as much more of the colour.
    @Test(
        arguments: ["w=67", "w=100", "w=400&we=0", "w=31", "ro=20"],
        [[200, 120, 40, 255], [150, 255]] as [[UInt8]])
    func `what is opaque beside nothing keeps its colour`(query: String, colour: [UInt8]) throws {
        let clear = [UInt8](repeating: 0, count: colour.count)
        let square = Canvas(200, 200) { x, y in
            (60..<140).contains(x) && (60..<140).contains(y) ? colour : clear
        }
        let made = try picture(square, query)
        var opaque = 0
        for y in 0..<made.height {
            for x in 0..<made.width {
                let pixel = made[x, y]
                guard pixel.last == 255 else { continue }
                opaque += 1
                #expect(distance(pixel, colour) <= 2, "\(query): \(pixel) at \(x), \(y)")
            }
        }
        #expect(opaque > 50)
    }

    @Test(arguments: [[90, 255, 7], [90, 255, 7, 140], [90, 255, 7, 140, 201]] as [[UInt8]])
    func `grey with several channels behind it is grey with alpha`(samples: [UInt8]) throws {
        let tiff = TIFFFile.write([
            .init(
                width: 8, height: 8, bits: samples.map { _ in 8 }, photometric: 1,
                samples: (0..<64).flatMap { _ in samples })
        ])
        for format in [ImageFormat.png, .jpeg, .webp] {
            let shown = try centre(tiff, .make(format))
            #expect(distance(Array(shown.prefix(3)), [90, 90, 90]) <= 2, "\(format): \(shown)")
            #expect(shown.dropFirst(3).allSatisfy { $0 == 255 })
        }
    }

    @Test(arguments: [(1, 255), (0.5, 128)] as [(Float, UInt8)], [false, true])
    func `alpha beside light is alpha of its share`(
        alpha: (Float, UInt8), isMultiplied: Bool
    ) throws {
        let (share, shown) = alpha
        let light = ([1, 0.2140411, 0] as [Float]).map { $0 * (isMultiplied ? share : 1) }
        let pixel = (light + [share]).flatMap { big32(Int($0.bitPattern)) }
        let tiff = TIFFFile.write([
            .init(
                width: 8, height: 8, bits: [32, 32, 32, 32], photometric: 2,
                samples: (0..<64).flatMap { _ in pixel }, hasFloats: true, isMultiplied: isMultiplied)
        ])
        for recipe in [Recipe.make(.png), .make(.png, w: 4)] {
            let made = try TestRenderer.render(tiff, recipe)
            let pixels = try #require(try TestRenderer.decode(made.bytes))
            try #require(pixels.bands == 4)
            #expect(distance(pixels[2, 2], [255, 128, 0, shown]) <= 2, "\(pixels[2, 2])")
        }
    }

    @Test func `what is invisible becomes white in JPEG`() throws {
        let made = try TestRenderer.render(PNGFile.write(disc), .make(.jpeg, w: 48, q: 95))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect(pixels.bands == 3)
        #expect(distance(pixels[1, 1], [255, 255, 255]) <= 3)
        #expect(distance(pixels[24, 24], [240, 200, 120]) <= 4)
    }

    @Test(arguments: [ImageFormat.png, .webp, .avif])
    func `alpha is kept where it can be`(to: ImageFormat) throws {
        let made = try TestRenderer.render(PNGFile.write(disc), .make(to, w: 48, q: 90))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        try #require(pixels.bands == 4)
        #expect(pixels[1, 1][3] <= 2)
        #expect(pixels[24, 24][3] >= 253)
    }

    @Test func `an AVIF whose colours are multiplied by alpha shows them as they were`() throws {
        for recipe in [Recipe.make(.png), .make(.png, w: 8)] {
            let made = try TestRenderer.render(HEIFFile.multiplied, recipe)
            let pixels = try #require(try TestRenderer.decode(made.bytes))
            #expect(distance(pixels[4, 4], [240, 120, 60, 128]) <= 6, "\(pixels[4, 4])")
        }
        var other = HEIFFile.multiplied
        let place = other.indices.dropLast(4).first { other[$0..<$0 + 4].elementsEqual("prem".utf8) } ?? 0
        other.replaceSubrange(place..<place + 4, with: Array("free".utf8))
        let pixels = try #require(try TestRenderer.decode(TestRenderer.render(other, .make(.png)).bytes))
        #expect(distance(pixels[4, 4], [120, 60, 30, 128]) <= 4, "\(pixels[4, 4])")
    }

    @Test func `an AVIF of dark light that is multiplied by alpha keeps its levels`() throws {
        let made = try TestRenderer.render(HEIFFile.multipliedLight, .make(.png))
        let pixels = try #require(try TestRenderer.decode(made.bytes))
        #expect(distance(pixels[4, 4], [13, 13, 13, 128]) <= 1, "\(pixels[4, 4])")
    }

    @Test(arguments: 0..<4, 0..<2)
    func `alpha is turned with colours that the file turns alone`(quarters: Int, axis: Int) throws {
        var file = HEIFFile.turnedColours
        for (name, value) in [("irot", quarters), ("imir", axis)] {
            let place = file.indices.dropLast(4).first { file[$0..<$0 + 4].elementsEqual(name.utf8) }
            file[try #require(place) + 4] = UInt8(value)
        }
        // From the top left: turned anticlockwise, then flipped or flopped.
        var corners = HEIFFile.turnedCorners
        for _ in 0..<quarters { corners = [corners[1], corners[3], corners[0], corners[2]] }
        corners =
            axis == 0
            ? [corners[2], corners[3], corners[0], corners[1]]
            : [corners[1], corners[0], corners[3], corners[2]]
        let pixels = try #require(try TestRenderer.decode(TestRenderer.render(file, .make(.png)).bytes))
        let (right, bottom) = (pixels.width - 2, pixels.height - 2)
        #expect(right == (quarters % 2 == 0 ? 14 : 6))
        let shown = [pixels[1, 1], pixels[right, 1], pixels[1, bottom], pixels[right, bottom]]
        for (shown, corner) in zip(shown, corners) {
            #expect(distance(shown, corner) <= 4, "\(shown), \(corner)")
        }
    }

    @Test(arguments: 0..<4)
    func `alpha is cropped with colours that the file crops alone`(quarters: Int) throws {
        var file = HEIFFile.croppedColours
        let place = file.indices.dropLast(4).first { file[$0..<$0 + 4].elementsEqual("irot".utf8) }
        file[try #require(place) + 4] = UInt8(quarters)
        var corners = HEIFFile.turnedCorners
        for _ in 0..<quarters { corners = [corners[1], corners[3], corners[0], corners[2]] }
        let size =
            quarters % 2 == 0 ? PixelSize(width: 12, height: 6) : PixelSize(width: 6, height: 12)
        let pixels = try #require(try TestRenderer.decode(TestRenderer.render(file, .make(.png)).bytes))
        try #require(pixels.size == size && pixels.bands == 4)
        let (right, bottom) = (size.width - 2, size.height - 2)
        let shown = [pixels[1, 1], pixels[right, 1], pixels[1, bottom], pixels[right, bottom]]
        for (shown, corner) in zip(shown, corners) {
            #expect(distance(shown, corner) <= 4, "\(shown), \(corner)")
        }
        // The file's own bytes must not be the answer, because the crop was taken out of them.
        let avif = try TestRenderer.render(file, .make(.avif))
        #expect(try #require(try TestRenderer.decode(avif.bytes)).size == size)
    }

    @Test func `a thumbnail without alpha stands for no picture that has it`() throws {
        for recipe in [Recipe.make(.png), .make(.png, w: 10)] {
            let pixels = try #require(
                try TestRenderer.decode(TestRenderer.render(HEIFFile.opaqueThumbnail, recipe).bytes))
            #expect(distance(pixels[5, 5], [240, 120, 60, 128]) <= 4, "\(pixels[5, 5])")
        }
    }

    @Test func `half transparent pixels keep their colour through a resize`() throws {
        let canvas = Canvas(40, 40, of: [180, 90, 30, 128])
        let pixels = try #require(
            try TestRenderer.decode(TestRenderer.render(PNGFile.write(canvas), .make(.png, w: 17)).bytes))
        for index in 0..<17 * 17 {
            #expect(distance(pixels[index % 17, index / 17], [180, 90, 30, 128]) <= 1)
        }
    }
}
