// SPDX-License-Identifier: Apache-2.0

package import Recipes
package import SourceURLs

/// A client's request: an original, what to make of it, and how to deliver it.
package struct ImageRequest: Sendable, Hashable {
    /// URL of the original.
    package var source: SourceURL
    /// The canonical recipe, so that equal pictures have equal values. Setting it makes a new box.
    package var recipe: Recipe {
        get { boxedRecipe.recipe }
        set { boxedRecipe = RecipeBox(newValue) }
    }
    /// The recipe in the box that stages pass to one another. Other modules can read one field of it without copying the others.
    package private(set) var boxedRecipe: RecipeBox
    /// The part of the request that is in no key.
    package var delivery: Delivery
    /// The terms beside the recipe.
    package var terms = RequestTerms()
    /// True if the request does not show its source, because that is encrypted or is a path at a place that the settings name; then
    /// no answer shows it either.
    package var hidesSource = false
    /// The source as the request names it, if it uses an alias for its place; nil otherwise.
    package var namedSource: SourceURL?
    /// The watermark as the request names it, if it uses an alias; nil otherwise.
    package var namedWatermark: String?

    /// - Parameter recipe: must be canonical.
    package init(source: SourceURL, recipe: Recipe, delivery: Delivery = Delivery()) {
        self.init(source: source, recipe: RecipeBox(recipe), delivery: delivery)
    }

    init(source: SourceURL, recipe: RecipeBox, delivery: Delivery) {
        self.source = source
        boxedRecipe = recipe
        self.delivery = delivery
    }

    /// The source in the form that its client may see, with everything that its origin gets.
    package var toldSource: SourceURL { namedSource ?? source.sent }

    /// A recipe derived from the request's, in the form that its client may see.
    package func told(_ recipe: Recipe) -> Recipe {
        var told = recipe
        if let namedWatermark { told.watermark?.source = namedWatermark }
        return told
    }
}
