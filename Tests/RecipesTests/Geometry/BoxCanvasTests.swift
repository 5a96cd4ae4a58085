// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import Recipes
import RequestGrammar
import Testing

@Suite("What is cut to a box lies on a canvas where the picture is too small")
struct BoxCanvasTests {
    private let header = ImageHeader(format: .jpeg, width: 400, height: 300)

    private func fitted(_ options: String, hasRatioOnly: Bool, from ratio: Double = 1) throws -> Recipe {
        let recipe = try ImageRequest.parse(query: "url=a.com&\(options)&dpr=\(ratio)").recipe
        let fitted = recipe.fitting(header, from: ratio, on: BoxCanvas(hasRatioOnly: hasRatioOnly))
        #expect(fitted.canonicalised == fitted)
        return fitted
    }

    /// Canonical options, and the size of the result.
    @Test(
        arguments: [
            ("fit=cover&w=500&h=600", false, "fit=contain&h=600&w=500", 500, 600),
            ("fit=cover&w=500&h=600", true, "fit=contain&h=480&w=400", 400, 480),
            (
                "fit=cover&w=500&h=200", false, "ch=200&cw=400&cy=50&fit=contain&h=200&precrop=1&w=500", 500,
                200
            ),
            (
                "fit=cover&w=500&h=200&a=top", true, "ch=200&cw=400&fit=contain&h=200&precrop=1&w=500", 500,
                200
            ),
            (
                "fit=cover&w=500&h=200&a=attention", true,
                "ca=attention&ch=200&cw=400&fit=contain&h=200&precrop=1&w=500", 500, 200
            ),
            (
                "fit=cover&w=800&h=1000&shrinkbox", false,
                "ch=300&cw=240&cx=80&fit=contain&h=1000&precrop=1&w=800", 800, 1_000
            ),
            ("fit=auto&w=500&h=400", false, "fit=contain&h=400&w=500", 500, 400),
            ("fit=auto&w=200&h=300", false, "fit=contain&h=300&w=200", 200, 300),
            ("fit=auto&w=600&h=900", true, "fit=contain&h=900&shrinkbox=1&w=600", 400, 600),
            ("fit=auto&w=600&h=900&we=0", false, "fit=contain&h=900&w=600&we=0", 600, 900),
            // A picture that is large enough has no canvas.
            ("fit=cover&w=200&h=200", false, "fit=cover&h=200&w=200", 200, 200),
            ("fit=cover&w=800&h=600", true, "fit=cover&h=600&w=800", 400, 300),
            ("fit=auto&w=200&h=100", true, "fit=auto&h=100&w=200", 200, 100),
            ("w=500&h=600", false, "h=600&w=500", 400, 300),
        ] as [(String, Bool, String, Int, Int)])
    func `it is as large as the box, or has its ratio`(
        options: String, hasRatioOnly: Bool, canonical: String, width: Int, height: Int
    ) throws {
        let recipe = try fitted(options, hasRatioOnly: hasRatioOnly)
        #expect(recipe.canonical == canonical)
        #expect(recipe.resultSize(for: header) == PixelSize(width: width, height: height))
    }

    @Test func `behind the picture is its own colour, or itself`() throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&fit=cover&w=500&h=600").recipe
        var canvas = BoxCanvas(hasRatioOnly: false)
        canvas.sample = .average
        #expect(
            recipe.fitting(header, from: 1, on: canvas).canonical == "cbg=average&fit=contain&h=600&w=500")
        (canvas.sample, canvas.blur) = (nil, 50)
        #expect(recipe.fitting(header, from: 1, on: canvas).canonical == "cblur=50&fit=contain&h=600&w=500")
    }

    @Test func `it is smaller with a lower ratio, and offsets along with it`() throws {
        let recipe = try ImageRequest.parse(query: "url=a.com&fit=cover&w=500&h=200&dpr=2").recipe
        var canvas = BoxCanvas(hasRatioOnly: false)
        (canvas.background, canvas.alignment, canvas.shift.x) = (.white, .left, .pixels(30))
        let options = recipe.fitting(header, from: 2, on: canvas).canonical
        #expect(options == "a=left&ax=30&cbg=ffffff&ch=200&cw=400&cy=50&fit=contain&h=200&precrop=1&w=500")
        #expect(
            try fitted("fit=cover&w=150&h=150", hasRatioOnly: false, from: 3).canonical
                == "fit=cover&h=300&w=300")
    }

    @Test func `there is none without a picture's size, and none beside a crop or a trim`() throws {
        let canvas = BoxCanvas(hasRatioOnly: false)
        for options in ["fit=cover&w=500&h=600&cw=9&precrop", "fit=cover&w=500&h=600&trim"] {
            let recipe = try ImageRequest.parse(query: "url=a.com&\(options)").recipe
            #expect(recipe.fitting(header, from: 1, on: canvas) == recipe)
        }
        let recipe = try ImageRequest.parse(query: "url=a.com&fit=cover&w=500&h=600").recipe
        #expect(recipe.fitting(ImageHeader(format: .pdf, width: 0, height: 0), from: 1, on: canvas) == recipe)
        #expect(recipe.fitting(header, from: 1, on: nil) == recipe)
    }
}
