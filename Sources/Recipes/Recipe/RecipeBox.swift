// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// A recipe on the heap, which the stages pass on.
///
/// A recipe has 912 bytes in 60 fields, so copying, hashing or comparing recipes costs thousands of instructions. Requests with the
/// same options share one box, so that the hash value is computed once, and two equal recipes are mostly the same object.
///
/// **Isolation:** immutable except for the hash value, which is the same whoever computes it.
package final class RecipeBox: Sendable {
    /// The recipe.
    package let recipe: Recipe
    /// The hash value; 0 until it is computed.
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
