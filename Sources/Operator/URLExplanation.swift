// SPDX-License-Identifier: Apache-2.0

package import RequestGrammar
internal import Signatures
internal import SourceURLs

/// The meaning of one of Pictor's URLs, as JSON for programs and as lines for people.
package struct URLExplanation: Encodable {
    /// How the URL is admitted: `signed`, `freePreset`, `freeOptions` or `open`, or the code of its refusal.
    package struct Signature: Encodable {
        let state: String
        let message: String
        /// When the URL expires, in seconds since 1970; nil if never.
        let ends: Int64?
        /// The text that the signature must cover.
        let material: String
    }

    /// The cache keys. A rendition's key also depends on the original's digest and the engine's version, so
    /// only a daemon that holds the original knows it (`pictor explain`).
    package struct Keys: Encodable {
        let original: String
        let recipe: String
    }

    let dialect: String
    /// The normalised source URL.
    package let source: String
    /// The recipe's canonical spelling; empty if the picture is left unchanged.
    package let recipe: String
    /// Options that differ from their defaults, by name.
    package let set: [String: String]
    /// Options at their defaults, by name.
    package let defaults: [String: String]
    /// How the URL is admitted or refused.
    package let signature: Signature
    /// The cache keys.
    package let keys: Keys

    /// `expiry` is in seconds since 1970; nil if the URL never expires.
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
        keys = Keys(original: asked.source.bareKey.url, recipe: recipe)
    }

    /// The lines for a terminal.
    package var lines: [String] {
        func list(_ members: [String: String]) -> String {
            members.isEmpty
                ? "–"
                : members.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
        }
        return [
            "dialect    \(dialect)",
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
