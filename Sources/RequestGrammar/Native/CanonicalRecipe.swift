// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import ImageHeaders
package import Recipes

extension Recipe {
    /// The one spelling of this picture, itself a query: the options of the canonical recipe, without defaults, with native names,
    /// sorted by name; empty for the recipe that asks for nothing.
    package var canonical: String {
        if let text = Self.spellings[self] { return text }
        let text = spelled
        Self.spellings.insert(text, for: self)
        return text
    }

    /// The spellings of recently spelled recipes, because each request for a picture needs its spelling.
    private static let spellings = RecentValues<Recipe, String>(generation: 128)

    private var spelled: String {
        let recipe = canonicalised
        return OptionTable.canonicalOrder.compactMap { name, field in
            field.write(recipe).map { "\(name)=\(QueryText.escape($0))" }
        }.joined(separator: "&")
    }

    /// Reads the spelling of `canonical`; the recipe is canonical too.
    package init(canonical: String) throws(RequestError) {
        let request = try NativeQuery.read(Array(canonical.utf8), .unchecked)
        if request.source != nil { throw .unknownOption(parameter: "url") }
        self = request.recipe
    }
}

extension RenditionKey {
    /// The text that is hashed to make the key.
    /// - Parameter format: the format of the original.
    package static func material(
        original: OriginalDigest, of format: ImageFormat, recipe: Recipe, engine: EngineVersion
    ) -> [UInt8] {
        material(original: original, making: making(of: format, by: recipe, engine))
    }

    /// - Parameter making: the text that `making` returned.
    package static func material(original: OriginalDigest, making: [UInt8]) -> [UInt8] {
        original.digest.bytes + making
    }

    /// The part of the text that is the same for all originals of one format.
    package static func making(
        of format: ImageFormat, by recipe: Recipe, _ engine: EngineVersion
    ) -> [UInt8] {
        Making(recipe: recipe, format: format, engine: engine).text
    }
}

/// The part of a key beside the original's digest: the same for all originals of one format.
private struct Making: Sendable, Hashable {
    let recipe: Recipe
    /// The format of the original.
    let format: ImageFormat
    let engine: EngineVersion

    /// Recently spelled texts: a text names each library that takes part, and a key is made for each request without a ready answer.
    private static let texts = RecentValues<Making, [UInt8]>(generation: 128)

    var text: [UInt8] {
        if let text = Self.texts[self] { return text }
        let text = Array("\n\(recipe.canonical)\n\(engine.text(for: recipe, of: format))".utf8)
        Self.texts.insert(text, for: self)
        return text
    }

    /// Leaves out the engine, whose texts are long, because there is only one at a time.
    func hash(into hasher: inout Hasher) {
        hasher.combine(recipe)
        hasher.combine(format)
    }
}
