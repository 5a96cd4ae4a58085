// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import Recipes
import RequestGrammar
import Testing

private let formats: [ImageFormat] = [.jpeg, .png, .webp, .avif]

/// A colour of Display P3 that sRGB cannot show, and one that it can.
private let (vivid, quiet): ([UInt8], [UInt8]) = ([230, 40, 30], [120, 110, 90])

/// Vivid at the left, quiet at the right.
private let canvas = Canvas(64, 32) { x, _ in x < 32 ? vivid : quiet }

private func wide(_ format: ImageFormat, w: Int? = nil, q: Int? = 100) -> Recipe {
    var recipe = Recipe.make(format, w: w, q: format == .png ? nil : q)
    recipe.profile = .displayP3
    return recipe
}

private func png(_ canvas: Canvas, _ before: [UInt8]) -> [UInt8] {
    PNGFile.write(
        width: canvas.width, height: canvas.height, depth: 8, colourType: canvas.bands == 4 ? 6 : 2,
        rows: canvas.samples,
        before: before)
}

private let p3 = PNGFile.profile(MatrixProfile.displayP3.file())
private let codePoints = PNGFile.chunk("cICP", [12, 13, 0, 1])

/// The samples in Display P3.
private func numbers(_ file: [UInt8], x: Int = 8, y: Int = 16) throws -> [UInt8] {
    var recipe = Recipe.make(.png)
    recipe.profile = .displayP3
    var defaults = EncoderDefaults()
    // The encoding that the tests' own reader supports.
    (defaults.pngCompression, defaults.keepsSmallerOriginal) = (0, false)
    return try #require(try PNGFile.read(TestRenderer.render(file, recipe, defaults: defaults).bytes))[x, y]
}

@Suite struct WideGamutTests {
    @Test func `the profile is Display P3's`() throws {
        let profile = try #require(ICCProfile(DisplayP3Profile.file))
        #expect(profile.space == .rgb && profile.isWide && !profile.isSRGB)
        let file = DisplayP3Profile.file
        #expect(file.count == 492 && file[0..<4].elementsEqual(big32(file.count)))
        for colour in [vivid, quiet, [0, 0, 0], [255, 255, 255], [20, 200, 60]] as [[UInt8]] {
            let shown = try centre(png(Canvas(16, 16, of: colour), PNGFile.profile(file)))
            #expect(distance(shown, MatrixProfile.displayP3.inSRGB(colour)) <= 1)
        }
    }

    @Test(arguments: formats)
    func `a wide picture keeps its numbers and says what they are`(format: ImageFormat) throws {
        for original in [png(canvas, p3), png(canvas, codePoints)] {
            let made = try TestRenderer.render(original, wide(format))
            let shown = try numbers(made.bytes)
            #expect(distance(shown, vivid) <= 3, "\(shown)")
            #expect(try distance(numbers(made.bytes, x: 52), quiet) <= 3)
            // A reader converts it by the profile.
            let plain = try #require(try TestRenderer.decode(made.bytes))[8, 16]
            #expect(distance(plain, MatrixProfile.displayP3.inSRGB(vivid)) <= 4, "\(plain)")
            if format == .avif {
                #expect(ISOMediaColours.read(HeaderBytes(made.bytes))?.primaries == .displayP3)
            } else {
                let details = ImageDetails.parse(HeaderBytes(made.bytes), header: try #require(made.header))
                #expect(details.hasProfile)
            }
        }
    }

    @Test(arguments: formats)
    func `a picture of sRGB is the same with the option and without`(format: ImageFormat) throws {
        let sRGB = PNGFile.profile(MatrixProfile.sRGB.file())
        for original in [
            png(canvas, []), png(canvas, sRGB), png(canvas, PNGFile.chunk("cICP", [1, 13, 0, 1])),
        ] {
            let without = try TestRenderer.render(
                original, .make(format, w: 30, q: format == .png ? nil : 80))
            #expect(try TestRenderer.render(original, wide(format, w: 30, q: 80)).bytes == without.bytes)
        }
    }

    @Test func `formats that cannot say it get sRGB`() throws {
        for format in [ImageFormat.gif, .tiff] {
            var recipe = Recipe.make(format)
            let plain = try TestRenderer.render(png(canvas, p3), recipe).bytes
            recipe.profile = .displayP3
            #expect(try TestRenderer.render(png(canvas, p3), recipe).bytes == plain)
            #expect(recipe.canonicalised.profile == .sRGB)
        }
    }

    @Test func `the JPEG lane keeps it like libvips`() throws {
        let scene = Canvas(128, 64) { x, _ in x < 64 ? vivid : quiet }
        let jpeg = try JPEGFile.withProfile(
            MatrixProfile.displayP3.file(),
            TestRenderer.render(PNGFile.write(scene), .make(.jpeg, q: 100)).bytes)
        for (lane, format) in [(true, .png), (false, .png), (true, .jpeg)] as [(Bool, ImageFormat)] {
            let made = try TestRenderer.render(jpeg, wide(format, w: 64), jpegLane: lane)
            #expect(made.isPlanar == lane)
            #expect(try distance(numbers(made.bytes), vivid) <= 4)
            #expect(try distance(numbers(made.bytes, x: 52), quiet) <= 4)
        }
    }

    @Test func `described colours stay as wide`() throws {
        let bt2020 = Chromaticities(
            red: .init(0.708, 0.292), green: .init(0.17, 0.797), blue: .init(0.131, 0.046))
        for (transfer, curve) in [(UInt8(16), .perceptualQuantizer(peak: 4000)), (13, .sRGB)]
            as [(UInt8, ColourDescription.Transfer)]
        {
            let file = PatchFile.file(PatchFile.tenBits, primaries: 9, transfer: transfer)
            let made = try TestRenderer.render(file, wide(.png)).bytes
            for (index, patch) in PatchFile.numbers.enumerated() {
                let colours = ColourDescription(primaries: bt2020, transfer: curve)
                let expected = LightReference.inSRGB(patch.map { $0 / 1023 }, colours, to: .displayP3)
                let shown = try numbers(made, x: index * 16 + 8, y: 8)
                #expect(Lab.distance(shown, expected) <= 2, "\(patch): \(shown), not \(expected)")
            }
        }
    }

    @Test func `an animation stays one, with its profile`() throws {
        let palette: [[UInt8]] = [vivid, quiet]
        let frames = (0..<3).map { frame -> [UInt8] in
            (0..<64 * 32).map { ($0 / 8 + frame).isMultiple(of: 2) ? 0 : 1 }
        }
        let gif = GIFFile.write(
            width: 64, height: 32, palette: palette, frames: frames, delays: [40, 50, 60], loop: 0,
            transparent: nil)
        let plain = try TestRenderer.render(gif, .make(.webp, n: -1, q: 90)).bytes
        let file = try #require(
            plain.withUnsafeBytes { bytes in
                FileNotes(profile: .displayP3)
                    .beginning(of: bytes, .webp, PixelSize(width: 64, height: 32), hasAlpha: false)
                    .map { $0.bytes + bytes[$0.length...] }
            })
        var recipe = Recipe.make(.webp, w: 32, n: -1, q: 90)
        recipe.profile = .displayP3
        let made = try TestRenderer.render(file, recipe)
        let header = try #require(made.header)
        #expect(header.pages == 3 && header.width == 32)
        let details = ImageDetails.parse(HeaderBytes(made.bytes), header: header)
        #expect(details.hasProfile && details.delays == [40, 50, 60])
        recipe.profile = .sRGB
        let converted = try #require(try TestRenderer.render(file, recipe).header)
        #expect(converted.pages == 3)
    }

    @Test func `alpha is kept`() throws {
        let translucent = Canvas(32, 32, of: vivid + [160])
        for format in [ImageFormat.png, .webp, .avif] {
            let made = try TestRenderer.render(png(translucent, p3), wide(format))
            let shown = try numbers(made.bytes)
            #expect(
                made.header?.hasAlpha == true && distance(shown, vivid + [160]) <= 4, "\(format): \(shown)")
        }
    }

    @Test func `colours and marks of sRGB look as before`() throws {
        let clear = png(Canvas(64, 64, of: [0, 0, 0, 0]), p3)
        // A red of sRGB that has other samples in Display P3, which sRGB could show as well.
        let red: [UInt8] = [0xC8, 0x3C, 0x28]
        func expectRed(
            _ made: [UInt8], x: Int, y: Int, _ comment: Comment,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let shown = Array(try #require(try TestRenderer.decode(made))[x, y].prefix(3))
            #expect(distance(shown, red) <= 3, "\(comment): \(shown)", sourceLocation: sourceLocation)
            let kept = Array(try numbers(made, x: x, y: y).prefix(3))
            #expect(distance(kept, red) > 8, "\(comment): \(kept)", sourceLocation: sourceLocation)
        }
        let query = ["bg=c83c28", "mask=circle&mbg=c83c28", "w=80&h=64&fit=contain&cbg=c83c28&we=0"]
        for query in query {
            let recipe = try Recipe(canonical: "output=png&profile=p3&" + query)
            try expectRed(TestRenderer.render(clear, recipe).bytes, x: 0, y: 0, "\(query)")
        }
        var marked = wide(.png)
        marked.watermark = try Recipe(canonical: "wm=http://a.example/x.png").watermark
        let made = try TestRenderer.render(
            png(Canvas(64, 64, of: vivid), p3), marked,
            watermark: PNGFile.write(Canvas(64, 64, of: red + [255])))
        try expectRed(made.bytes, x: 32, y: 32, "watermark")
    }

    @Test(arguments: ["start=204060&stop=c83c28", "start=0000ff&stop=ffff00"])
    func `the colours of a duotone are those of sRGB, at its ends and between them`(ends: String) throws {
        let greys = Canvas(96, 32) { x, _ in [UInt8](repeating: [0, 128, 255][x / 32], count: 3) }
        func made(_ original: [UInt8], _ profile: String) throws -> [UInt8] {
            let recipe = try Recipe(canonical: "filt=duotone&output=png\(profile)&\(ends)")
            return try TestRenderer.render(original, recipe).bytes
        }
        let wide = try made(png(greys, p3), "&profile=p3")
        let shown = try #require(try TestRenderer.decode(wide))
        let expected = try #require(try TestRenderer.decode(try made(png(greys, []), "")))
        for x in [8, 40, 88] {
            #expect(distance(shown[x, 16], expected[x, 16]) <= 3, "\(shown[x, 16]), not \(expected[x, 16])")
        }
        // The samples of Display P3 differ, although sRGB could show the colour.
        #expect(try distance(numbers(wide, x: 40), Array(expected[40, 16])) > 4)
    }

    @Test func `a profile in pieces leaves sRGB`() throws {
        var broken = MatrixProfile.displayP3.file()
        broken.replaceSubrange(260..., with: [UInt8](repeating: 0xEE, count: broken.count - 260))
        let original = png(Canvas(16, 16, of: quiet), PNGFile.profile(broken))
        #expect(
            try TestRenderer.render(original, wide(.png)).bytes
                == TestRenderer.render(original, .make(.png)).bytes)
    }
}
