// SPDX-License-Identifier: Apache-2.0

import Recipes
import Testing

@Suite("The delays of frames are those of the recipe, or as browsers show them")
struct FrameDelayTests {
    @Test(
        arguments: [
            ([], 0, 4, [100, 100, 20, 500]), ([], 2, 2, [20, 500]), ([], 3, 3, [500, 100, 100]),
            ([70], 0, 3, [70, 70, 70]), ([50, 70], 0, 4, [50, 70, 70, 70]), ([0, 5], 1, 3, [0, 5, 5]),
            ([50, 70], 0, 1, [50]), ([], -1, 1, [100]), ([], 0, 0, []), ([], 0, -1, []),
        ] as [([Int], Int, Int, [Int])])
    func `each frame that is taken has one`(told: [Int], page: Int, count: Int, expected: [Int]) {
        var recipe = Recipe()
        (recipe.delays, recipe.page) = (told, page)
        #expect(recipe.delays(of: count, from: [0, 10, 20, 500]) == expected)
    }
}
