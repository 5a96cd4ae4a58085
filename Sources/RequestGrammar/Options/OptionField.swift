// SPDX-License-Identifier: Apache-2.0

/// A field of the recipe or of the delivery, without the type of its value.
struct OptionField<Root: Sendable>: Sendable {
    /// Sets the field; false if the text is no value for it.
    let read: @Sendable (_ text: String?, _ root: inout Root) -> Bool
    /// The field's spelling; nil if it has its default.
    let write: @Sendable (Root) -> String?

    init<Value: Equatable & Sendable>(
        _ field: any WritableKeyPath<Root, Value> & Sendable, _ grammar: ValueGrammar<Value>, standard: Root
    ) {
        read = { text, root in
            guard let value = grammar.read(text) else { return false }
            root[keyPath: field] = value
            return true
        }
        let usual = standard[keyPath: field]
        write = { root in
            let value = root[keyPath: field]
            return value == usual ? nil : grammar.write(value)
        }
    }
}
