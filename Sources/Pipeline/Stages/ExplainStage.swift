// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension Pipeline {
    /// Explains a request without asking an origin or making a picture; only the shared store is read. Counts as an
    /// access to the pictures that it finds.
    package func explain(_ request: PipelineRequest) async -> Explanation {
        let original = await heldOriginal(request.key)
        // Looked up once, so that the numbers shown are the ones used for the decision.
        let inputs = inputs(of: request, isHeld: original != nil)
        var forecast = Forecast(
            original: OriginalDecision(holding: original, request.directives, at: environment.now()) {
                inputs
            })
        var held: Explanation.Held?
        if let original {
            let (found, rendition) = await examine(original, for: request)
            held = found
            forecast.rendition = rendition
            forecast.renditionsThisHour = found.renditionsThisHour
        }
        let shared = await sharedOriginal(for: request, held: original, forecast.original.step)
        var taken: Explanation.Held?
        if let shared, let original = shared.original(over: original) {
            let (found, rendition) = await examine(original, for: request)
            (taken, forecast.rendition) = (found, rendition)
            forecast.renditionsThisHour = found.renditionsThisHour
            forecast.isFreshInStore = isFresh(shared.entry.freshness)
        }
        let status = health.status(of: request.source.origin)
        forecast.rest = status
        return Explanation(
            now: environment.now(), held: held, shared: shared?.entry, taken: taken,
            failure: forecast.failure ?? inputs.knownFailure,
            health: status, isFetching: inputs.isInFlight,
            isRendering: (taken ?? held).map { renditions.isInFlight(RenditionWork($0.key)) } ?? false,
            leaseHolder: await leaseHolder(for: request, taken ?? held, forecast),
            fleetFetches: await fleetFetches(request.source), outcome: forecast.outcome,
            waitsForOrigin: forecast.waitsForOrigin, why: forecast.why)
    }

    /// - Returns: the held original, and the decision on its rendition; nil for a description and for an original that is passed on,
    ///   unless they are refused, because they need no rendition.
    private func examine(
        _ original: Original, for request: PipelineRequest
    ) async -> (Explanation.Held, RenditionDecision?) {
        if request.terms.passed.contains(original.header) { return await handedOn(original, to: request) }
        let watermark = heldWatermark(for: request)
        var planned = planned(request.recipe.canonicalised, from: original)
        var refusal: DecodeFailure?
        do throws(DecodeFailure) {
            if request.recipe.isToldByHeader {
                let recipe = request.terms.fitting(request.recipe, to: original.header)
                planned = self.planned(recipe, from: original)
                try checkDescription(of: original.header, by: recipe)
            } else {
                planned = try plan(request, from: original, watermark)
            }
        } catch {
            refusal = error
        }
        var found = await found(planned, watermark, refusal)
        let told: Freshness? =
            planned.later == nil
            ? nil : freshness(ofSubstituteFrom: original, after: knownFailure(of: planned.inFull))
        // As in `rendition(from:)`: if the rendition is larger than the original, the original's own format is tried.
        if let bigger = found, bigger.rendition.length > original.length,
            let own = planInOwnFormat(request, insteadOf: planned)
        {
            planned = own
            found = await self.found(own, watermark, refusal)
        }
        let held = Explanation.Held(
            original: original, fields: await cache.fields(of: original), refusal: refusal,
            recipe: planned.recipe, key: planned.key, told: told, rendition: found,
            renditionsThisHour: renditionsThisHour(of: original))
        let refused = refusal.map { RenditionDecision(refusing: $0) }
        switch planned.recipe.output {
        case .json, .raw: return (held, refused)
        case .source, .format, .auto:
            return (held, refused ?? decide(planned, for: request, heldIn: found?.level))
        }
    }

    /// As `handOn`: whatever the recipe says, the answer is the original itself, or a refusal.
    private func handedOn(
        _ original: Original, to request: PipelineRequest
    ) async -> (Explanation.Held, RenditionDecision?) {
        var refusal: DecodeFailure?
        do throws(DecodeFailure) { try check(original, by: request.terms.limits) } catch { refusal = error }
        let raw = planned(.raw, from: original)
        let held = Explanation.Held(
            original: original, fields: await cache.fields(of: original), refusal: refusal,
            recipe: raw.recipe, key: raw.key, told: nil, rendition: nil,
            renditionsThisHour: renditionsThisHour(of: original))
        return (held, refusal.map { RenditionDecision(refusing: $0) })
    }

    private func fleetFetches(_ source: SourceURL) async -> Int? {
        guard let originLimits, let name = originName(source) else { return nil }
        return await originLimits.running(name)
    }

    /// The node that holds the lease; looked up only if the request would ask for the lease.
    private func leaseHolder(
        for request: PipelineRequest, _ known: Explanation.Held?, _ forecast: Forecast
    ) async -> String? {
        guard let leases else { return nil }
        switch forecast.original.step {
        case .ask(mustAsk: false) where forecast.isFreshInStore != true,
            .askBriefly where forecast.isFreshInStore != true:
            return await leases.holder(of: .original(request.fetchKey, environment))
        case .ask(mustAsk: false), .askBriefly, .serve, .serveStale:
            guard let known, known.rendition == nil, request.recipe.output.isMade else { return nil }
            return await leases.holder(of: .rendition(known.key))
        case .ask, .confirm, .refuse: return nil
        }
    }

    private func found(
        _ planned: PlannedRendition, _ watermark: ResolvedWatermark<Body>?, _ refusal: DecodeFailure?
    ) async -> (rendition: Rendition, level: CacheLevel)? {
        if let held = await cache.rendition(planned.key) {
            return (held.rendition, held.level)
        }
        guard cache.isShared, refusal == nil else { return nil }
        let shared = await cache.sharedRendition(
            planned.key, of: planned.original.digest, bearing: watermark?.digest)
        return shared.map { ($0.rendition, .shared) }
    }

    /// The shared store's original, if a request would look for it and take it over.
    private func sharedOriginal(
        for request: PipelineRequest, held: Original?, _ step: OriginalDecision.Step
    ) async -> SharedFinding<Body>? {
        switch step {
        case .ask(mustAsk: false), .askBriefly: break
        case .ask, .confirm, .serve, .serveStale, .refuse: return nil
        }
        guard looksFirst(for: request.key, over: held) else { return nil }
        return await content(of: await cache.sharedOriginal(request.key), over: held).found
    }
}
