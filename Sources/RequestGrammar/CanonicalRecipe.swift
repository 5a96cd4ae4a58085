// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Recipes

extension Recipe {
    /// The one spelling of this picture, itself a query: folded, defaults dropped, native names, sorted by
    /// name; empty for the recipe that asks for nothing.
    package var canonical: String {
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
    package static func material(original: OriginalDigest, recipe: Recipe, engine: EngineVersion)
        -> [UInt8]
    {
        original.digest.bytes + Array("\n\(recipe.canonical)\n\(engine.text)".utf8)
    }
}
