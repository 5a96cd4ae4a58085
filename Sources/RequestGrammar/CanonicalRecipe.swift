// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import ImageHeaders
package import Recipes

extension Recipe {
    /// The one spelling of this picture, itself a query: folded, defaults dropped, native names, sorted by
    /// name; empty for the recipe that asks for nothing.
    package var canonical: String {
        if let text = Self.spellings[self] { return text }
        let text = spelled
        Self.spellings.insert(text, for: self)
        return text
    }

    /// Spellings of the recipes that were spelled lately: a picture is named by its spelling each time it is asked for.
    private static let spellings = RecentValues<Recipe, String>(generation: 128)

    private var spelled: String {
        let recipe = folded
        return OptionTable.canonicalOrder.compactMap { name, field in
            field.write(recipe).map { "\(name)=\(QueryText.escape($0))" }
        }.joined(separator: "&")
    }

    /// Reads what `canonical` wrote; the recipe comes back folded.
    package init(canonical: String) throws(RequestError) {
        let request = try NativeQuery.read(Array(canonical.utf8), .unchecked)
        if request.source != nil { throw .unknownOption(parameter: "url") }
        self = request.recipe
    }
}

extension RenditionKey {
    /// The text that is hashed to make the key.
    /// - Parameter format: of the original.
    package static func material(
        original: OriginalDigest, of format: ImageFormat, recipe: Recipe, engine: EngineVersion
    ) -> [UInt8] {
        let (recipe, engine) = (recipe.canonical.utf8, engine.text(for: recipe, of: format).utf8)
        var material = original.digest.bytes
        material.reserveCapacity(material.count + recipe.count + engine.count + 2)
        material.append(UInt8(ascii: "\n"))
        material.append(contentsOf: recipe)
        material.append(UInt8(ascii: "\n"))
        material.append(contentsOf: engine)
        return material
    }
}
