// SPDX-License-Identifier: Apache-2.0

package import HTTPCaching
package import HTTPSemantics
package import ImageModel

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

    package init(
        source: SourceURL, recipe: Recipe, accepted: AcceptClass = [], priority: Priority = .interactive,
        directives: RequestDirectives = RequestDirectives(), allowance: (any Allowance)? = nil
    ) {
        self.source = source
        self.recipe = recipe
        self.accepted = accepted
        self.priority = priority
        self.directives = directives
        self.allowance = allowance
    }
}
