// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite struct PriceTests {
    private let megabyte = 1_000_000

    private func price(
        _ format: ImageFormat, _ width: Int, _ height: Int, pages: Int = 1, isProgressive: Bool = false,
        _ recipe: String = "w=100&h=100"
    ) throws -> Int {
        let header = ImageHeader(
            format: format, width: width, height: height, pages: pages, isProgressive: isProgressive)
        return JobPrice.bytes(header: header, recipe: try Recipe(canonical: recipe))
    }

    // Measured by Benchmarks/prices.py at 24 megapixels, in MB.
    @Test(arguments: [
        (ImageFormat.jpeg, false, 0.9), (.jpeg, true, 143.8), (.png, false, 17.7), (.png, true, 80.0),
        (.webp, false, 96.3), (.gif, false, 113.3), (.avif, false, 163.5), (.heic, false, 140.4),
        (.tiff, false, 38.8),
    ])
    func `a price is not below what was measured, and not far above`(
        format: ImageFormat, isProgressive: Bool, measured: Double
    ) throws {
        let price = try price(format, 6_000, 4_000, isProgressive: isProgressive)
        #expect(Double(price) >= measured * 1e6)
        #expect(Double(price) <= measured * 3e6 + 45e6)
    }

    // AVIFs of 12 megapixels without subsampled chroma: of 8 bits, and of 12 bits with alpha.
    @Test(arguments: [(false, 160.7), (true, 314.4)])
    func `samples of two bytes are paid for`(isDeep: Bool, measured: Double) throws {
        let header = ImageHeader(format: .avif, width: 4_000, height: 3_000, isDeep: isDeep)
        let price = Double(JobPrice.bytes(header: header, recipe: try Recipe(canonical: "w=100")))
        #expect(price >= measured * 1e6)
        #expect(price <= measured * 1.5e6)
    }

    // WebPs of 16 megapixels.
    @Test(arguments: [(false, 133.5), (true, 156.0)])
    func `a WebP is there twice while it is decoded`(hasAlpha: Bool, measured: Double) throws {
        let header = ImageHeader(format: .webp, width: 4_000, height: 4_000, hasAlpha: hasAlpha)
        let price = Double(JobPrice.bytes(header: header, recipe: try Recipe(canonical: "w=100")))
        #expect(price >= measured * 1e6)
        #expect(price <= measured * 1.5e6)
    }

    // Lossless WebPs of noise with alpha: of 1.4 and 3 megapixels.
    @Test(arguments: [(1_400, 1_000, 84.4), (2_000, 1_500, 163.5)])
    func `a WebP whose own bytes may be the answer is paid for with a copy of its file`(
        width: Int, height: Int, measured: Double
    ) throws {
        let header = ImageHeader(format: .webp, width: width, height: height, hasAlpha: true)
        let price = Double(JobPrice.bytes(header: header, recipe: try Recipe(canonical: "output=webp")))
        #expect(price >= measured * 1e6)
        #expect(price <= measured * 1.5e6)
    }

    // Noise of 2,400 × 1,800 pixels, in MiB.
    @Test(arguments: [
        (true, "ll=1&output=webp&w=1750", 156), (false, "ll=1&output=webp&w=1800", 132),
        (true, "output=webp&w=1800", 143),
    ])
    func `a WebP of noise is paid for while its file grows`(
        hasAlpha: Bool, recipe: String, measured: Int
    ) throws {
        let header = ImageHeader(format: .webp, width: 2_400, height: 1_800, hasAlpha: hasAlpha)
        let price = JobPrice.bytes(header: header, recipe: try Recipe(canonical: recipe))
        #expect(price >= measured << 20)
        #expect(price <= measured << 20 + 16 << 20)
    }

    // Its frames are coded one after the other, and the coder of one needs far less than all of them.
    @Test func `an animation does not pay for the file of a still picture`() throws {
        var header = ImageHeader(format: .webp, width: 400, height: 300, hasAlpha: true)
        let still = JobPrice.bytes(header: header, recipe: try Recipe(canonical: "ll=1&output=webp"))
        header.pages = 10
        let all = JobPrice.bytes(header: header, recipe: try Recipe(canonical: "ll=1&n=-1&output=webp"))
        #expect(all - still < 10 * 40 * 400 * 300)
    }

    // TIFFs of 5.8 megapixels in one strip, with alpha: of 8 bits, and of floating-point numbers.
    @Test(arguments: [(false, 38.3), (true, 146.1)])
    func `a strip of a TIFF may hold the whole picture`(isDeep: Bool, measured: Double) throws {
        let header = ImageHeader(format: .tiff, width: 2_400, height: 2_400, hasAlpha: true, isDeep: isDeep)
        let price = Double(JobPrice.bytes(header: header, recipe: try Recipe(canonical: "w=100")))
        #expect(price >= measured * 1e6)
        #expect(price <= measured * 1.5e6)
    }

    // Files of 2.6 to 5.8 megapixels by libjxl 0.7: lossless with a coarse picture first, lossy, and both with 16 bits.
    @Test(arguments: [(false, false, 34.9), (true, false, 46.9), (false, true, 44.1), (true, true, 61.5)])
    func `a JPEG XL is priced by the channels that its decoder holds`(
        hasAlpha: Bool, isDeep: Bool, measured: Double
    ) throws {
        let header = ImageHeader(
            format: .jxl, width: 2_400, height: 2_400, hasAlpha: hasAlpha, isDeep: isDeep)
        let price = Double(JobPrice.bytes(header: header, recipe: try Recipe(canonical: "w=100")))
        #expect(price >= measured * 2_400 * 2_400)
        #expect(price <= measured * 2_400 * 2_400 * 1.5)
    }

    // Noise by libjxl 0.7, with efforts 3 to 7, and with 8 and 9.
    @Test(arguments: [
        (false, false, 57.3, 292.4), (true, false, 84.4, 311.4), (false, true, 70.6, 76.9),
        (true, true, 90.4, 99.8),
    ])
    func `a JPEG XL is priced by the channels that its encoder holds`(
        hasAlpha: Bool, isLossless: Bool, measured: Double, high: Double
    ) throws {
        let header = ImageHeader(format: .webp, width: 2_000, height: 2_000, hasAlpha: hasAlpha)
        var recipe = try Recipe(canonical: "output=jxl")
        recipe.lossless = isLossless
        for (effort, measured) in [(5, measured), (9, high)] {
            var encoders = EncoderDefaults()
            encoders.jxlEffort = effort
            let price = Double(JobPrice.bytes(header: header, recipe: recipe, encoders: encoders))
            #expect(price >= measured * 4e6)
            // With the memory for decoding.
            #expect(price <= measured * 4e6 * 1.4 + 60e6)
        }
    }

    // Noise of 1.4 megapixels, whose file has 2.3 bytes a pixel.
    @Test func `a JPEG XL of the highest qualities is priced with its file`() throws {
        #expect(try price(.jpeg, 1_400, 1_000, "output=jxl&q=100") >= 104_320_506)
    }

    // A page of 100 points with one picture of 36 megapixels took 135 MB more than a page without: 3.75 bytes a pixel.
    @Test func `a document is paid for with the pictures that its header does not tell`() throws {
        #expect(try price(.pdf, 100, 100) >= 16 * 3_750_000)
        // With a container of 512 MiB, one picture may cost 128 MiB at most.
        #expect(try price(.pdf, 595, 842) <= 128 << 20)
        // With the smallest budget that the documents name, 90 MiB.
        #expect(try price(.pdf, 595, 842, "output=jpg&w=300") <= 90 << 20)
    }

    // An interlaced PNG of 4 megapixels and 16 bits with alpha.
    @Test func `the PNG of an icon is there twice while it is copied`() throws {
        let price = Double(try price(.ico, 2_000, 2_000, "w=100"))
        #expect(price >= 70.3e6)
        #expect(price <= 70.3e6 * 1.5)
    }

    // Pictures of 20 megapixels each, resized to a sixteenth or a fiftieth by libvips' calls in a loop; in MiB.
    @Test(arguments: [
        (12_000, 1_666, false, false, 58), (30_000, 666, false, false, 110),
        (200_000, 100, false, false, 234),
        (12_000, 1_666, true, false, 85), (30_000, 666, true, false, 177), (200_000, 100, true, false, 446),
        (12_000, 1_666, true, true, 115), (30_000, 666, true, true, 277), (1_000_000, 20, true, true, 848),
    ])
    func `a picture that is wide and low pays for its rows`(
        width: Int, height: Int, hasAlpha: Bool, isDeep: Bool, measured: Int
    ) throws {
        let header = ImageHeader(
            format: .png, width: width, height: height, hasAlpha: hasAlpha, isDeep: isDeep)
        let price = JobPrice.bytes(header: header, recipe: try Recipe(canonical: "w=100"))
        #expect(price >= measured << 20)
        #expect(price <= 2 * measured << 20)
    }

    @Test func `a wide JPEG pays for rows of the size that it is decoded in, and a high picture for none`()
        throws
    {
        // The JPEG may have four inks, for which the resize needs 3.1 times as much.
        #expect(try price(.jpeg, 65_000, 307, "w=32%25") >= 234 << 20)
        #expect(try price(.jpeg, 65_000, 307, "w=100") < 50 << 20)
        #expect(try price(.jpeg, 65_000, 307, "linear=1&w=100") > 234 << 20)
        #expect(try price(.png, 666, 30_000, "w=100") < 60 << 20)
    }

    @Test func `rows of a JPEG are paid for by its components`() throws {
        func price(_ components: UInt8, _ recipe: String = "output=jpg&w=8000") throws -> Int {
            var header = ImageHeader(format: .jpeg, width: 20_000, height: 4_000)
            header.components = components
            return JobPrice.bytes(header: header, recipe: try Recipe(canonical: recipe))
        }
        let inks = try price(4)
        #expect(try price(3) < inks - 15 << 20)
        #expect(try price(1) == price(3))
        // A cut JPEG has three channels. Headers that an older version has read have no number of components.
        let cut = "cw=90%25&output=jpg&precrop=1&w=8000"
        #expect(try price(0) == inks)
        #expect(try price(3, cut) == price(4, cut))
    }

    // Measured with libvips' calls: 61 and 73 MiB, without and with a conversion of colours.
    @Test func `a photograph of a panorama is cut within the memory of a small machine`() throws {
        let cut = try price(.jpeg, 16_000, 4_000, "cw=90%25&output=jpg&precrop=1&w=800")
        #expect(cut >= 73 << 20)
        #expect(cut <= 100 << 20)
    }

    // Pictures with very many colours, from an LZW TIFF, in MiB.
    @Test(arguments: [(1_500, 89), (1_400, 81)])
    func `choosing a palette's colours is paid for`(width: Int, measured: Int) throws {
        let price = try price(.tiff, 1_500, 1_125, "w=\(width)&output=gif")
        #expect(price >= measured << 20)
        #expect(price <= (measured * 3 / 2) << 20)
    }

    // A JPEG of 2,400 × 1,600, in MiB.
    @Test(arguments: [
        ("sharp=2", 32), ("sat=0.6", 31), ("sat=0.6&sharp=2", 38), ("blur=5&sat=0.6&sharp=2", 43),
        ("blur=24&sat=0.6&sharp=2", 58), ("blur=75&sat=0.6&sharp=2", 94), ("blur=128&sat=0.6&sharp=2", 147),
    ])
    func `tiles of steps with neighbours are paid for`(steps: String, measured: Int) throws {
        let price = try price(.jpeg, 2_400, 1_600, "output=jpg&\(steps)")
        #expect(price >= measured << 20)
        #expect(price <= (measured * 3 / 2) << 20)
    }

    @Test func `frames that are taken count, and others do not`() throws {
        let one = try price(.gif, 1_000, 1_000, pages: 50, "output=webp")
        let all = try price(.gif, 1_000, 1_000, pages: 50, "n=-1&output=webp")
        #expect(one < 65 * megabyte)
        #expect(all > 500 * megabyte)
    }

    @Test func `an encoder that holds the picture makes a large result expensive`() throws {
        let (avif, jpeg) = (
            try price(.jpeg, 4_000, 3_000, "output=avif"), try price(.jpeg, 4_000, 3_000, "output=jpg")
        )
        #expect(avif > jpeg + 200 * megabyte)
    }

    @Test func `AVIF takes more without loss`() throws {
        let lossy = try price(.jpeg, 2_000, 2_000, "output=avif")
        #expect(try price(.jpeg, 2_000, 2_000, "ll&output=avif") >= lossy + 150 * megabyte)
    }

    // libaom takes up to 31 bytes a pixel of noise with half the chroma, and 48 with all of it.
    @Test func `AVIF takes more of the qualities with all of its chroma`() throws {
        let half = try price(.jpeg, 2_000, 2_000, "output=avif&q=89")
        #expect(try price(.jpeg, 2_000, 2_000, "output=avif&q=90") >= half + 90 * megabyte)
        #expect(try price(.jpeg, 2_000, 2_000, "output=avif") == half)
    }

    // 9 megapixels of noise that are made one row smaller.
    @Test(arguments: [
        (1, "q=95", 70.3), (1, "q=100", 87.0), (2, "q=80", 72.9), (2, "q=95", 121.5), (6, "q=80", 72.5),
        (6, "q=95", 129.0),
    ])
    func `a JPEG pays for coefficients of all of its chroma, and for planes that are turned`(
        orientation: Int, quality: String, measured: Double
    ) throws {
        let header = ImageHeader(format: .jpeg, width: 3_000, height: 3_000, orientation: orientation)
        let recipe = try Recipe(canonical: "output=jpg&\(quality)&w=2999")
        let price = Double(JobPrice.bytes(header: header, recipe: recipe))
        #expect(price >= measured * 1e6)
        #expect(price <= measured * 1.5e6)
        // A JPEG with standard Huffman tables is written row by row.
        var plain = EncoderDefaults()
        plain.jpegOptimised = false
        let usual = JobPrice.bytes(
            header: header, recipe: try Recipe(canonical: "output=jpg&q=80&w=2999"), encoders: plain)
        let fine = JobPrice.bytes(
            header: header, recipe: try Recipe(canonical: "output=jpg&q=95&w=2999"), encoders: plain)
        #expect(fine - usual <= 2 * 9 * megabyte)
    }

    // The same noise in its own size.
    @Test func `a TIFF of noise is paid for`() throws {
        #expect(try price(.jpeg, 3_000, 3_000, "output=tiff") >= 62 * megabyte)
        let clear = ImageHeader(format: .png, width: 3_000, height: 3_000, hasAlpha: true)
        let opaque = ImageHeader(format: .png, width: 3_000, height: 3_000)
        let recipe = try Recipe(canonical: "output=tiff")
        #expect(
            JobPrice.bytes(header: clear, recipe: recipe)
                >= JobPrice.bytes(header: opaque, recipe: recipe) + 2 * 9 * 1_000_000)
    }

    @Test func `a quality of the settings counts where the recipe has none`() throws {
        let header = ImageHeader(format: .jpeg, width: 2_000, height: 2_000)
        var (usual, fine) = (EncoderDefaults(), EncoderDefaults())
        (usual.avifQuality, fine.avifQuality) = (89, 90)
        func price(_ recipe: String, _ encoders: EncoderDefaults) throws -> Int {
            JobPrice.bytes(header: header, recipe: try Recipe(canonical: recipe), encoders: encoders)
        }
        let half = try price("output=avif", usual)
        #expect(try price("output=avif", fine) >= half + 90 * megabyte)
        #expect(try price("output=avif&q=60", fine) == half)
        // The limit of memory is checked against the same price.
        var limits = PictureLimits(memory: half)
        limits.encoders = usual
        try limits.check(header, for: try Recipe(canonical: "output=avif"))
        limits.encoders = fine
        #expect(throws: DecodeFailure.self) {
            try limits.check(header, for: try Recipe(canonical: "output=avif"))
        }
    }

    @Test func `a search is paid for with all of the chroma, whatever its likeness`() throws {
        for (format, more) in [("avif", 90), ("jpg", 20)] {
            let half = try price(.jpeg, 2_000, 2_000, "output=\(format)&q=60")
            for target in ["auto", "auto:0.5", "auto:0.95"] {
                let searched = try price(.jpeg, 2_000, 2_000, "output=\(format)&q=\(target)")
                #expect(searched >= half + more * megabyte, "\(format), q=\(target)")
            }
        }
    }

    // A PNG of 6 megapixels with alpha, as WebP in its own size.
    @Test(arguments: [
        ("ro=31", 276.2), ("flip=1", 106.3), ("sharp=2", 130.4), ("blur=3", 82.4), ("trim=10", 106.3),
        ("mask=circle", 135.4),
    ])
    func `a step that holds the picture makes it more expensive`(step: String, measured: Double) throws {
        let header = ImageHeader(format: .png, width: 3_000, height: 2_000, hasAlpha: true)
        let recipe = try Recipe(canonical: ["output=webp", step].sorted().joined(separator: "&"))
        let price = Double(JobPrice.bytes(header: header, recipe: recipe))
        #expect(price >= measured * 1e6)
        // The measured WebP was lossy; lossless WebP, which may be tried, takes 15 bytes a pixel more.
        #expect(price <= measured * 2.5e6 + 45e6 + 15 * 6e6)
    }

    @Test func `a watermark is paid for`() throws {
        let header = ImageHeader(format: .jpeg, width: 1_000, height: 1_000)
        let mark = ImageHeader(format: .png, width: 5_000, height: 5_000, isProgressive: true)
        let recipe = try Recipe(canonical: "output=jpg")
        let (with, without) = (
            JobPrice.bytes(header: header, recipe: recipe, watermark: mark),
            JobPrice.bytes(header: header, recipe: recipe)
        )
        #expect(with > without + 200 * megabyte)
    }

    @Test func `sides that no machine could hold end at the largest number`() throws {
        #expect(try price(.png, .max, .max) == .max)
    }
}
