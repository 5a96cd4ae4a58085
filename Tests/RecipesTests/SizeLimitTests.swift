// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("A box beyond the limit is made smaller, in its shape")
struct SizeLimitTests {
    private let limit = SizeLimit(width: 1000, height: 600)

    private func recipe(_ options: String) throws -> Recipe {
        try ImageRequest.parse(query: "url=a.example&\(options)").recipe
    }

    @Test(arguments: [
        ("w=2000&h=1000&fit=cover", "w=1000&h=500&fit=cover"),
        ("w=1000&h=900&fit=cover", "w=667&h=600&fit=cover"),
        ("w=500&h=300&dpr=4&fit=contain", "w=1000&h=600&fit=contain"),
        ("w=900&h=500&fit=fill", "w=900&h=500&fit=fill"),
        ("w=16384&h=1&fit=cover", "w=1000&h=1&fit=cover"),
        ("w=2000&ar=2:1&fit=cover", "w=1000&h=500&fit=cover"),
        // A side that follows from the ratio is limited as well.
        ("w=2000", "w=1000&h=600"), ("w=500&dpr=4", "w=1000&h=600"), ("w=10", "w=10&h=600"),
        ("h=900", "w=1000&h=600"), ("w=50%25", "w=50%25&h=600"),
        ("minw=5000&minh=5000&w=10", "minw=1000&minh=600&w=10&h=600"),
        // A second side would be the canvas's, which follows the picture here.
        ("w=2000&fit=contain", "w=1000&fit=contain"),
        // Lengths in pixels of the result are scaled with the box.
        ("w=2000&h=1000&pad=10&radius=4", "w=1000&h=500&pad=5&radius=2"),
        ("w=2000&h=1000&cx=100&cw=50&cy=4", "w=1000&h=500&cx=50&cw=25&cy=2"),
        ("", ""), ("blur=5", "blur=5"),
    ])
    func `what is asked for becomes what is made`(asked: String, made: String) throws {
        #expect(try limit.bounding(recipe(asked)).canonical == recipe(made).canonical)
    }

    @Test func `without a limit nothing changes, and twice is once`() throws {
        var chance = SeededRandom(for: "bounding twice")
        for _ in 0..<2_000 {
            let recipe = chance.recipe()
            #expect(SizeLimit.none.bounding(recipe) == recipe.canonicalised, "\(recipe.canonical)")
            let once = limit.bounding(recipe)
            #expect(limit.bounding(once) == once, "\(recipe.canonical)")
        }
    }
}
