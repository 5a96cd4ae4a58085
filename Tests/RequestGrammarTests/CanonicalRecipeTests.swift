// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RandomRecipes
import Recipes
import RequestGrammar
import Testing

@Suite struct CanonicalRecipeTests {
    private func canonical(_ options: String) throws -> String {
        try ImageRequest.parse(query: "url=a.com&\(options)").recipe.canonical
    }

    @Test func `the recipe that asks for nothing is spelt as nothing`() throws {
        #expect(Recipe().canonical == "")
        #expect(try Recipe(canonical: "") == Recipe())
    }

    @Test(arguments: [
        ("h=20&w=10", "h=20&w=10"), ("w=10&h=20", "h=20&w=10"), ("width=10", "w=10"),
        ("q=70&output=jpeg", "output=jpg&q=70"), ("w=33.30%25", "w=33.3%25"), ("we=false&w=5", "w=5&we=0"),
        ("a=left-top&t=cover&w=1&h=2", "a=top-left&fit=cover&h=2&w=1"), ("n=-1", "n=-1"),
        ("output=auto", "output=auto"),
    ])
    func `names are native, sorted and escaped`(options: String, expected: String) throws {
        #expect(try canonical(options) == expected)
    }

    @Test(arguments: ["fit=inside", "we", "we=1", "a=center", "dpr=1", "n=1"])
    func `a default is not spelt`(option: String) throws {
        #expect(try canonical("w=5&\(option)") == "w=5")
    }

    @Test func `what was spelt is read back, and spelling it again changes nothing`() throws {
        var random = SeededRandom(for: "canonical")
        for _ in 0..<5_000 {
            let recipe = random.recipe()
            let canonical = recipe.canonical
            let back = try Recipe(canonical: canonical)
            #expect(back == recipe.canonicalised, "\(canonical)")
            #expect(back.canonical == canonical)
            #expect(back.canonicalised == back)
        }
    }

    /// Unicode treats the two as one text, but fonts draw some of them differently.
    @Test(arguments: [("\u{E9}", "e\u{301}"), ("\u{2126}", "\u{3A9}"), ("\u{FA19}", "\u{795E}")])
    func `texts of other characters are other recipes, whichever is asked for first`(
        one: String, other: String
    ) throws {
        let recipes = [one, other, one].map { text in
            var recipe = Recipe()
            recipe.text = TextOverlay(text)
            return recipe
        }
        #expect(recipes[0] != recipes[1] && recipes[0] == recipes[2])
        for recipe in recipes {
            let text = try #require(recipe.text).text
            let back = try #require(try Recipe(canonical: recipe.canonical).text).text
            #expect(back.utf8.elementsEqual(text.utf8), "\(recipe.canonical)")
        }
    }

    @Test func `the source is no part of a recipe`() {
        #expect(throws: RequestError.unknownOption(parameter: "url")) { try Recipe(canonical: "url=a.com") }
    }
}
