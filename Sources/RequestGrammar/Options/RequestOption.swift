// SPDX-License-Identifier: Apache-2.0

package import Recipes

/// A row of the option table: everything about one parameter of the URL.
package struct RequestOption: Sendable {
    /// What a parameter sets.
    enum Role: Sendable {
        /// Where the original comes from.
        case source
        /// The source, in base64url.
        case encodedSource
        /// A field of the recipe, spelled so in the canonical form.
        case recipe(OptionField<Recipe>)
        /// A field of the recipe, by a second spelling; the canonical form uses another row's parameter.
        case shorthand(OptionField<Recipe>)
        /// How the picture is delivered; never part of a key.
        case delivery(OptionField<Delivery>)
        /// A name for other options.
        case preset
        /// Whether and until when the URL is valid; judged before anything else is read.
        case signing
    }

    /// The name in the native dialect.
    package let name: String
    /// Further names, accepted in every dialect.
    package let synonyms: [String]
    /// The allowed values, for people.
    package let values: String
    /// The form of the values, for programs.
    package let shape: ValueShape
    /// The value without the option, for people.
    package let defaultValue: String
    /// The effect, for the reference.
    package let meaning: String
    let role: Role

    /// True for options that write text, which need a font.
    package var isOfText: Bool { OptionTable.texts.contains { $0.name == name } }

    /// True for options of the picture or of its delivery; false for the source and for the signature.
    package var isChoice: Bool {
        switch role {
        case .recipe, .shorthand, .delivery, .preset: true
        case .source, .encodedSource, .signing: false
        }
    }

    /// True for a choice that stands for itself; false for a preset, which stands for other options.
    package var isPlain: Bool { if case .preset = role { false } else { isChoice } }

    /// A parameter that sets no field: the source, the signature or a preset.
    init(
        _ name: String, _ synonyms: [String] = [], values: String, shape: ValueShape = .text,
        defaultValue: String = "none", meaning: String, role: Role
    ) {
        self.name = name
        self.synonyms = synonyms
        self.values = values
        self.shape = shape
        self.defaultValue = defaultValue
        self.meaning = meaning
        self.role = role
    }

    /// Sets the option's field of the recipe or of the delivery. Returns false if the text is no value of this option, or the option
    /// sets no field.
    ///
    /// - Parameter text: nil if the parameter has no `=`.
    package func set(_ text: String?, in recipe: inout Recipe, _ delivery: inout Delivery) -> Bool {
        switch role {
        case .recipe(let field), .shorthand(let field): field.read(text, &recipe)
        case .delivery(let field): field.read(text, &delivery)
        case .source, .encodedSource, .preset, .signing: false
        }
    }

    /// A parameter that sets a field of the recipe. `defaultValue` is given if the field's own default is not clear enough for
    /// people.
    init<Value: Equatable>(
        _ name: String, _ synonyms: [String] = [], sets field: any WritableKeyPath<Recipe, Value> & Sendable,
        to grammar: ValueGrammar<Value>, defaultValue: String? = nil, isShorthand: Bool = false,
        meaning: String
    ) {
        let setter = OptionField(field, grammar, standard: Recipe())
        self.init(
            name, synonyms, values: grammar.words, shape: grammar.shape,
            defaultValue: defaultValue ?? grammar.write(Recipe()[keyPath: field]), meaning: meaning,
            role: isShorthand ? .shorthand(setter) : .recipe(setter))
    }

    /// A parameter that sets a field which is nil by default.
    init<Value: Equatable>(
        _ name: String, _ synonyms: [String] = [], sets field: any WritableKeyPath<Recipe, Value?> & Sendable,
        to grammar: ValueGrammar<Value>, defaultValue: String = "none", meaning: String
    ) {
        self.init(
            name, synonyms, sets: field, to: grammar.optional(), defaultValue: defaultValue, meaning: meaning)
    }

    /// A parameter that sets a field of the delivery.
    init<Value: Equatable>(
        _ name: String, delivers field: any WritableKeyPath<Delivery, Value> & Sendable,
        as grammar: ValueGrammar<Value>, defaultValue: String, meaning: String
    ) {
        self.init(
            name, values: grammar.words, shape: grammar.shape, defaultValue: defaultValue, meaning: meaning,
            role: .delivery(OptionField(field, grammar, standard: Delivery())))
    }
}
