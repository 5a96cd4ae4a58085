// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import RandomRecipes
import Recipes
import Testing

@Suite("A recipe in a box") struct RecipeBoxTests {
    @Test func `is what it was, and equal boxes are those of equal recipes`() {
        var random = SeededRandom(for: "boxed recipes")
        for _ in 1...500 {
            let (recipe, other) = (random.recipe(), random.recipe())
            let (box, again, different) = (RecipeBox(recipe), RecipeBox(recipe), RecipeBox(other))
            #expect(box.recipe == recipe)
            #expect(box == again)
            // The hash value is remembered after the first use.
            #expect(box.hashValue == again.hashValue)
            #expect(box.hashValue == box.hashValue)
            #expect((box == different) == (recipe == other))
            #expect(Set([box, again, different]).count == (recipe == other ? 1 : 2))
        }
    }
}
