// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@testable import Pipeline

/// The expected time of a job grows with its pixels and its steps. Benchmarks measure by how much.
@Suite("What makes a job longer or larger is seen before it begins")
struct EstimateTests {
    private func header(
        _ format: ImageFormat = .png, _ width: Int = 3_000, _ height: Int = 2_000, pages: Int = 1,
        orientation: Int = 1, hasAlpha: Bool = true
    ) -> ImageHeader {
        ImageHeader(
            format: format, width: width, height: height, pages: pages, orientation: orientation,
            hasAlpha: hasAlpha)
    }

    private func time(_ header: ImageHeader, _ recipe: String) throws -> Int64 {
        JobTime(header: header, recipe: try recipe.isEmpty ? Recipe() : Recipe(canonical: recipe)).expected
    }

    private func price(_ header: ImageHeader, _ recipe: String) throws -> Int {
        JobPrice.bytes(header: header, recipe: try Recipe(canonical: recipe))
    }

    private func sorted(_ parts: String...) -> String { parts.sorted().joined(separator: "&") }

    @Test(arguments: [
        ImageFormat.jpeg, .png, .webp, .gif, .avif, .heic, .tiff, .bmp, .ico, .jxl, .svg, .pdf,
    ])
    func `an original of four times the pixels takes about four times as long to be read`(format: ImageFormat)
        throws
    {
        let small = try time(header(format, 2_000, 2_000), "h=10&output=jpg&w=10")
        for (width, height) in [(4_000, 4_000), (2_000, 8_000), (8_000, 2_000)] {
            let large = try time(header(format, width, height), "h=10&output=jpg&w=10")
            #expect((3.9...4.1).contains(Double(large) / Double(small)))
        }
    }

    @Test func `a drawing whose size nobody knows takes as long as the largest that is scaled`() throws {
        let recipe = "h=10&output=jpg&w=10"
        let untold = try time(header(.svg, 0, 0), recipe)
        let range = try time(header(.svg, 1_990, 1_990), recipe)...time(header(.svg, 2_010, 2_010), recipe)
        #expect(range.contains(untold))
        #expect(try time(header(.pdf, 0, 0), recipe) < range.lowerBound / 100)
    }

    @Test(arguments: ["output=jpg", "output=png", "output=webp", "output=avif", "output=gif", "output=tiff"])
    func `so does a result, by each side of it`(output: String) throws {
        let source = header(.jpeg, 100, 100, hasAlpha: false)
        let small = try time(source, sorted(output, "h=1000", "w=1000", "fit=fill", "we=0"))
        for (width, height) in [(2_000, 2_000), (4_000, 1_000), (1_000, 4_000)] {
            let large = try time(source, sorted(output, "h=\(height)", "w=\(width)", "fit=fill", "we=0"))
            #expect((3.5...4.1).contains(Double(large) / Double(small)), "\(width)")
        }
    }

    @Test(arguments: [
        "page=1", "page=1&w=100", "h=100&page=1", "h=100&page=1&w=100", "h=100&page=1&w=200",
        "h=300&page=1&w=100", "h=1000&page=1&w=1000", "h=1000&page=1&w=1000&we=0", "h=900&page=1&w=2000&we=0",
        "fit=cover&h=100&page=1&w=300", "fit=outside&h=100&page=1&w=300", "fit=fill&h=900&page=1&w=900",
        "h=100&page=1&turnbox&w=300", "ar=3:2&fit=cover&page=1", "ar=3:2&fit=cover&page=1&we=0&zoom=2",
        "h=50%25&page=1&w=50%25",
    ])
    func `a page of any usual shape finds room in the pixels for which its rendition is admitted`(
        options: String
    ) throws {
        let recipe = try Recipe(canonical: options)
        let room = try #require(JobPrice.pixels(header: header(.tiff, 640, 480, pages: 2), recipe: recipe))
        for (width, height) in [
            (640, 480), (480, 640), (554, 554), (1_108, 277), (277, 1_108), (783, 392), (320, 960),
            (100, 100), (20, 15), (9, 3),
        ] {
            let page = PixelSize(width: width, height: height)
            let plan = Geometry.plan(upright: page, recipe: recipe)
            #expect(plan.resized.area <= room && plan.padded.area <= room, "\(width)×\(height)")
        }
    }

    @Test func `a page that is longer than those has no more room`() throws {
        let recipe = try Recipe(canonical: "page=1&w=100")
        let room = try #require(JobPrice.pixels(header: header(.tiff, 640, 480, pages: 2), recipe: recipe))
        #expect(
            room < Geometry.plan(upright: PixelSize(width: 100, height: 500), recipe: recipe).resized.area)
        #expect(JobPrice.pixels(header: header(.tiff, 640, 480, pages: 1), recipe: recipe) == nil)
    }

    @Test func `each frame that is taken counts as a picture`() throws {
        let animation = header(.gif, 500, 400, pages: 10)
        let (one, all) = (try time(animation, "output=gif"), try time(animation, "n=-1&output=gif"))
        #expect((9.9...10.1).contains(Double(all) / Double(one)))
    }

    @Test(arguments: [
        "blur=3", "sharp=2", "mod=2", "tint=red", "filt=sepia", "mask=circle", "trim=10", "ro=31",
        "il=1", "q=auto",
    ])
    func `each step takes its time`(step: String) throws {
        let output = "output=jpg"
        let plain = try time(header(.jpeg, hasAlpha: false), output)
        #expect(try time(header(.jpeg, hasAlpha: false), sorted(output, step)) > plain)
    }

    @Test func `scans take longer to be read, and a coding without loss longer to be written`() throws {
        var progressive = header(.jpeg, hasAlpha: false)
        progressive.isProgressive = true
        #expect(
            try time(progressive, "output=jpg") > time(header(.jpeg, hasAlpha: false), "output=jpg"))
        for output in ["webp", "avif"] {
            #expect(try time(header(), "ll=1&output=\(output)") > time(header(), "output=\(output)"))
        }
        #expect(try time(header(), "af=0&output=png") < time(header(), "output=png"))
    }

    /// 6 megapixels of four bytes each.
    private let copy = 24_000_000

    @Test func `what is cut before it is resized is held whole where it is turned first`() throws {
        let turned = header(.jpeg, orientation: 6, hasAlpha: false)
        let straight = header(.jpeg, orientation: 1, hasAlpha: false)
        let cut = "ch=90%25&cw=90%25&output=jpg&w=100"
        #expect(try price(turned, cut) - price(straight, cut) < copy)
        #expect(try price(turned, cut + "&precrop=1") - price(straight, cut + "&precrop=1") > copy)
        #expect(try price(turned, "output=jpg&trim=10") - price(straight, "output=jpg&trim=10") > copy)
    }

    @Test(arguments: [ImageFormat.avif, .heic])
    func `a HEIF may have to be turned before it is cut, and is held whole for it`(format: ImageFormat) throws
    {
        let (whole, cut) = ("output=jpg&w=100", "ch=90%25&cw=90%25&output=jpg&w=100&precrop=1")
        for hasAlpha in [false, true] {
            let header = header(format, hasAlpha: hasAlpha)
            #expect(try price(header, cut) - price(header, whole) >= copy, "alpha \(hasAlpha)")
        }
    }

    @Test func `what is cut before it is resized is reckoned by its own shape`() throws {
        let photo = header(.jpeg, 4_000, 3_000, hasAlpha: false)
        let (whole, cut) = ("output=jpg&w=800&we=0", "cw=100&output=jpg&precrop=1&w=800&we=0")
        // The result has 800 × 24,000 pixels, of two bytes each for the encoder.
        #expect(try price(photo, whole) < 38_400_000 && price(photo, cut) > 38_400_000)
        // Resizing takes 8 ns a pixel.
        #expect(try time(photo, cut) - time(photo, whole) > 100_000)
    }

    @Test func `a file that gets a profile is held whole`() throws {
        let (plain, wide) = ("output=png", "output=png&profile=p3")
        #expect(try price(header(.jpeg), wide) - price(header(.jpeg), plain) == copy)
        #expect(try price(header(.jpeg), "output=png&profile=keep") - price(header(.jpeg), wide) == 4 << 20)
        #expect(try price(header(.jpeg), "output=gif&profile=p3") == price(header(.jpeg), "output=gif"))
    }

    @Test func `a JPEG that its EXIF turns or mirrors is held once more`() throws {
        let recipe = "output=jpg"
        let plain = try price(header(.jpeg, orientation: 1, hasAlpha: false), recipe)
        for orientation in 2...8 {
            let price = try price(header(.jpeg, orientation: orientation, hasAlpha: false), recipe)
            #expect(price > plain, "\(orientation)")
        }
    }

    @Test(arguments: ["flip=1", "mask=circle", "q=auto", "ro=90", "ro=31", "trim=10"])
    func `a step that holds the picture makes a job more expensive, and alpha makes none cheaper`(
        step: String
    ) throws {
        let output = "output=webp"
        let (opaque, clear) = (header(hasAlpha: false), header(hasAlpha: true))
        #expect(try price(opaque, sorted(output, step)) > price(opaque, output))
        #expect(try price(clear, sorted(output, step)) > price(clear, output))
        #expect(try price(clear, sorted(output, step)) >= price(opaque, sorted(output, step)))
        #expect(try price(clear, "output=webp&sharp=2") > price(clear, output))
    }
}
