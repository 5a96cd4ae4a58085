// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A recipe on the heap, which stages hand to one another.
///
/// A recipe has 912 bytes in 60 fields: to copy one, to hash it or to compare two costs thousands of instructions. Requests with the
/// same options share one box, so that one of them pays for the hash value, and two equal recipes are mostly the same object.
///
/// **Isolation:** immutable but for the hash value, which is the same whoever computes it.
package final class RecipeBox: Sendable {
    /// What is in it.
    package let recipe: Recipe
    /// 0 until it is asked for.
    private let number = Atomic<Int>(0)

    /// Copies the recipe to the heap.
    package init(_ recipe: Recipe) { self.recipe = recipe }
}

extension RecipeBox: Hashable {
    package static func == (a: RecipeBox, b: RecipeBox) -> Bool { a === b || a.recipe == b.recipe }

    package func hash(into hasher: inout Hasher) {
        var number = self.number.load(ordering: .relaxed)
        if number == 0 {
            number = recipe.hashValue
            self.number.store(number, ordering: .relaxed)
        }
        hasher.combine(number)
    }
}
