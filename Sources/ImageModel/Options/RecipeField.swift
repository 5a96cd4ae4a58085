// SPDX-License-Identifier: Apache-2.0

/// A field of the recipe, with its type forgotten.
struct RecipeField: Sendable {
    /// Sets the field; false if the text is no value for it.
    let read: @Sendable (_ text: String?, _ recipe: inout Recipe) -> Bool
    /// Nil where the field has its default.
    let write: @Sendable (Recipe) -> String?

    init<Value: Equatable>(
        _ field: any WritableKeyPath<Recipe, Value> & Sendable, _ grammar: ValueGrammar<Value>
    ) {
        let standard = Recipe()
        read = { text, recipe in
            guard let value = grammar.read(text) else { return false }
            recipe[keyPath: field] = value
            return true
        }
        write = { recipe in
            let value = recipe[keyPath: field]
            return value == standard[keyPath: field] ? nil : grammar.write(value)
        }
    }
}
