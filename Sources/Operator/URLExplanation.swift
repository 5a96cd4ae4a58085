// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import Signatures
internal import SourceURLs

/// What a URL of ours says: members for programs, lines for people.
package struct URLExplanation: Encodable {
    /// Whether it would be answered: `signed`, `freePreset`, `open`, or the refusal's word.
    package struct Signature: Encodable {
        let state: String
        let message: String
        /// Unix time in seconds.
        let ends: Int64?
        /// What a signature has to be over.
        let material: String
    }

    /// What things are kept by. A rendition's key has the original's digest and the engine's version in it beside the
    /// recipe, so only a daemon that holds the original knows it (`pictor explain`).
    package struct Keys: Encodable {
        let original: String
        let recipe: String
    }

    let dialect: String
    package let source: String
    /// Its canonical spelling.
    package let recipe: String
    /// By the names of their options, those of the recipe and of the delivery: what is not as it would be anyway, and what
    /// is.
    package let set: [String: String]
    package let defaults: [String: String]
    package let signature: Signature
    package let keys: Keys

    package init(
        dialect: DialectName, asked: ImageRequest, state: (word: String, message: String), expiry: Int64?,
        material: String
    ) {
        self.dialect = dialect.rawValue
        source = asked.source.absolute
        recipe = asked.recipe.canonical
        var (set, defaults) = ([String: String](), [String: String]())
        for account in asked.accounts {
            if account.isDefault {
                defaults[account.name] = account.value
            } else {
                set[account.name] = account.value
            }
        }
        (self.set, self.defaults) = (set, defaults)
        signature = Signature(
            state: state.word, message: state.message, ends: expiry, material: material)
        keys = Keys(original: asked.source.key.url, recipe: recipe)
    }

    package var lines: [String] {
        func list(_ members: [String: String]) -> String {
            members.isEmpty
                ? "–"
                : members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        }
        return [
            "endpoint   \(dialect)",
            "source     \(source)",
            "recipe     \(recipe.isEmpty ? "–" : recipe)",
            "set        \(list(set))",
            "defaults   \(list(defaults))",
            "signature  \(signature.state): \(signature.message)",
            "ends       \(signature.ends.map(UnixTime.text) ?? "never")",
            "signed is  \(signature.material)",
            "keys       original \(keys.original)",
            "           rendition: the original's digest, the recipe, the engine",
        ]
    }
}
