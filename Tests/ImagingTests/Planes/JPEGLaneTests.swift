// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Imaging
import PixelReference
import RandomInputs
import Recipes
import RequestGrammar
import Testing

/// JPEGs that are decoded and resized without libvips look the same as with it, or better.
@Suite struct JPEGLaneTests {
    private static func jpeg(_ canvas: Canvas, q: Int) throws -> [UInt8] {
        try TestRenderer.render(PNGFile.write(canvas), .make(.jpeg, q: q)).bytes
    }

    private func made(_ file: [UInt8], _ recipe: Recipe, lane: Bool) throws -> Canvas {
        let made = try TestRenderer.render(file, recipe, jpegLane: lane)
        #expect(made.isPlanar == lane)
        return try #require(try TestRenderer.decode(made.bytes))
    }

    @Test(arguments: [60, 95], [(301, 203), (640, 401)])
    func `a smaller picture is as near to a full decode as libvips' is`(q: Int, size: (Int, Int)) throws {
        let file = try Self.jpeg(softShapes(size.0, size.1), q: q)
        let whole = try #require(try TestRenderer.decode(file))
        for width in [size.0 * 3 / 4, size.0 / 2, size.0 / 4, size.0 / 10, size.0 / 20] {
            let recipe = Recipe.make(.png, w: width)
            let (lane, libvips) = (try made(file, recipe, lane: true), try made(file, recipe, lane: false))
            #expect(lane.size == libvips.size)
            let exact = exact(whole, lane.width, lane.height)
            let (ours, theirs) = (psnr(lane, exact), psnr(libvips, exact))
            #expect(ours >= min(theirs, 48) - 0.3, "q \(q), \(width): \(ours) against \(theirs)")
        }
    }

    @Test(arguments: [3.3, 3.8, 8.2, 17])
    func `fine colours of half luma's density are as near to a full decode as libvips'`(factor: Double) throws
    {
        let (width, height) = (612, 408)
        let file = try Self.jpeg(stripes(width, height, wave: factor * 3.2), q: 85)
        let whole = try #require(try TestRenderer.decode(file))
        let recipe = Recipe.make(.png, w: Int(Double(width) / factor))
        let (lane, libvips) = (try made(file, recipe, lane: true), try made(file, recipe, lane: false))
        let exact = exact(whole, lane.width, lane.height)
        let (ours, theirs) = (psnr(lane, exact), psnr(libvips, exact))
        #expect(ours >= min(theirs, 48) - 0.3, "\(factor): \(ours) against \(theirs)")
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif], [(301, 203), (641, 401)])
    func `planes go straight to the encoder, and show no less for it`(format: ImageFormat, size: (Int, Int))
        throws
    {
        let scene = softShapes(size.0, size.1)
        let grey = scene.band(1)
        for (canvas, q) in [(scene, 60), (scene, 95), (grey, 80)] {
            let file = try Self.jpeg(canvas, q: q)
            let whole = try #require(try TestRenderer.decode(file))
            for (width, quality) in [(size.0 - 1, 85), (size.0 / 2, 89), (size.0 / 4, 95), (size.0 / 10, 30)]
            {
                let recipe = Recipe.make(format, w: width, q: quality)
                let (lane, libvips) = (
                    try made(file, recipe, lane: true), try made(file, recipe, lane: false)
                )
                #expect(lane.size == libvips.size)
                // libwebp and libheif decode grey to three bands.
                let all = lane.bands == whole.bands ? whole : grey.band(0, times: 3)
                let exact = exact(all, lane.width, lane.height)
                let (ours, theirs) = (psnr(lane, exact), psnr(libvips, exact))
                #expect(ours >= theirs - 0.4, "q \(q), \(width), \(quality): \(ours) against \(theirs)")
            }
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif])
    func `colours stand where they stood`(format: ImageFormat) throws {
        let (red, blue): ([UInt8], [UInt8]) = ([200, 40, 40], [40, 60, 200])
        // Every combination of odd and even sides.
        for (width, height) in [(199, 150), (200, 151), (199, 151), (200, 150)] {
            let halves = Canvas(width, height) { x, _ in x < width / 2 ? red : blue }
            let lane = try made(
                Self.jpeg(halves, q: 95), .make(format, w: 99, h: 75, .fill, q: 89), lane: true)
            #expect(lane.width == 99 && lane.height == 75)
            for y in [0, 37, 74] {
                for (x, colour) in [(0, red), (40, red), (59, blue), (98, blue)] {
                    let off = zip(lane[x, y], colour).map { abs(Int($0) - Int($1)) }.max() ?? 255
                    #expect(off <= 6, "\(x), \(y): \(lane[x, y])")
                }
            }
        }
    }

    @Test(arguments: [ImageFormat.jpeg, .webp, .avif])
    func `a file of planes is refused where it is too long`(format: ImageFormat) throws {
        let file = try Self.jpeg(softShapes(400, 300), q: 90)
        let recipe = Recipe.make(format, w: 200)
        let length = try TestRenderer.render(file, recipe).bytes.count
        #expect(try TestRenderer.render(file, recipe, outputLimit: length).isPlanar)
        #expect(
            try TestRenderer.failure(file, recipe, outputLimit: length - 1)
                == .outputTooLarge(.bytes(length - 1)))
    }

    @Test func `what needs red, green and blue has it`() throws {
        let file = try Self.jpeg(softShapes(400, 300), q: 90)
        // The lane decodes and resizes these, and the further steps then work on RGB as usual.
        for query in [
            "blur=2&w=100", "flip&w=100", "a=top&fit=cover&h=60&w=60", "q=auto&w=100", "bg=f00&w=100",
        ] {
            for format in ["jpg", "webp", "avif"] {
                let recipe = try Recipe(canonical: "output=\(format)&" + query)
                #expect(try TestRenderer.render(file, recipe).isPlanar, "\(query)")
            }
        }
        let wide = JPEGFile.withProfile(MatrixProfile.displayP3.file(), file)
        let recipe = Recipe.make(.jpeg, w: 100, q: 89)
        let (lane, libvips) = (try made(wide, recipe, lane: true), try made(wide, recipe, lane: false))
        #expect(psnr(lane, libvips.samples.map(Double.init)) > 35)
    }

    @Test func `a zone plate comes out right to 45 dB`() throws {
        let plate = zonePlate(800, around: 0, scale: 3200)
        let file = try Self.jpeg(plate.band(0, times: 3), q: 95)
        let whole = try #require(try TestRenderer.decode(file))
        let lane = try made(file, .make(.png, w: 400), lane: true)
        #expect(psnr(lane, exact(whole, 400, 400)) >= 45)
    }

    @Test(arguments: 1...8)
    func `it stands upright as libvips' does`(orientation: Int) throws {
        let plain = try Self.jpeg(softShapes(160, 120), q: 90)
        let file = JPEGFile.withEXIF(EXIF.orientation(orientation), plain)
        for query in ["w=60", "a=top&fit=cover&h=60&w=60", "fit=fill&h=31&w=50", "ro=90&w=60", "flip&w=64"] {
            let recipe = try Recipe(canonical: "output=png&" + query)
            let (lane, libvips) = (try made(file, recipe, lane: true), try made(file, recipe, lane: false))
            #expect(lane.size == libvips.size)
            #expect(psnr(lane, libvips.samples.map(Double.init)) > 30, "\(query)")
        }
    }

    @Test func `profiles, grey and density are taken along`() throws {
        let scene = softShapes(160, 120)
        let file = JPEGFile.withProfile(MatrixProfile.displayP3.file(), try Self.jpeg(scene, q: 90))
        let recipe = Recipe.make(.png, w: 80)
        let libvips = try made(file, recipe, lane: false)
        #expect(psnr(try made(file, recipe, lane: true), libvips.samples.map(Double.init)) > 35)

        let lane = try made(Self.jpeg(scene.band(1), q: 90), recipe, lane: true)
        #expect(lane.bands == 1 && lane.width == 80)

        let jfif = Array("JFIF\0".utf8) + [1, 1, 1, 1, 44, 1, 44, 0, 0]
        let dense = JPEGFile.inserting(0xE0, jfif, into: try Self.jpeg(scene, q: 90))
        let densities = try [true, false].map { lane in
            PNGFile.chunks(try TestRenderer.render(dense, recipe, jpegLane: lane).bytes).first {
                $0.name == "pHYs"
            }?
            .payload
        }
        #expect(densities[0] != nil && densities[0] == densities[1])
    }

    @Test(arguments: [true, false], [1, 3, 6, 8])
    func `its density is turned upright with it`(lane: Bool, orientation: Int) throws {
        let jfif = Array("JFIF\0".utf8) + [1, 1, 1, 1, 44, 0, 72, 0, 0]
        let turned = JPEGFile.withEXIF(
            EXIF.orientation(orientation), try Self.jpeg(softShapes(160, 120), q: 90))
        let file = JPEGFile.inserting(0xE0, jfif, into: turned)
        let made = try TestRenderer.render(file, .make(.png, w: 60), jpegLane: lane)
        let told = PNGFile.chunks(made.bytes).first { $0.name == "pHYs" }?.payload
        let (fine, coarse) = (big32(11_811), big32(2_835))
        let upright = orientation < 5 ? fine + coarse : coarse + fine
        #expect(told == upright + [1])
    }

    @Test(arguments: [MatrixProfile.displayP3, .adobeRGB, .proPhoto])
    func `a matrix profile is applied as its formula says`(profile: MatrixProfile) throws {
        let shades: [UInt8] = [0, 8, 40, 96, 128, 200, 255]
        var colours = shades.map { [$0, $0, $0] }
        colours += [[200, 60, 50], [60, 180, 70], [40, 70, 190], [220, 200, 40], [30, 12, 20]]
        for colour in colours {
            let plain = try Self.jpeg(Canvas(96, 80, of: colour), q: 100)
            // JPEG's own change of the colour does not concern the profile.
            let stored = try #require(try TestRenderer.decode(plain))[40, 40]
            let made = try made(JPEGFile.withProfile(profile.file(), plain), .make(.png, w: 48), lane: true)
            let expected = profile.inSRGB(stored)
            for (shown, right) in zip(made[20, 20], expected) {
                #expect(abs(Int(shown) - Int(right)) <= 1, "\(colour): \(made[20, 20]) for \(expected)")
            }
        }
    }

    @Test func `profiles of other kinds are left to lcms`() {
        var bytes = MatrixProfile.displayP3.file()
        #expect(MatrixColours(bytes) != nil && MatrixColours(MatrixProfile.sRGB.file(space: "GRAY")) == nil)
        bytes[20] = UInt8(ascii: "L")
        #expect(MatrixColours(bytes) == nil)
        for length in 0..<bytes.count { _ = MatrixColours(Array(bytes.prefix(length))) }
        // Wild numbers must not trap, whatever the result.
        var random = SeededRandom(for: "matrix profiles")
        let file = MatrixProfile.adobeRGB.file()
        for _ in 0..<20_000 {
            var wild = file
            for _ in 0..<3 {
                wild[Int.random(in: 128..<wild.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let colours = MatrixColours(wild) else { continue }
            var pixels = (0..<30).map { _ in UInt8.random(in: 0...255, using: &random) }
            pixels.withUnsafeMutableBytes(colours.convert)
        }
    }

    @Test(arguments: [ImageFormat.png, .jpeg, .webp])
    func `a progressive file is the picture that a baseline one is`(format: ImageFormat) throws {
        let scene = softShapes(401, 300)
        let files = try [true, false].map { isProgressive in
            var recipe = Recipe.make(.jpeg, q: 85)
            recipe.interlaced = isProgressive
            return try TestRenderer.render(PNGFile.write(scene), recipe).bytes
        }
        #expect(try ImageHeader.parse(files[0]).isProgressive)
        for width in [400, 200, 100, 40, 20] {
            let made = try files.map { try TestRenderer.render($0, .make(format, w: width)) }
            #expect(made[0].bytes == made[1].bytes && made[0].isPlanar && made[1].isPlanar)
        }
    }

    @Test func `what it was not made for goes to libvips`() throws {
        let scene = softShapes(120, 90)
        let file = try Self.jpeg(scene, q: 90)
        for query in ["w=120", "we&w=200", "trim=10&w=60", "ch=50&cw=50&precrop&w=30"] {
            let recipe = try Recipe(canonical: "output=png&" + query)
            #expect(!(try TestRenderer.render(file, recipe).isPlanar), "\(query)")
        }
    }

    @Test func `damaged files end as they do with libvips`() throws {
        let file = try Self.jpeg(softShapes(80, 64), q: 80)
        for length in stride(from: 200, to: file.count, by: 37) {
            let cut = Array(file.prefix(length))
            for damaged in [DamagedPicture.refuse, .show] {
                let outcomes = [true, false].map { lane in
                    Result {
                        try TestRenderer.render(cut, .make(.png, w: 20), damaged: damaged, jpegLane: lane)
                            .bytes
                    }
                }
                switch (outcomes[0], outcomes[1]) {
                case (.success(let lane), .success(let libvips)): #expect(lane == libvips)
                // The words depend on libvips' earlier calls.
                case (.failure(ImagingFailure.damaged), .failure(ImagingFailure.damaged)): break
                default: Issue.record("\(length) bytes: \(outcomes)")
                }
            }
        }
    }
}
