// SPDX-License-Identifier: Apache-2.0

internal import Recipes

/// A recipe resolved for one original.
struct PlannedRendition: Sendable {
    /// The rendition that is made after the answer was sent.
    struct Later: Sendable {
        var key: RenditionKey
        var plan: RenditionPlan
    }

    var key: RenditionKey
    var plan: RenditionPlan
    var original: Original
    /// The rendition that this one stands in for; nil if it is the one that the request means.
    var later: Later?

    /// The engine settings that the rendition is made with, even if the settings have changed since; they are part of the key.
    var engine: EngineVersion { plan.engine }
    /// The recipe, resolved for the original.
    var recipe: Recipe { plan.recipe }

    /// The rendition that the request means.
    var inFull: PlannedRendition {
        guard let later else { return self }
        return PlannedRendition(key: later.key, plan: later.plan, original: original)
    }
}
