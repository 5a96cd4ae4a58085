// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite struct RecipeOutputTests {
    private func header(_ format: ImageFormat, pages: Int = 1, alpha: Bool = false) -> ImageHeader {
        ImageHeader(format: format, width: 10, height: 10, pages: pages, hasAlpha: alpha)
    }

    @Test func `a named format is the format`() throws {
        let recipe = try Recipe(canonical: "output=webp")
        for format in ImageFormat.allCases { #expect(recipe.resolvedOutput(for: header(format)) == .webp) }
    }

    @Test func `a format that can be written is kept, and others become JPEG, or PNG with alpha`() {
        for format in ImageFormat.allCases {
            let kept = [.jpeg, .png, .webp, .gif, .avif, .tiff, .jxl].contains(format)
            #expect(Recipe().resolvedOutput(for: header(format)) == (kept ? format : .jpeg))
            guard format != .jpeg else { continue }
            #expect(Recipe().resolvedOutput(for: header(format, alpha: true)) == (kept ? format : .png))
        }
    }

    @Test func `who saves data gets less of the settings' quality, and what has none of it stays`() throws {
        var defaults = EncoderDefaults()
        defaults.jpegQuality = 80
        let saved = try Recipe(canonical: "output=jpg").saving(to: 50, of: defaults)
        #expect(saved.quality == .number(40))
        for options in ["output=png", "output=gif", "output=tiff", "output=tiff&q=70", "output=jpg&q=90"] {
            let recipe = try Recipe(canonical: options)
            #expect(recipe.saving(to: 50, of: defaults) == recipe, "\(options)")
            #expect(!recipe.takesStandardQuality, "\(options)")
        }
    }

    @Test(arguments: [
        (true, true, false, ImageFormat.avif), (true, false, true, .avif), (false, true, true, .webp),
        (false, false, false, .jpeg), (false, false, true, .png),
    ])
    func `auto is the best that is accepted`(avif: Bool, webp: Bool, alpha: Bool, expected: ImageFormat)
        throws
    {
        let recipe = try Recipe(canonical: "output=auto&w=5")
        let resolved = recipe.resolvingAuto(avif: avif, webp: webp, header: header(.png, alpha: alpha))
        #expect(resolved.output == .format(expected))
        #expect(resolved.width == .pixels(5))
    }

    @Test(arguments: [
        (ImageFormat.gif, 5, true, ImageFormat.webp), (.gif, 5, false, .gif), (.webp, 5, true, .webp),
        (.webp, 5, false, .gif), (.gif, 1, true, .avif), (.tiff, 5, true, .avif),
    ])
    func `auto never makes an AVIF of an animation`(
        source: ImageFormat, pages: Int, webp: Bool, expected: ImageFormat
    ) throws {
        let recipe = try Recipe(canonical: "n=-1&output=auto")
        let resolved = recipe.resolvingAuto(avif: true, webp: webp, header: header(source, pages: pages))
        #expect(resolved.output == .format(expected))
        #expect(resolved.pages == (expected.canAnimate ? -1 : 1))
    }

    @Test(arguments: [
        (ImageFormat.png, false, DefaultFormat.own, ImageFormat.png), (.png, false, .common, .jpeg),
        (.webp, false, .own, .webp), (.heic, true, .own, .png), (.heic, false, .own, .jpeg),
        (.png, false, .among([.jpeg, .png]), .png), (.webp, false, .among([.jpeg, .png]), .jpeg),
        (.webp, true, .among([.jpeg, .png]), .png), (.jpeg, false, .among([.webp]), .webp),
        (.webp, true, .among([.jpeg]), .jpeg), (.tiff, false, .among([.png, .jpeg]), .png),
    ])
    func `where Accept takes nothing better, each service has its usual format`(
        source: ImageFormat, alpha: Bool, usual: DefaultFormat, expected: ImageFormat
    ) throws {
        let recipe = try Recipe(canonical: "output=auto&w=5")
        let header = header(source, alpha: alpha)
        #expect(
            recipe.resolvingAuto(avif: false, webp: false, usual: usual, header: header).output
                == .format(expected))
        #expect(
            recipe.resolvingAuto(avif: false, webp: true, usual: usual, header: header).output
                == .format(.webp))
        var plain = recipe
        plain.output = .source
        let resolved = plain.resolvingSource(by: usual, for: header)
        #expect(resolved.resolvedOutput(for: header) == (usual == .common ? source : expected))
    }

    @Test(arguments: [
        ("n=-1&output=auto", ImageFormat.webp, DefaultFormat.own, ImageFormat.webp),
        ("n=-1&output=auto", .webp, .common, .gif), ("output=auto", .webp, .own, .webp),
        ("n=-1&output=auto", .webp, .among([.jpeg, .png, .gif]), .gif),
        ("output=auto", .webp, .among([.jpeg, .png, .gif]), .jpeg),
        ("n=-1&output=auto", .gif, .among([.png, .webp]), .webp),
        ("n=-1&output=auto", .gif, .among([.png]), .png),
    ])
    func `frames that are wanted need a format for them`(
        options: String, source: ImageFormat, usual: DefaultFormat, expected: ImageFormat
    ) throws {
        let resolved = try Recipe(canonical: options).resolvingAuto(
            avif: false, webp: false, usual: usual, header: header(source, pages: 5))
        #expect(resolved.output == .format(expected))
    }

    @Test func `imgproxy hands on what is not processed, whatever Accept says`() throws {
        let usual = DefaultFormat.among([.jpeg])
        for (options, source, isHandedOn) in [
            ("asis=png", ImageFormat.png, true), ("asis=png&output=auto", .png, true),
            ("asis=png&output=auto", .gif, false), ("output=auto", .png, false),
            ("asis=png&output=png", .png, false),
        ] {
            let recipe = try Recipe(canonical: options)
            #expect(recipe.handsOn(header(source), by: usual) == isHandedOn, "\(options)")
            #expect(!recipe.handsOn(header(source), by: .common))
        }
    }

    @Test(arguments: [
        ("mask=circle", ImageFormat.png), ("mask=circle&mbg=red", .jpeg), ("ro=45", .png),
        ("ro=45&rbg=red", .jpeg),
        ("ro=90", .jpeg), ("w=50&h=20&fit=contain", .png), ("w=50&h=20&fit=contain&cbg=red", .jpeg),
        ("w=5&h=5&fit=contain", .jpeg), ("ro=45&bg=red", .jpeg), ("mask=circle&bg=red", .png),
        ("w=5", .jpeg),
    ])
    func `a JPEG of which parts become transparent is a PNG`(options: String, expected: ImageFormat) throws {
        #expect(try Recipe(canonical: options).resolvedOutput(for: header(.jpeg)) == expected)
    }

    @Test func `a quality given with auto is on the scale of JPEG`() throws {
        let recipe = try Recipe(canonical: "output=auto&q=75")
        #expect(recipe.resolvingAuto(avif: true, webp: true, header: header(.png)).quality == .number(55))
        #expect(recipe.resolvingAuto(avif: false, webp: true, header: header(.png)).quality == .number(75))
    }

    @Test(arguments: [
        (800, 19_580, false, ImageFormat.jpeg, ImageFormat.jpeg), (800, 19_580, true, .png, .png),
        (16_383, 10, false, .avif, .webp), (10, 16_384, false, .avif, .jpeg),
    ])
    func `auto is a format that is long enough for the picture`(
        width: Int, height: Int, alpha: Bool, best: ImageFormat, next: ImageFormat
    ) throws {
        let long = ImageHeader(format: .png, width: width, height: height, hasAlpha: alpha)
        let recipe = try Recipe(canonical: "output=auto")
        #expect(recipe.resolvingAuto(avif: true, webp: true, header: long).output == .format(best))
        #expect(recipe.resolvingAuto(avif: false, webp: true, header: long).output == .format(next))
        let avif = try Recipe(canonical: "output=avif").limitingAVIF(to: 1000, shapes: [long])
        #expect(avif.output == .format(next))
        let frames = ImageHeader(format: .gif, width: width, height: height, pages: 3)
        let all = try Recipe(canonical: "n=-1&output=auto")
        #expect(
            all.resolvingAuto(avif: true, webp: true, header: frames).output
                == .format(height > 16_383 ? .gif : .webp))
    }

    @Test(arguments: [
        ("w=400&filt=sepia&mask=circle", 100, "filt=sepia&mask=circle&output=auto&w=100"),
        ("w=400&h=200&fit=cover", 100, "fit=cover&h=50&output=auto&w=100"),
        // A picture that may not grow does not fill these boxes; the part that it fills is scaled.
        ("w=400&h=16384&fit=cover", 800, "fit=cover&h=600&output=auto&w=400"),
        ("w=1000&h=500&fit=cover", 400, "fit=cover&h=250&output=auto&w=400"),
        ("w=1000&cw=400", 400, "cw=200&output=auto&w=400"),
        ("w=1000&cw=400", 1600, "cw=400&output=auto&w=800"),
        ("w=800&h=60&radius=8", 160, "h=120&output=auto&radius=16&w=160"),
        ("w=1000&we=0&cw=500", 500, "cw=250&output=auto&w=500&we=0"),
        // Without a resize, a crop before it equals one after it.
        ("cw=200&ch=100&precrop&radius=10", 100, "ch=13&cw=25&output=auto&radius=1&w=100"),
        ("ar=1:1&fit=cover&radius=60", 300, "fit=cover&h=300&output=auto&radius=30&w=300"),
        ("ar=1:1&fit=cover&zoom=0.5&radius=30", 150, "fit=cover&h=150&output=auto&radius=15&w=150"),
        // A picture that may not grow does not fill a box of 1200 by 1200.
        ("ar=1:1&fit=cover&zoom=2", 400, "fit=cover&h=300&output=auto&w=400"),
        ("w=50%25&h=40%25&fit=cover", 200, "fit=cover&h=20%25&output=auto&w=200"),
        ("w=100%25&h=50%25&fit=fill", 400, "fit=fill&h=25%25&output=auto&w=400"),
        ("w=25%25&h=75%25&fit=cover", 100, "fit=cover&h=37.5%25&output=auto&w=100"),
        ("cx=10&cy=20&cw=100&ch=50&w=400", 200, "ch=25&cw=50&cx=5&cy=10&output=auto&w=200"),
        ("cw=-100&ch=-51&w=400", 200, "ch=-26&cw=-50&output=auto&w=200"),
        // 400 and two margins of 50 become 250.
        ("w=400&pad=10,50&radius=20&pixelate=8", 250, "output=auto&pad=5,25&pixelate=4&radius=10&w=200"),
        ("cw=50&ch=20&precrop&w=30&json=srcset&output=json", 7, "ch=20&cw=50&output=auto&precrop=1&w=7"),
        (
            "q=50&profile=p3&linear&il&fq=webp:9&json=srcset&output=json", 200,
            "il=1&linear=1&output=auto&profile=p3&q=50&w=200"
        ),
        ("fq=webp:9&asis=jpg&json=srcset&output=json", 200, "fq=webp:9&output=auto&w=200"),
    ])
    func `the same picture in another width keeps what is asked of it`(
        asked: String, width: Int, expected: String
    ) throws {
        let header = ImageHeader(format: .jpeg, width: 800, height: 600)
        let recipe = try Recipe(canonical: asked).shown(at: width, of: header)
        #expect(try recipe == Recipe(canonical: expected), "\(recipe.canonical)")
    }

    @Test(arguments: [
        "w=1000&cw=350", "w=300&h=40&cw=20", "w=900&h=300&fit=cover&cw=300", "cw=200&ch=100&precrop&pad=4",
        "h=2000&cx=70&cw=210", "w=100&h=100&fit=outside&cw=50", "w=150%25&cw=350",
    ])
    func `each width of a srcset shows the same part of the picture`(asked: String) throws {
        let header = ImageHeader(format: .jpeg, width: 700, height: 500)
        let recipe = try ImageRequest.parse(query: "url=a.example&\(asked)").recipe
        let whole = recipe.resultSize(for: header)
        for width in [90, 180, 320, 640, 700, 1_920] {
            let size = recipe.shown(at: width, of: header).resultSize(for: header)
            let ratio = Double(size.width) / Double(whole.width)
            // A pixel of each length may be lost to rounding.
            #expect(
                (Double(size.height) - Double(whole.height) * ratio).magnitude <= 3, "\(asked) at \(width)")
        }
    }

    @Test func `auto of one frame of an animation is a still`() throws {
        let recipe = try Recipe(canonical: "output=auto")
        #expect(
            recipe.resolvingAuto(avif: true, webp: true, header: header(.gif, pages: 9)).output
                == .format(.avif))
    }

    @Test func `another output is left as it is`() throws {
        let recipe = try Recipe(canonical: "output=png&w=5")
        #expect(recipe.resolvingAuto(avif: true, webp: true, header: header(.jpeg)) == recipe)
    }

    @Test(arguments: [
        ("", ImageFormat.gif, 9, 1), ("n=-1", .gif, 9, 9), ("n=4", .gif, 9, 4), ("n=40", .gif, 9, 9),
        ("n=-1&output=webp", .gif, 9, 9), ("n=-1&output=gif", .webp, 9, 9), ("n=-1&output=jpg", .gif, 9, 1),
        ("n=-1&output=avif", .gif, 9, 1), ("n=-1", .tiff, 9, 1), ("n=-1&output=webp", .tiff, 9, 1),
        ("n=-1", .png, 1, 1),
    ])
    func `frames are those wanted and there, where both formats are animations`(
        options: String, source: ImageFormat, pages: Int, expected: Int
    ) throws {
        #expect(try Recipe(canonical: options).framesTaken(from: header(source, pages: pages)) == expected)
    }

    @Test(arguments: [
        (16_384, ImageFormat.avif), (16_385, .jpeg), (40_000, .jpeg),
    ])
    func `a picture too long for AVIF and WebP is in neither`(width: Int, expected: ImageFormat) {
        var recipe = Recipe()
        recipe.output = .auto
        let long = ImageHeader(format: .png, width: width, height: 2)
        #expect(recipe.resolvingAuto(avif: true, webp: true, header: long).output == .format(expected))
    }
}
