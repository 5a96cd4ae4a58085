// SPDX-License-Identifier: Apache-2.0

package import Clients
package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import RequestGrammar
package import SourceURLs

/// A request for one picture, made by one recipe.
package struct PipelineRequest: Sendable {
    /// The original's URL.
    package var source: SourceURL
    /// The client's fields, for the origin and the original's key.
    package var clientFields = ClientFields.none
    /// The recipe; may be unresolved. Setting it makes a new box.
    package var recipe: Recipe {
        // Inlined, so that a reader of one field copies only that field.
        @inlinable get { boxedRecipe.recipe }
        set { boxedRecipe = RecipeBox(newValue) }
    }
    /// The recipe in the box that stages hand to one another.
    package private(set) var boxedRecipe: RecipeBox
    /// The class of the client's `Accept`; only used for `output=auto`.
    package var accepted: AcceptClass
    /// The priority class of the request's work.
    package var priority: Priority
    /// The dialect's terms and the URL's own limits, beside the recipe.
    package var terms = RequestTerms()
    /// Caching directives of a trusted client; empty for others.
    package var directives: RequestDirectives
    /// The client's allowance of new work; nil = unlimited.
    package var allowance: (any Allowance)?
    /// True if the sender is trusted not to try out sizes: the request does not count for an original's quota.
    package var isVouchedFor: Bool
    /// The client; nil for a client without an address (a unix socket, the daemon itself). All clients without an address count as
    /// one.
    package var client: ClientKey?

    /// By default an untrusted, interactive request without limits.
    package init(
        source: SourceURL, recipe: Recipe, accepted: AcceptClass = [], priority: Priority = .interactive,
        directives: RequestDirectives = RequestDirectives(), allowance: (any Allowance)? = nil,
        isVouchedFor: Bool = false, client: ClientKey? = nil
    ) {
        self.init(source: source, recipe: RecipeBox(recipe), accepted: accepted, priority: priority)
        self.directives = directives
        self.allowance = allowance
        self.isVouchedFor = isVouchedFor
        self.client = client
    }

    /// An untrusted request without a client and without limits, for a recipe in a box that other requests may share.
    package init(source: SourceURL, recipe: RecipeBox, accepted: AcceptClass, priority: Priority) {
        self.source = source
        boxedRecipe = recipe
        self.accepted = accepted
        self.priority = priority
        directives = RequestDirectives()
        isVouchedFor = false
    }

    /// The key of the request's original.
    package var key: OriginalKey { source.key(variant: clientFields.variant) }

    /// The key of the in-flight fetch for this request.
    var fetchKey: OriginalKey { fetchRequest.fetchKey }

    /// What a fetch for this request asks for.
    var fetchRequest: FetchRequest {
        FetchRequest(source: source, clientFields: clientFields, client: client)
    }
}

/// The URL that a fetch asks for, and the client that it is made for.
struct FetchRequest: Sendable {
    let source: SourceURL
    /// The fields of the client that asked first; all other waiters have the same fields.
    let clientFields: ClientFields
    /// The client that asked first.
    let client: ClientKey?

    var key: OriginalKey { source.key(variant: clientFields.variant) }

    /// The key of the fetch. Requests that open an original by different parameters do not share the origin's answer, because it may
    /// be a refusal of one of them. Kept in memory or as a digest only, because it may hold a secret.
    var fetchKey: OriginalKey {
        guard let target = source.sentTarget else { return key }
        return source.key(variant: "\(clientFields.variant)?\(target)")
    }
}
