// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("What a recipe says and nothing comes of is not kept")
struct CanonicalPartTests {
    @Test func `a recipe asks for nothing until it is told to`() {
        let recipe = Recipe()
        #expect(recipe.width == nil && recipe.height == nil && recipe.pixelRatio == 1)
        #expect(recipe.fit == .inside && recipe.withoutEnlargement && recipe.alignment == .center)
        #expect(recipe.focus == Focus(FocalPoint(x: 0.5, y: 0.5)))
        #expect(recipe.crop == nil && recipe.trim == nil && recipe.mask == nil && recipe.watermark == nil)
        #expect(recipe.rotation == 0 && !recipe.flip && !recipe.flop && !recipe.turnsFirst)
        #expect(recipe.rotationBackground.isTransparent && recipe.containBackground.isTransparent)
        #expect(recipe.background == nil && recipe.blur == nil && recipe.sharpen == nil && recipe.tint == nil)
        #expect(recipe.contrast == 0 && recipe.brightness == 0 && recipe.gamma == 1 && recipe.filter == nil)
        #expect(recipe.modulation == Modulation(brightness: 1, saturation: 1, hue: 0))
        #expect(recipe.output == .source && recipe.quality == nil && recipe.pngLevel == nil)
        #expect(
            recipe.adaptiveFilter == nil && !recipe.interlaced && !recipe.lossless
                && recipe.jsonExtras.isEmpty)
        #expect(recipe.page == 0 && recipe.pages == 1 && recipe.loop == nil && recipe.delays.isEmpty)
        #expect(recipe.canonicalised == recipe)
    }

    @Test func `parts have defaults of their own`() {
        let sharpening = Sharpening()
        #expect(sharpening.sigma == nil && sharpening.flat == 1 && sharpening.jagged == 2)
        #expect(Trim().threshold == 10 && Trim().color == nil)
        let mask = Mask(shape: .star)
        #expect(!mask.trims && mask.background == .transparent)
        let mark = Watermark(source: "logo")
        #expect(mark.position == .at(.bottomRight) && mark.scale == nil && mark.opacity == 1)
        #expect(!Crop().beforeResize)
        #expect(Crop.pixelRange == 0...65_535 && Crop.percentRange == 0...100)
        #expect(Recipe.Length.pixelRange == 1...16_384 && Recipe.Length.percentRange == 0.01...1_000)
        #expect(Filter.duotoneStart.hexadecimal == "c83658" && Filter.duotoneStop.hexadecimal == "d8e74f")
    }

    @Test(arguments: [
        ("cx=0&cy=0", ""), ("cx=0%25&cy=0%25&cw=100%25&ch=100%25", ""), ("cx=1", "cx=1"), ("cy=1", "cy=1"),
        ("cw=1", "cw=1"), ("ch=1", "ch=1"), ("cx=0&cw=5", "cw=5"), ("cy=0%25&ch=5", "ch=5"),
        ("cw=5&precrop", "cw=5"), ("cw=5&precrop&w=9", "cw=5&precrop=1&w=9"),
        ("cw=5&precrop&h=9", "cw=5&h=9&precrop=1"),
        ("precrop&w=9", "w=9"), ("cw=100%25&ch=50%25", "ch=50%25"), ("cx=7&cw=100%25", "cx=7"),
        // Counted from elsewhere than the left or the top, 100 % is the whole side.
        ("ca=right&cx=7&cw=100%25", ""), ("ca=bottom&cx=7&cw=100%25&ch=50%25", "ca=bottom-left&ch=50%25"),
        ("ca=bottom&cy=7&ch=100%25", ""), ("ca=0.3:0.7&cx=7&cw=100%25", ""),
        ("ca=attention&cx=7&cw=100%25", ""),
    ])
    func `a cut of all is none, and it comes before a resize only where there is one`(
        options: String, expected: String
    )
        throws
    {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("wr", ""), ("wr&w=150%25&we=0", "w=150%25&we=0"), ("wr&w=50%25", "w=50%25&wr=1"),
        ("wr&w=9", "w=9&wr=1"),
        ("shrinkbox&w=9", "w=9"), ("shrinkbox&w=9&h=8", "h=8&w=9"),
        ("shrinkbox&w=9&h=8&fit=fill", "fit=fill&h=8&w=9"),
        ("shrinkbox&w=9&h=8&fit=cover", "fit=cover&h=8&shrinkbox=1&w=9"),
        ("shrinkbox&w=9&h=8&fit=cover&we=0", "fit=cover&h=8&w=9&we=0"),
        ("shrinkbox&w=50%25&h=20%25&fit=cover", "fit=cover&h=20%25&w=50%25"),
        // The side that a ratio gives may be longer than the picture's.
        ("shrinkbox&w=50%25&ar=2:1&fit=cover", "ar=2:1&fit=cover&shrinkbox=1&w=50%25"),
        ("shrinkbox&ar=2:1&fit=cover", "ar=2:1&fit=cover"),
        ("shrinkbox&ar=2:1&fit=contain", "ar=2:1&fit=contain"),
        ("shrinkbox&ar=2:1&fit=contain&turnbox", "ar=2:1&fit=contain&shrinkbox=1&turnbox=1"),
        ("turnbox&ar=2:1&fit=cover", "ar=2:1&fit=cover&turnbox=1"),
        ("turnbox&ar=2:1&w=50%25", "ar=2:1&turnbox=1&w=50%25"), ("turnbox&ar=2:1", ""),
        ("turnbox&ar=3:3&fit=cover", "ar=1:1&fit=cover"), ("turnbox&w=50%25", "w=50%25"),
        ("turnbox&ar=2:1&fit=contain&we=0", "ar=2:1&fit=contain&turnbox=1&we=0"),
        ("ar=2:1&fit=contain&we=0", "ar=2:1&fit=contain"),
        ("shrinkbox&w=9&h=8&fit=auto&a=top", "a=top&fit=auto&h=8&shrinkbox=1&w=9"),
        ("fit=auto&w=9", "w=9"), ("fit=auto&a=top", ""),
        ("fit=contain&w=9", "fit=contain&w=9"),
        ("fit=contain&h=9&a=top&cbg=red", "a=top&cbg=ff0000&fit=contain&h=9"),
        ("fit=contain&w=9&we=0&cbg=red", "w=9&we=0"), ("fit=contain&w=90%25", "w=90%25"),
        ("fit=contain&w=150%25&ax=5", "ax=5&fit=contain&w=150%25"),
        ("fit=contain&w=9&shrinkbox", "fit=contain&w=9"),
        ("fit=contain", ""), ("fit=cover&w=9&a=top", "w=9"),
    ])
    func `how a box meets a picture counts only where it can matter`(options: String, expected: String) throws
    {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("ro=0", ""), ("ro=360", ""), ("ro=-90", "ro=270"), ("ro=450", "ro=90"), ("ro=720.5", "ro=0.5"),
        ("ro=-0.5", "ro=359.5"), ("flip&flop", "ro=180"), ("flip&flop&ro=90", "ro=270"),
        ("flip&flop&ro=180", ""),
        ("flip&flop&ro=270", "ro=90"), ("ro=180", "ro=180"), ("ro=270", "ro=270"), ("flip&ro=180", "flop=1"),
        ("flop&ro=180", "flip=1"), ("flip&ro=270", "flop=1&ro=90"), ("flop&ro=270", "flip=1&ro=90"),
        ("flip&ro=90", "flip=1&ro=90"), ("flip&flop&ro=45", "flip=1&flop=1&ro=45"),
        ("flip&ro=225", "flip=1&ro=225"),
        ("rbg=red&ro=90", "ro=90"), ("rbg=red&ro=45", "rbg=ff0000&ro=45"), ("rbg=red", ""),
    ])
    func `turns and mirrors have one spelling for each way the picture can lie`(
        options: String, expected: String
    ) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("preturn", ""), ("preturn&ro=90", "ro=90"), ("preturn&cx=1", "cx=1"),
        ("preturn&cx=1&ro=90", "cx=1&preturn=1&ro=90"), ("preturn&cx=1&flip", "cx=1&flip=1&preturn=1"),
        ("preturn&cx=1&flop", "cx=1&flop=1&preturn=1"), ("preturn&cx=1&ro=45", "cx=1&ro=45"),
        ("preturn&flip&ro=45", "flip=1&preturn=1&ro=45"), ("preturn&flop&ro=45", "flop=1&preturn=1&ro=45"),
        ("preturn&flip", "flip=1"), ("preturn&fit=cover&w=5&h=5&ro=90", "fit=cover&h=5&preturn=1&ro=90&w=5"),
        ("preturn&fit=contain&w=5&h=5&flip", "fit=contain&flip=1&h=5&preturn=1&w=5"),
        ("preturn&fit=fill&w=5&h=5&ro=90", "fit=fill&h=5&ro=90&w=5"), ("preturn&ro=45", "ro=45"),
    ])
    func `when to turn is kept where something would come out otherwise`(options: String, expected: String)
        throws
    {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("bg=0fff", ""), ("bg=1fff", "bg=11ffffff"), ("tint=0fff", ""), ("tint=88ff0000", "tint=ff0000"),
        ("filt=duotone&start=88ff0000&stop=880000ff", "filt=duotone&start=ff0000&stop=0000ff"),
        ("mod=1,1,360", ""), ("mod=1,1,-90", "mod=1,1,270"), ("mod=1,1,725", "mod=1,1,5"), ("mod=1,1,0", ""),
        ("mask=ellipse&mtrim", "mask=ellipse"), ("mask=star&mtrim", "mask=star&mtrim=1"),
        ("mask=circle", "mask=circle"), ("mask=circle&mtrim=0", "mask=circle"),
        ("cbg=red&w=5&h=6", "h=6&w=5"), ("pbg=red", ""), ("pad=0&pbg=red", ""), ("pad=1&pbg=0fff", "pad=1"),
        ("cbg=red&fit=contain&w=5&h=6", "cbg=ff0000&fit=contain&h=6&w=5"),
        ("cbg=red&cblur=9&fit=contain&w=5&h=6", "cblur=9&fit=contain&h=6&w=5"), ("cblur&w=5&h=6", "h=6&w=5"),
        ("cblur&fit=contain&w=5&h=6", "cblur=25&fit=contain&h=6&w=5"),
    ])
    func `a colour that shows nowhere is none`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("pad=0", ""), ("pad=0,0,0,0", ""), ("pad=5,5,5,5", "pad=5"), ("pad=5,5", "pad=5"),
        ("pad=5,6,5,6", "pad=5,6"), ("pad=5,6,5", "pad=5,6"), ("pad=5,6,7,6", "pad=5,6,7"),
        ("pad=5,6,7,8", "pad=5,6,7,8"), ("pad=0,0,0,1", "pad=0,0,0,1"), ("pad=5,5,5,6", "pad=5,5,5,6"),
        ("radius=0", ""), ("radius=4,4,4", "radius=4"), ("radius=4,0", "radius=4,0"),
        ("radius=1,2,3,4", "radius=1,2,3,4"), ("pixelate=1", ""), ("pixelate=2", "pixelate=2"),
        ("dpr=2&pad=5,6&radius=3&pixelate=4&w=10", "pad=10,12&pixelate=8&radius=6&w=20"),
        ("dpr=0.1&pad=4&radius=5&pixelate=4", "radius=1"),
    ])
    func `margins, radii and squares have one spelling, in pixels of the result`(
        options: String, expected: String
    ) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        ("w=160&ar=16:9", "h=90&w=160"), ("h=90&ar=16:9", "h=90&w=160"), ("w=100&ar=1.5", "h=67&w=100"),
        ("w=160&ar=32:18&fit=cover", "fit=cover&h=90&w=160"), ("w=160&h=100&ar=16:9", "h=100&w=160"),
        ("w=80&dpr=2&ar=16:9", "h=90&w=160"), ("w=1&ar=1000:1", "h=1&w=1"), ("ar=16:9", ""),
        ("ar=16:9&fit=outside", ""), ("ar=32:18&fit=cover", "ar=16:9&fit=cover"),
        ("ar=1.7778&fit=contain&cbg=red", "ar=8889:5000&cbg=ff0000&fit=contain"),
        ("w=50%25&ar=3:2&fit=cover", "ar=3:2&fit=cover&w=50%25"), ("w=100%25&ar=1", "ar=1:1&w=100%25"),
        ("zoom=2&w=50", "w=100"), ("zoom=0.5", "w=50%25"), ("zoom=1", ""), ("zoom=2&h=3&w=5", "h=6&w=10"),
        ("zoom=1.5&we=0", "w=150%25&we=0"), ("zoom=2&w=50%25", ""), ("zoom=2&dpr=2&w=5&pad=3", "pad=6&w=20"),
        ("ar=2:1&zoom=0.5", "w=50%25"), ("ar=1:1&fit=cover&zoom=0.5", "ar=1:1&fit=cover&zoom=0.5"),
        ("ar=1:1&fit=cover&zoom=0.5&dpr=3&pad=2", "ar=1:1&fit=cover&pad=6&zoom=1.5"),
        ("ar=1:1&fit=cover&zoom=0.5&dpr=2", "ar=1:1&fit=cover"),
        ("ar=1:1&fit=cover&zoom=2&h=5", "fit=cover&h=10&w=10"),
        ("ar=1:1&fit=fill&zoom=0.5&we=0", "ar=1:1&fit=fill&zoom=0.5"),
        ("ar=1:1&fit=fill&zoom=1.5&we=0", "ar=1:1&fit=fill&we=0&zoom=1.5"),
        ("minw=1&minh=1", ""), ("minw=5&minh=6", "minh=6&minw=5"), ("minw=5&dpr=2", "minw=10"),
        ("minw=5&linear&precrop&cx=1", "cx=1&linear=1&minw=5&precrop=1"), ("minw=5&we=0", "minw=5"),
        ("ax=5", ""), ("ax=5&w=5&h=5", "h=5&w=5"), ("ax=5&w=5&h=5&fit=cover", "ax=5&fit=cover&h=5&w=5"),
        ("ax=0&ay=0%25&w=5&h=5&fit=cover", "fit=cover&h=5&w=5"),
        ("ax=5&w=5&h=5&fit=cover&a=entropy", "a=entropy&fit=cover&h=5&w=5"),
        ("ax=5&ay=-5%25&dpr=2&w=5&h=5&fit=contain", "ax=10&ay=-5%25&fit=contain&h=10&w=10"),
        ("ax=5&a=focal&w=5&h=5&fit=cover", "ax=5&fit=cover&h=5&w=5"),
    ])
    func `a box has one spelling, whatever it is made of`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: ["pad=8193", "radius=0,0,0,8193", "pixelate=501"])
    func `a pixel ratio that leaves the range of one is refused`(option: String) {
        #expect(throws: RequestError.self) { try canonical("dpr=2&\(option)") }
        #expect(throws: Never.self) { try canonical("dpr=1.9&\(option)") }
    }

    @Test func `a watermark that cannot be seen is none, and a mild sharpening has no slopes`() {
        var recipe = Recipe()
        recipe.watermark = Watermark(source: "logo", opacity: 0)
        recipe.sharpen = Sharpening(sigma: nil, flat: 3, jagged: 4)
        #expect(recipe.canonicalised.watermark == nil)
        #expect(recipe.canonicalised.sharpen == Sharpening())
        recipe.watermark?.opacity = 0.01
        recipe.sharpen?.sigma = 1
        #expect(recipe.canonicalised == recipe)
    }

    @Test(arguments: [
        ("jpg", "maxbytes=5000&output=jpg"), ("webp", "maxbytes=5000&output=webp"), ("png", "output=png"),
        ("avif", "maxbytes=5000&output=avif"), ("jxl", "maxbytes=5000&output=jxl"), ("gif", "output=gif"),
        ("tiff", "output=tiff"), ("json", "output=json"), ("webp&ll", "ll=1&output=webp"),
        ("jpg&ll", "maxbytes=5000&output=jpg"), ("auto", "maxbytes=5000&output=auto"),
    ])
    func `a limit of bytes is for formats that have a quality`(output: String, expected: String) throws {
        #expect(try canonical("maxbytes=5000&output=\(output)") == expected)
        #expect(try canonical("v=7&attachment&filename=x") == "")
    }

    @Test func `nothing is done to an original that is handed on`() throws {
        #expect(
            try canonical("output=raw&w=5&h=6&fit=cover&pad=3&q=5&page=2&filt=sepia&json=average")
                == "output=raw")
    }

    /// The settings that each format's encoder has.
    @Test(arguments: [
        ("jpg", "il=1&output=jpg&q=5"), ("png", "af=1&il=1&l=3&output=png"), ("webp", "ll=1&output=webp&q=5"),
        ("avif", "ll=1&output=avif&q=5"), ("gif", "il=1&output=gif"), ("tiff", "output=tiff&q=5"),
        ("jxl", "ll=1&output=jxl&q=5"), ("json", "output=json"),
        ("auto", "af=1&il=1&l=3&ll=1&output=auto&q=5"),
    ])
    func `each format listens to its own settings`(output: String, expected: String) throws {
        #expect(try canonical("output=\(output)&q=5&l=3&af&il&ll") == expected)
    }

    @Test func `without a word about the format all settings are kept, for whichever it will be`() throws {
        #expect(try canonical("q=5&l=3&af=0&il&ll") == "af=0&il=1&l=3&ll=1&q=5")
    }

    @Test(arguments: [
        ("json=average", ""), ("json=average&output=auto", "output=auto"),
        ("json=average&output=png", "output=png"),
        ("json=srcset,average&output=json", "json=average,srcset&output=json"),
    ])
    func `what JSON tells is kept for JSON`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: [
        (
            "q=5&l=3&af&il&ll&profile=p3&metadata=copyright",
            "af=1&il=1&json=srcset&l=3&ll=1&metadata=copyright&output=json&profile=p3&q=5"
        ),
        ("fq=webp:50,jpg:60", "fq=jpg:60,webp:50&json=srcset&output=json"),
        ("fq=webp:50&q=40", "json=srcset&output=json&q=40"), ("linear", "json=srcset&linear=1&output=json"),
        ("maxbytes=900&gainmap&svg", "gainmap=1&json=srcset&maxbytes=900&output=json&svg=1"),
        ("asis=jpg", "json=srcset&output=json"),
    ])
    func `what counts for the URLs of a srcset is kept for it, and for no other JSON`(
        options: String, expected: String
    ) throws {
        #expect(try canonical("output=json&json=srcset&\(options)") == expected)
        #expect(try canonical("output=json&json=average&\(options)") == "json=average&output=json")
    }

    @Test(arguments: [
        ("loop=3", ""), ("delay=100", ""), ("loop=3&n=1", ""), ("loop=3&n=-1", "loop=3&n=-1"),
        ("delay=100&n=2&output=webp", "delay=100&n=2&output=webp"), ("loop=3&n=-1&output=png", "output=png"),
        ("loop=3&n=-1&output=gif", "loop=3&n=-1&output=gif"),
        ("loop=3&n=-1&output=auto", "loop=3&n=-1&output=auto"),
        ("loop=3&output=json", "loop=3&output=json"), ("n=5&output=json", "n=5&output=json"),
    ])
    func `one frame has no timing`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(
        arguments: [
            (.pixels(16_384), 8, .pixels(16_384)), (.pixels(2_048), 8, .pixels(16_384)),
            (.pixels(1), 0.1, .pixels(1)),
            (.pixels(15), 0.1, .pixels(2)), (.pixels(14), 0.1, .pixels(1)),
            (.percent(999), 8, .percent(1_000)),
            (.percent(0.01), 0.1, .percent(0.01)), (.percent(33.3333), 0.5, .percent(16.6667)),
        ] as [(Recipe.Length, Double, Recipe.Length)])
    func `a length that is multiplied stays in its range`(
        length: Recipe.Length, ratio: Double, expected: Recipe.Length
    ) {
        var recipe = Recipe()
        (recipe.width, recipe.pixelRatio) = (length, ratio)
        #expect(recipe.canonicalised.width == expected)
        #expect(recipe.canonicalised.pixelRatio == 1)
        (recipe.width, recipe.height) = (nil, length)
        #expect(recipe.canonicalised.height == expected)
    }

    @Test func `a description is not interlaced, whatever was asked for`() throws {
        var recipe = Recipe()
        (recipe.output, recipe.interlaced) = (.json, true)
        let header = ImageHeader(format: .png, width: 30, height: 20)
        #expect(recipe.leavesPixels(of: header) && recipe.canonicalised.leavesPixels(of: header))
    }

    @Test func `canonicalisation changes nothing of what a picture becomes`() {
        var random = SeededRandom(for: "canonicalisation, elsewhere")
        for _ in 0..<5_000 {
            let recipe = random.recipe()
            let canonical = recipe.canonicalised
            #expect(canonical.canonicalised == canonical)
            // An unchanged original is not rendered.
            if recipe.output == .raw { continue }
            let header = ImageHeader(
                format: ImageFormat.allCases.randomElement(using: &random) ?? .png,
                width: Int.random(in: 1...2_000, using: &random),
                height: Int.random(in: 1...2_000, using: &random),
                pages: Int.random(in: 1...9, using: &random), hasAlpha: random.chance(50))
            #expect(
                recipe.framesTaken(from: header) == canonical.framesTaken(from: header), "\(recipe.canonical)"
            )
            #expect(
                recipe.pageTaken(from: header) == canonical.pageTaken(from: header), "\(recipe.canonical)")
            #expect(
                recipe.leavesPixels(of: header) == canonical.leavesPixels(of: header), "\(recipe.canonical)")
            #expect(
                recipe.inspection == canonical.inspection || recipe.output != .json, "\(recipe.canonical)")
            if recipe.output != .auto {
                #expect(recipe.resolvingAuto(avif: true, webp: true, header: header) == canonical)
            }
        }
    }
}
