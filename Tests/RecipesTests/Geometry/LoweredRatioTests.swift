// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("A pixel ratio for which a picture is too small is lowered")
struct LoweredRatioTests {
    private let header = ImageHeader(format: .jpeg, width: 400, height: 300)

    private func lowered(_ options: String, from ratio: Double, of header: ImageHeader) throws -> String {
        let recipe = try ImageRequest.parse(query: "url=a.com&\(options)&dpr=\(ratio)").recipe
        let lowered = recipe.loweringRatio(ratio, for: header)
        #expect(lowered.canonicalised == lowered)
        return lowered.canonical
    }

    @Test(
        arguments: [
            ("fit=cover&w=150&h=150", 3.0, "fit=cover&h=300&w=300"),
            ("fit=contain&w=300&h=300", 2, "fit=contain&h=400&w=400"),
            ("fit=contain&w=300", 2, "fit=contain&w=400"), ("w=150&h=150", 3, "h=400&w=400"),
            // The ratio is not lowered below 1.
            ("fit=cover&w=500&h=200", 2, "fit=cover&h=200&w=500"),
            ("fit=contain&w=800", 2, "fit=contain&w=800"),
            ("w=300&pad=10", 2, "pad=13&w=400"),
            ("fit=cover&w=150&h=150&ax=9&a=left", 3, "a=left&ax=18&fit=cover&h=300&w=300"),
            ("pad=10&w=100%25", 2, "pad=10"), ("minw=50&w=300", 2, "minw=67&w=400"),
            // Landscape is cut to a landscape box, and fitted into a portrait one.
            ("fit=auto&w=150&h=150", 3, "fit=auto&h=300&w=300"),
            ("fit=auto&w=150&h=200", 3, "fit=auto&h=533&w=400"),
            ("fit=cover&ar=1:1&zoom=0.75", 2, "ar=1:1&fit=cover"),
            ("fit=contain&ar=1:1&zoom=0.75&pad=3", 2, "ar=1:1&fit=contain&pad=4"),
            // The part that is cut out first is resized.
            (
                "fit=cover&w=100&h=100&cw=200&ch=150&precrop", 2,
                "ch=150&cw=200&fit=cover&h=150&precrop=1&w=150"
            ),
            (
                "fit=cover&w=100&h=50&ro=90&preturn&cw=200&ch=300&precrop", 4,
                "ch=300&cw=200&fit=cover&h=100&precrop=1&preturn=1&ro=90&w=200"
            ),
        ] as [(String, Double, String)])
    func `the box keeps its shape, and margins follow it`(
        options: String, ratio: Double, expected: String
    ) throws {
        #expect(try lowered(options, from: ratio, of: header) == expected)
    }

    @Test(
        arguments: [
            ("fit=cover&w=150&h=150", 2.0), ("w=100&pad=5", 4), ("fit=cover&w=150&h=150&we=0", 3),
            ("fit=fill&w=150&h=150", 3), ("fit=cover&w=150&h=150&trim=10", 3), ("pad=5", 3),
            ("fit=cover&w=900&h=900", 0.5),
        ] as [(String, Double)])
    func `what a picture is large enough for, or may grow to, stays`(options: String, ratio: Double) throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&\(options)&dpr=\(ratio)").recipe
        #expect(recipe.loweringRatio(ratio, for: header) == recipe)
        #expect(recipe.loweringRatio(1, for: header) == recipe)
    }

    @Test func `a drawing has any size, and an original without one is taken as it is`() throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&fit=cover&w=450&h=450").recipe
        for header in [
            ImageHeader(format: .svg, width: 40, height: 30), ImageHeader(format: .png, width: 0, height: 0),
        ] { #expect(recipe.loweringRatio(3, for: header) == recipe) }
        var turned = ImageHeader(format: .jpeg, width: 300, height: 400)
        turned.orientation = 6
        #expect(recipe.loweringRatio(3, for: turned) == recipe.loweringRatio(3, for: header))
    }
    @Test(arguments: [
        ("w=200&h=200", "h=200&w=200&we=0"),
        ("fit=cover&w=200&h=90&a=top", "a=top&fit=cover&h=90&w=200&we=0"),
        ("fit=cover&w=200&h=90&shrinkbox", "fit=cover&h=90&w=200&we=0"), ("fit=contain&w=200", "w=200&we=0"),
        // No size to grow to, and a trim whose result is unknown.
        ("blur=2", "blur=2"), ("w=200&trim=10", "trim=10&w=200"),
    ])
    func `a drawing grows to its box where drawings may, and no other picture does`(
        options: String, expected: String
    ) throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&\(options)").recipe
        var terms = RequestTerms()
        for format in [ImageFormat.svg, .pdf] {
            let drawing = ImageHeader(format: format, width: 40, height: 30)
            #expect(terms.fitting(recipe, to: drawing) == recipe)
            terms.enlargesDrawings = true
            #expect(terms.fitting(recipe, to: drawing).canonical == expected)
            terms.enlargesDrawings = false
        }
        terms.enlargesDrawings = true
        #expect(terms.fitting(recipe, to: header) == recipe)
    }
}
