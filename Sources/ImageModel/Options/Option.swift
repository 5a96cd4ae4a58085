// SPDX-License-Identifier: Apache-2.0

/// A row of the option table: all that is known of one parameter of the URL.
package struct Option: Sendable {
    /// What the parameter speaks of.
    enum Role: Sendable {
        /// Where the original comes from.
        case source
        /// A field of the recipe, spelt in its canonical form.
        case recipe(RecipeField)
        /// Another way to say what canonical forms spell by another row.
        case shorthand(RecipeField)
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
        to grammar: ValueGrammar<Value>, defaultValue: String? = nil, isShorthand: Bool = false,
        meaning: String
    ) {
        self.name = name
        self.synonyms = synonyms
        self.values = grammar.words
        self.defaultValue = defaultValue ?? grammar.write(Recipe()[keyPath: field])
        self.meaning = meaning
        let field = RecipeField(field, grammar)
        self.role = isShorthand ? .shorthand(field) : .recipe(field)
    }

    /// A parameter that sets a field which is nil by default.
    init<Value: Equatable>(
        _ name: String, _ synonyms: [String] = [], sets field: any WritableKeyPath<Recipe, Value?> & Sendable,
        to grammar: ValueGrammar<Value>, defaultValue: String = "none", meaning: String
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
