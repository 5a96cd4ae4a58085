// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import ImageModel

/// One question: this picture, made like that.
package struct PipelineRequest: Sendable {
    package var source: SourceURL
    package var recipe: Recipe
    /// Only looked at for `output=auto`.
    package var accepted: AcceptClass
    package var priority: Priority

    package init(
        source: SourceURL, recipe: Recipe, accepted: AcceptClass = [], priority: Priority = .interactive
    ) {
        self.source = source
        self.recipe = recipe
        self.accepted = accepted
        self.priority = priority
    }
}
