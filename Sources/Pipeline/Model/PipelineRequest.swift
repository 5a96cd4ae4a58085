// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import Recipes
package import SourceURLs

/// One question: this picture, made like that.
package struct PipelineRequest: Sendable {
    package var source: SourceURL
    package var recipe: Recipe
    /// Only looked at for `output=auto`.
    package var accepted: AcceptClass
    package var priority: Priority
    /// Of a client that is trusted to say so; else none.
    package var directives: RequestDirectives
    /// Nil: as much as it wants.
    package var allowance: (any Allowance)?
    /// Whoever sent or made it is trusted not to scan: what an original's cap counts is not counted for it.
    package var isVouchedFor: Bool
    /// Who asks; nil, which counts as one client: nobody with an address (a unix socket, the daemon itself).
    package var client: ClientKey?

    package init(
        source: SourceURL, recipe: Recipe, accepted: AcceptClass = [], priority: Priority = .interactive,
        directives: RequestDirectives = RequestDirectives(), allowance: (any Allowance)? = nil,
        isVouchedFor: Bool = false, client: ClientKey? = nil
    ) {
        self.source = source
        self.recipe = recipe
        self.accepted = accepted
        self.priority = priority
        self.directives = directives
        self.allowance = allowance
        self.isVouchedFor = isVouchedFor
        self.client = client
    }
}
