// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RandomRecipes
import Recipes
import Testing

@Suite("What is tested with any recipe is tested with all that a recipe can say")
struct RandomRecipeTests {
    @Test func `every field of a recipe is drawn`() {
        func fields(of recipe: Recipe) -> [String: String] {
            Dictionary(
                Mirror(reflecting: recipe).children.map { ($0.label ?? "", "\($0.value)") },
                uniquingKeysWith: { first, _ in first })
        }
        let usual = fields(of: Recipe())
        var random = SeededRandom(for: "RandomRecipes")
        var missing = Set(usual.keys)
        for _ in 0..<1_000 {
            let drawn = fields(of: random.recipe())
            missing = missing.filter { drawn[$0] == usual[$0] }
        }
        #expect(usual.count > 30)
        #expect(missing == [])
    }
}
