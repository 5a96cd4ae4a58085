// SPDX-License-Identifier: Apache-2.0
//
// Gathers the inputs of both decisions. All of them are in memory, so nothing blocks here.

internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension Pipeline {
    // MARK: The original

    /// The decision on the request's original, from memory.
    func decide(_ request: PipelineRequest, holding held: Original?) -> OriginalDecision {
        OriginalDecision(holding: held, request.directives, at: environment.now()) {
            inputs(of: request, isHeld: held != nil)
        }
    }

    func inputs(of request: PipelineRequest, isHeld: Bool) -> OriginalDecision.Inputs {
        let (key, origin) = (request.key, request.source.origin)
        var inputs = OriginalDecision.Inputs()
        inputs.failure = failures.failure(
            about: .origin(key), now: environment.ticks(), suspicion: true)
        inputs.outlook = health.outlook(of: origin, for: request.client, isWanted: true)
        inputs.outlookOfRefresh = health.outlook(of: origin, for: request.client, isWanted: false)
        let fetchKey = request.source.sentTarget == nil ? key : request.fetchKey
        let work = FetchWork(fetchKey, withoutCache: cache.isWithheld)
        inputs.isInFlight = originals.isInFlight(work)
        inputs.isLate = originals.isLate(work)
        inputs.isFull = fetches.isFull(group: origin.group)
        inputs.isRefreshFull = refreshes.areFull(limit: configuration.backgroundRefreshes)
        inputs.overload = fetches.refusal(of: request.priority, by: Asker(request.client))
        // A fetch would be wasted if the decoders refuse its picture.
        if inputs.overload == nil, !isHeld, request.recipe.output.isMade {
            inputs.overload = decodes.refusal(
                of: request.priority, by: Asker(request.client), behind: fetches.inflowByClient)
        }
        return inputs
    }

    // MARK: The rendition

    /// The rendition that the request wants of this original.
    /// - Throws: if no such picture may be made of the original.
    func planInFull(
        _ request: PipelineRequest, from original: Original, _ watermark: ResolvedWatermark<Body>?
    ) throws(DecodeFailure) -> PlannedRendition {
        let rules = rulesInForce
        let inputs = RenditionPlan.Inputs(request, for: original.header, watermark)
        if let plan = rules.plans[inputs] {
            try request.terms.limits.check(original, for: plan.recipe)
            return planned(plan, from: original)
        }
        let (limits, engine) = (rules.configuration.pictures, rules.configuration.engine)
        let recipe = try inputs.definite(within: limits, engine.encoders)
        try request.terms.limits.check(original, for: recipe)
        try inputs.check(recipe, within: limits)
        let plan = RenditionPlan(recipe, of: original.header, by: engine)
        rules.plans.insert(plan, for: inputs)
        return planned(plan, from: original)
    }

    /// The decision on a rendition, from memory.
    /// - Parameters:
    ///   - level: where the rendition is held; nil if it is not held.
    ///   - hasFetched: true if the original was fetched for this request, which has earned its place in the queue by that.
    func decide(
        _ planned: PlannedRendition, for request: PipelineRequest, heldIn level: CacheLevel?,
        hasFetched: Bool = false
    ) -> RenditionDecision {
        RenditionDecision(heldIn: level) {
            var inputs = RenditionDecision.Inputs()
            inputs.failure = knownFailure(of: planned)
            inputs.quota = request.isVouchedFor ? nil : quotaRefusal(of: planned, to: request.client)
            inputs.isInFlight = renditions.isInFlight(RenditionWork(planned.key, request.directives))
            inputs.overload =
                hasFetched ? nil : decodes.refusal(of: request.priority, by: Asker(request.client))
            return inputs
        }
    }

    /// The remembered failure to make the rendition, or to read its original's bytes at all; nil for none.
    func knownFailure(of planned: PlannedRendition) -> PipelineFailure? {
        let now = environment.ticks()
        return failures.failure(
            about: .content(
                planned.original.digest, page: planned.recipe.page, pages: planned.recipe.pages), now: now)
            ?? failures.failure(about: .rendition(planned.key), now: now)
            ?? knownTooLong(planned)
    }
}
