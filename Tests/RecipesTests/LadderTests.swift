// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite("A ladder's steps are few and rise")
struct LadderTests {
    private func recipe(_ options: String) throws -> Recipe {
        try ImageRequest.parse(query: "url=a.example&\(options)").recipe
    }

    private func climbed(_ options: String) throws -> String {
        try WidthLadder([1280, 64, 320, 640, 320]).climbed(by: recipe(options)).canonical
    }

    @Test(arguments: [
        ("w=1", "w=64"), ("w=64", "w=64"), ("w=65", "w=320"), ("w=321", "w=640"), ("w=1280", "w=1280"),
        // Beyond the last step there is none.
        ("w=1281", "w=1280"), ("w=16384", "w=1280"),
        // Requested pixels are those of the screen.
        ("w=160&dpr=2", "w=320"), ("w=161&dpr=2", "w=640"), ("w=100&dpr=0.5", "w=64"),
        ("h=300", "h=320"), ("h=2000", "h=1280"),
        ("w=1%25", "w=10%25"), ("w=10%25", "w=10%25"), ("w=10.0001%25", "w=20%25"), ("w=91%25", ""),
        ("h=33%25&dpr=2", "h=70%25"), ("w=101%25&we=0", "w=110%25&we=0"),
        ("w=1000%25&we=0", "w=1000%25&we=0"),
        ("minw=65", "minw=320"), ("minw=65&minh=2000&w=100", "minw=320&minh=1280&w=320"),
        ("zoom=2&w=100", "w=320"),
        ("w=100&ar=2:1", "w=320&h=160"), ("zoom=0.33", "w=40%25"),
        ("ar=1:1&fit=cover&zoom=0.33", "ar=1:1&fit=cover&zoom=0.4"),
        ("ar=1:1&fit=cover&zoom=0.57&pad=57", "ar=1:1&fit=cover&zoom=0.6&pad=60"),
        ("ar=1:1&fit=cover&zoom=0.95", "ar=1:1&fit=cover"), ("ar=1:1&fit=cover", "ar=1:1&fit=cover"),
        ("blur=5", "blur=5"), ("", ""),
    ])
    func `what is asked for gets the next step up`(asked: String, made: String) throws {
        #expect(try climbed(asked) == recipe(made).canonical)
    }

    @Test(arguments: [
        ("w=160&h=90&fit=cover", "w=320&h=180&fit=cover"), ("w=300&h=300&fit=fill", "w=320&h=320&fit=fill"),
        ("w=100&h=50&dpr=2&fit=contain", "w=320&h=160&fit=contain"), ("w=2560&h=1440", "w=1280&h=720"),
        ("w=300&h=1", "w=320&h=1"), ("w=50%25&h=20%25&fit=cover", "w=50%25&h=20%25&fit=cover"),
        ("w=25%25&h=100", "w=30%25&h=120"),
        ("w=160&pad=10,20&radius=3&pixelate=4", "w=320&pad=20,40&radius=6&pixelate=8"),
        ("h=640&pad=3", "h=640&pad=3"), ("w=16384&h=1", "w=1280&h=1"),
    ])
    func `the other side is scaled along, so that the box keeps its shape`(asked: String, made: String) throws
    {
        #expect(try climbed(asked) == recipe(made).canonical)
    }

    @Test(arguments: [
        // The scaled height would exceed the allowed range.
        "w=65&h=16384&fit=cover", "w=5%25&h=999%25&we=0&fit=fill",
        // These pixels refer to a picture of exactly that width.
        "w=300&cx=10&cw=50", "w=300&ch=50",
    ])
    func `what has a shape or pixels of its own stays as it was asked for`(options: String) throws {
        #expect(try climbed(options) == recipe(options).canonical)
    }

    @Test func `a crop before the resize, or in percent, changes nothing about it`() throws {
        #expect(try climbed("w=300&cw=50&precrop").contains("w=320"))
        #expect(try climbed("w=300&cw=50%25").contains("w=320"))
    }

    @Test func `climbing twice is climbing once`() throws {
        let ladder = WidthLadder([64, 320, 640, 1280])
        var chance = SeededRandom(for: "climbing twice")
        for _ in 0..<2_000 {
            let recipe = chance.recipe()
            let once = ladder.climbed(by: recipe)
            #expect(ladder.climbed(by: once) == once, "\(recipe.canonical)")
        }
    }
}
