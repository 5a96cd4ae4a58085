// SPDX-License-Identifier: Apache-2.0

/// A row of the option table: all that is known of one parameter of the URL.
package struct Option: Sendable {
    /// What the parameter speaks of.
    enum Role: Sendable {
        /// Where the original comes from.
        case source
        /// A field of the recipe.
        case recipe(RecipeField)
    }

    package let name: String
    /// Accepted in every dialect.
    package let synonyms: [String]
    /// What is allowed, for people.
    package let values: String
    /// What holds without it, for people.
    package let defaultValue: String
    package let meaning: String
    let role: Role

    /// A parameter that sets a field of the recipe. `defaultValue` is told where the field's own default says
    /// too little.
    init<Value: Equatable>(
        _ name: String, _ synonyms: [String] = [], sets field: any WritableKeyPath<Recipe, Value> & Sendable,
        to grammar: ValueGrammar<Value>, defaultValue: String? = nil, meaning: String
    ) {
        self.name = name
        self.synonyms = synonyms
        self.values = grammar.words
        self.defaultValue = defaultValue ?? grammar.write(Recipe()[keyPath: field])
        self.meaning = meaning
        self.role = .recipe(RecipeField(field, grammar))
    }

    /// A parameter that sets a field which is nil by default.
    init<Value: Equatable>(
        _ name: String, _ synonyms: [String] = [], sets field: any WritableKeyPath<Recipe, Value?> & Sendable,
        to grammar: ValueGrammar<Value>, defaultValue: String, meaning: String
    ) {
        self.init(
            name, synonyms, sets: field, to: grammar.optional(), defaultValue: defaultValue, meaning: meaning)
    }

    /// The parameter that holds the source URL.
    init(source name: String, values: String, meaning: String) {
        self.name = name
        self.synonyms = []
        self.values = values
        self.defaultValue = "required"
        self.meaning = meaning
        self.role = .source
    }
}

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
