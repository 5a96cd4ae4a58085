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
    /// Whoever sent or made it is trusted not to scan: what limits strangers does not hold for it.
    package var isVouchedFor: Bool

    package init(
        source: SourceURL, recipe: Recipe, accepted: AcceptClass = [], priority: Priority = .interactive,
        directives: RequestDirectives = RequestDirectives(), isVouchedFor: Bool = false
    ) {
        self.source = source
        self.recipe = recipe
        self.accepted = accepted
        self.priority = priority
        self.directives = directives
        self.isVouchedFor = isVouchedFor
    }
}
