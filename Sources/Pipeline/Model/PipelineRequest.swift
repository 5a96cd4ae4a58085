// SPDX-License-Identifier: Apache-2.0

package import Clients
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
    /// Its maker is trusted not to scan: the request does not count against an original's cap.
    package var isVouchedFor: Bool
    /// The client that asks; nil: one without an address (a unix socket, the daemon itself). All of those count as one.
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
