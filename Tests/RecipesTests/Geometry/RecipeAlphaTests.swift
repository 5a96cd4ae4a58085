// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("A result may be transparent where the source is, or a step leaves nothing")
struct RecipeAlphaTests {
    private func leavesAlpha(_ options: String, alpha: Bool) throws -> Bool {
        let header = ImageHeader(format: .png, width: 100, height: 80, hasAlpha: alpha)
        return try Recipe(canonical: options).leavesAlpha(in: header)
    }

    /// For a source with alpha, and for one without.
    @Test(arguments: [
        ("", true, false), ("w=50", true, false), ("bg=red", false, false), ("bg=88ff0000", true, false),
        ("mask=circle", true, true), ("mask=circle&mbg=red", true, false),
        ("mask=circle&mbg=88ff0000", true, true),
        ("radius=5", true, true), ("radius=5&bg=red", false, false), ("pad=5", true, true),
        ("pad=5&pbg=red", true, false), ("pad=5&bg=red", false, false), ("pad=0", true, false),
        ("bg=red&mask=circle", true, true), ("bg=red&mask=circle&mbg=red", false, false),
        ("ro=45", true, true), ("rbg=red&ro=45", true, false), ("rbg=88ff0000&ro=45", true, true),
        ("bg=red&ro=45", false, false), ("ro=90", true, false), ("ro=180", true, false),
        ("fit=contain&h=100&w=100", true, true), ("cbg=red&fit=contain&h=100&w=100", true, false),
        ("cbg=88ff0000&fit=contain&h=100&w=100", true, true),
        ("bg=red&fit=contain&h=100&w=100", false, false),
        ("cblur=9&fit=contain&h=100&w=100", true, false),
        // No bars if the picture has the canvas's shape.
        ("fit=contain&h=40&w=50", true, false), ("fit=cover&h=100&w=100", true, false),
    ])
    func `what is laid under it hides what was there before`(options: String, ofAlpha: Bool, ofOpaque: Bool)
        throws
    {
        #expect(try leavesAlpha(options, alpha: true) == ofAlpha)
        #expect(try leavesAlpha(options, alpha: false) == ofOpaque)
    }

    @Test func `the bars are those around the upright picture`() throws {
        let recipe = try Recipe(canonical: "fit=contain&h=50&w=40")
        let lying = ImageHeader(format: .jpeg, width: 100, height: 80, orientation: 6)
        #expect(!recipe.leavesAlpha(in: lying))
        #expect(recipe.leavesAlpha(in: ImageHeader(format: .jpeg, width: 100, height: 80)))
    }

    @Test(arguments: [
        // A picture of the canvas's shape, of which a part of another shape is kept, and vice versa.
        ("fit=contain&h=40&w=50&cw=50&precrop", true), ("fit=contain&h=40&w=40&cw=80&precrop", false),
        ("fit=contain&h=40&w=50&cw=50", false), ("fit=contain&h=40&w=40&cw=80", true),
        ("fit=contain&h=50&w=40&cw=80&ch=100&precrop&preturn&ro=90", false),
        ("fit=contain&h=50&w=40&cw=80&ch=100&precrop", true),
        // The shape that a trim leaves is unknown.
        ("fit=contain&h=40&w=50&trim", true), ("cbg=red&fit=contain&h=40&w=50&trim", false),
        ("fit=contain&h=40&trim&we=0", false), ("fit=cover&h=40&w=40&trim", false),
    ])
    func `the bars are those around what is cut out first`(options: String, bars: Bool) throws {
        #expect(try leavesAlpha(options, alpha: false) == bars)
    }

    // MARK: Auto and AVIF

    @Test(arguments: [(1, 1), (20, 1), (21, 1), (22, 2), (75, 55), (100, 80)])
    func `a quality is twenty lower on AVIF's scale, and one at least`(asked: Int, made: Int) {
        var recipe = Recipe()
        (recipe.output, recipe.quality) = (.auto, .number(asked))
        let header = ImageHeader(format: .png, width: 10, height: 10)
        #expect(recipe.resolvingAuto(avif: true, webp: false, header: header).quality == .number(made))
        recipe.quality = .likeness(0.9)
        #expect(recipe.resolvingAuto(avif: true, webp: false, header: header).quality == .likeness(0.9))
    }

    @Test(arguments: [(1, 21), (60, 80), (79, 99), (80, 100), (81, 100), (100, 100)])
    func `and twenty higher on WebP's, and a hundred at most`(asked: Int, made: Int) {
        var recipe = Recipe()
        (recipe.output, recipe.quality) = (.format(.avif), .number(asked))
        let header = ImageHeader(format: .png, width: 10, height: 10)
        let limited = recipe.limitingAVIF(to: 99, shapes: [header])
        #expect(limited.output == .format(.webp))
        #expect(limited.quality == .number(made))
        recipe.quality = .likeness(nil)
        #expect(recipe.limitingAVIF(to: 99, shapes: [header]).quality == .likeness(nil))
    }

    @Test func `AVIF is limited by the pixels of its canvas, and nothing else is`() throws {
        let header = ImageHeader(format: .png, width: 100, height: 50)
        func output(_ options: String, _ pixels: Int) throws -> Recipe.Output {
            try Recipe(canonical: options).limitingAVIF(to: pixels, shapes: [header]).output
        }
        #expect(try output("output=avif", 5_000) == .format(.avif))
        #expect(try output("output=avif", 4_999) == .format(.webp))
        #expect(try output("output=avif&w=10", 50) == .format(.avif))
        #expect(try output("fit=contain&h=100&output=avif&w=100", 5_001) == .format(.webp))
        #expect(try output("output=jxl", 1) == .format(.jxl))
        #expect(try output("output=auto", 1) == .auto)
        #expect(try output("", 1) == .source)
        let huge = ImageHeader(format: .png, width: 2_147_483_647, height: 2_147_483_647, hasAlpha: true)
        for (pixels, expected) in [(Int.max, ImageFormat.avif), (1 << 62, .avif), (1 << 61, .png), (0, .png)]
        {
            let recipe = try Recipe(canonical: "output=avif").limitingAVIF(to: pixels, shapes: [huge])
            #expect(recipe.output == .format(expected))
        }
    }

    @Test func `an animation is told by what is wanted and what is there`() {
        for (wanted, format, there, expected) in [
            (-1, ImageFormat.gif, 2, ImageFormat.webp), (2, .gif, 2, .webp), (1, .gif, 2, .avif),
            (-1, .gif, 1, .avif),
            (-1, .webp, 2, .webp), (-1, .tiff, 2, .avif), (-1, .png, 1, .avif),
        ] {
            var recipe = Recipe()
            (recipe.output, recipe.pages) = (.auto, wanted)
            let header = ImageHeader(format: format, width: 10, height: 10, pages: there)
            let resolved = recipe.resolvingAuto(avif: true, webp: true, header: header)
            #expect(resolved.output == .format(expected), "\(wanted) of \(there) \(format)")
        }
    }
}
