// SPDX-License-Identifier: Apache-2.0

package import Recipes
package import SourceURLs

/// A client's request: an original, what to make of it, and how to hand it over.
package struct ImageRequest: Sendable, Hashable {
    /// URL of the original.
    package var source: SourceURL
    /// Folded: equal pictures are equal values. A change of a part makes another box.
    package var recipe: Recipe {
        get { boxedRecipe.recipe }
        set { boxedRecipe = RecipeBox(newValue) }
    }
    /// The recipe in the box that stages hand to one another. Other modules read a field of it without a copy of the others.
    package private(set) var boxedRecipe: RecipeBox
    /// The part of the request that is in no key.
    package var delivery: Delivery
    /// The terms beside the recipe.
    package var terms = RequestTerms()
    /// The request does not show its source, as one that is encrypted or a path of a place of the settings, and no answer does.
    package var hidesSource = false
    /// The source as the request names it, where an alias stands for its place; nil for others.
    package var namedSource: SourceURL?
    /// The watermark, likewise.
    package var namedWatermark: String?

    /// - Parameter recipe: folded.
    package init(source: SourceURL, recipe: Recipe, delivery: Delivery = Delivery()) {
        self.init(source: source, recipe: RecipeBox(recipe), delivery: delivery)
    }

    init(source: SourceURL, recipe: RecipeBox, delivery: Delivery) {
        self.source = source
        boxedRecipe = recipe
        self.delivery = delivery
    }

    /// The source as its client may be told it, with all that its origin gets.
    package var toldSource: SourceURL { namedSource ?? source.sent }

    /// A recipe made of the request's, as its client may be told it.
    package func told(_ recipe: Recipe) -> Recipe {
        var told = recipe
        if let namedWatermark { told.watermark?.source = namedWatermark }
        return told
    }

    /// The query of `/img`, without the question mark.
    package static func parse(
        query: some Sequence<UInt8>, vocabulary: Vocabulary = .empty, needs: ClientNeeds = .none
    ) throws(RequestError) -> ImageRequest {
        let (source, recipe, delivery) = try NativeQuery.read(Array(query), vocabulary, needs)
        guard let source else { throw .missing(parameter: "url") }
        return ImageRequest(source: source, recipe: recipe, delivery: delivery)
    }

    /// Parses a query as text.
    package static func parse(
        query: String, vocabulary: Vocabulary = .empty
    ) throws(RequestError) -> ImageRequest {
        try parse(query: query.utf8, vocabulary: vocabulary)
    }
}
