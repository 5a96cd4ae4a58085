// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import HTTPCaching
internal import HTTPSemantics
internal import ImageHeaders
internal import Recipes
internal import RequestGrammar
internal import Traces

extension Pipeline {
    /// The rendition, from the cache or newly made.
    /// - Returns: nil if the original's bytes were needed and gone.
    /// - Throws: the reason for no rendition.
    func rendition(
        from original: Arrival<Body>, _ watermark: ResolvedWatermark<Body>?, for request: PipelineRequest
    ) async throws(PipelineFailure) -> Answer<Body>? {
        if request.terms.passed.contains(original.original.header) {
            return try await handOn(original, to: request)
        }
        let arrival = bearing(watermark, original)
        var planned = try refusing { () throws(DecodeFailure) in
            try plan(request, from: arrival.original, watermark)
        }
        // A rendition that may not be kept cannot be made later.
        if !arrival.isKept { planned = planned.inFull }
        if planned.recipe.output == .raw { return await rawAnswer(of: arrival, to: request) }
        guard let answer = try await smallest(planned, from: arrival, watermark, for: request) else {
            return nil
        }
        guard planned.later != nil else { return answer }
        return substituted(answer, for: planned.inFull, from: arrival, watermark, to: request)
    }

    private func smallest(
        _ planned: PlannedRendition, from arrival: Arrival<Body>, _ watermark: ResolvedWatermark<Body>?,
        for request: PipelineRequest
    ) async throws(PipelineFailure) -> Answer<Body>? {
        let answer = try await rendition(planned, from: arrival, watermark, for: request)
        if let answer {
            try refusing { () throws(DecodeFailure) in try request.terms.limits.check(answer.rendition) }
        }
        // With `output=auto`, the format that Pictor chose may have made the file larger than the original.
        guard let answer, answer.rendition.length > arrival.original.length,
            let own = planInOwnFormat(request, insteadOf: planned)
        else { return answer }
        do throws(PipelineFailure) {
            return try await rendition(own, from: arrival, watermark, for: request) ?? answer
        } catch {
            // A larger file is better than none.
            if case .cancelled = error.reason { throw error }
            return answer
        }
    }

    private func rendition(
        _ planned: PlannedRendition, from arrival: Arrival<Body>, _ watermark: ResolvedWatermark<Body>?,
        for request: PipelineRequest
    ) async throws(PipelineFailure) -> Answer<Body>? {
        let key = planned.key
        var arrival = arrival
        if request.directives.onlyIfCached { arrival.look = .forbidden }
        let started = environment.ticks()
        let held = await traced("cache") { _ in await cache.rendition(key) }
        let looking = StageTimes(cache: Int(environment.ticks() - started))
        if let (rendition, body, level) = held {
            return answer(rendition, body, arrival.outcome(cache: level), looking, from: arrival, to: request)
        }

        let decision = decide(
            planned, for: request, heldIn: nil, hasFetched: arrival.forwarding != nil)
        if case .refuse(let failure) = decision.step, decision.reason != .quotaIsSpent { throw failure }
        try charge(key, to: arrival.original, for: request)
        let joining = try await after(looking) { [arrival] () async throws(PipelineFailure) in
            try await joined(planned, arrival, watermark, for: request)
        }
        return answer(joining, key, looking, from: arrival, to: request)
    }

    /// The answer with the result of the rendition's in-flight request; nil if the original's bytes are gone.
    private func answer(
        _ joining: (RenditionResult<Body>, led: Bool, hasPaid: Bool), _ key: RenditionKey,
        _ looking: StageTimes, from original: Arrival<Body>, to request: PipelineRequest
    ) -> Answer<Body>? {
        let (making, led, hasPaid) = joining
        var arrival = original
        if !led {
            counters.joinedRenditions.count()
            if hasPaid { request.allowance?.giveBack() }
        }
        switch making {
        case .made(let rendition, let body, let times):
            let outcome = arrival.outcome(making: led ? .rendered : .coalesced)
            return answer(rendition, body, outcome, looking + times, from: arrival, to: request)
        case .found(let rendition, let body, let level):
            // Another request made the rendition since this request's look-up, here or on another node.
            if led, hasPaid { request.allowance?.giveBack() }
            if level == .shared {
                // Another node made it, so it does not count for this node's quota.
                withdraw(key, from: arrival.original, for: request)
                arrival.noteSharedRendition(isCollapsed: !led)
            }
            let outcome = arrival.outcome(cache: level)
            return answer(rendition, body, outcome, looking, from: arrival, to: request)
        case .vanished:
            return nil
        }
    }

    /// The result of the rendition's in-flight request, whether this request started it, and whether this request has paid.
    private func joined(
        _ planned: PlannedRendition, _ arrival: Arrival<Body>, _ watermark: ResolvedWatermark<Body>?,
        for request: PipelineRequest
    ) async throws(PipelineFailure) -> (RenditionResult<Body>, led: Bool, hasPaid: Bool) {
        try await withdrawing(planned.key, from: arrival.original, for: request) {
            () async throws(PipelineFailure) in
            let (joined, hasPaid) = try await request.paying { (leadership) async throws(PipelineFailure) in
                try await traced("rendition") { _ throws(PipelineFailure) in
                    try await self.renditions.join(
                        RenditionWork(planned.key, request.directives), priority: request.priority,
                        for: Asker(request.client)
                    ) { (priority) async throws(PipelineFailure) in
                        leadership.take()
                        return try await self.render(
                            RenderAttempt(
                                planned: planned, arrival: arrival, watermark: watermark,
                                priority: priority, client: request.client))
                    }
                }
            }
            return (joined.value, joined.led, hasPaid)
        }
    }

    /// With `output=auto`, the rendition in the original's own format; nil if the client or the recipe does not allow that, and for
    /// an AVIF whose wanted rendition is made later.
    func planInOwnFormat(
        _ request: PipelineRequest, insteadOf planned: PlannedRendition
    ) -> PlannedRendition? {
        let original = planned.original
        guard planned.later == nil || original.header.format != .avif,
            let own = request.keepingFormat(of: original.header),
            own.limitingAVIF(to: configuration.pictures.avifPixels, shapes: [original.header]).output
                == own.output
        else { return nil }
        return self.planned(
            own.saving(to: request.terms.qualityPercent, of: configuration.engine.encoders), from: original)
    }

    /// The rendition, planned with the present engine settings.
    func planned(_ recipe: Recipe, from original: Original) -> PlannedRendition {
        planned(RenditionPlan(recipe, of: original.header, by: configuration.engine), from: original)
    }

    /// - Parameter plan: must be made for the original's header.
    func planned(_ plan: RenditionPlan, from original: Original) -> PlannedRendition {
        PlannedRendition(key: renditionKey(original, plan.making), plan: plan, original: original)
    }

    func renditionKey(_ original: Original, _ recipe: Recipe, _ engine: EngineVersion) -> RenditionKey {
        renditionKey(original, RenditionKey.making(of: original.header.format, by: recipe, engine))
    }

    private func renditionKey(_ original: Original, _ making: [UInt8]) -> RenditionKey {
        RenditionKey(
            environment.sha256(RenditionKey.material(original: original.digest, making: making)))
    }

    /// With `output=auto`, the answer varies by `Accept` even if the original is passed on unchanged, because the URL may later lead
    /// to an original for which a format is chosen.
    func answer(
        _ rendition: Rendition, _ body: Body, _ outcome: Outcome, _ times: StageTimes,
        from arrival: Arrival<Body>, to request: PipelineRequest
    ) -> Answer<Body> {
        Answer(
            rendition: rendition, body: body, original: arrival.original, watermark: arrival.watermark,
            outcome: outcome, times: arrival.times + times, forwarding: arrival.forwarding,
            variesByAccept: request.recipe.output == .auto, epoch: arrival.epoch, tags: arrival.tags,
            isKept: arrival.isKept && arrival.areTagsKnown, store: arrival.store)
    }
}

extension PipelineRequest {
    /// With `output=auto`, the recipe in the original's own format; nil if the client does not accept that format, or more than the
    /// format would change. In the worst case the rendition has the original's own bytes.
    fileprivate func keepingFormat(of header: ImageHeader) -> Recipe? {
        let taken: Bool =
            switch header.format {
            case .jpeg, .png, .gif: true
            case .webp: accepted.contains(.webp)
            case .avif: accepted.contains(.avif)
            case .jxl: accepted.contains(.jxl)
            default: false
            }
        guard taken, recipe.output == .auto else { return nil }
        var own = terms.fitting(recipe, to: header)
        (own.output, own.asIs) = (.format(header.format), [])
        if own.framesTaken(from: header) == 1 { own.pages = 1 }
        return own.leavesPixels(of: header) ? own.canonicalised : nil
    }
}

extension Arrival {
    /// The outcome of an answer from the cache: the level, unless the origin was asked first.
    func outcome(cache level: CacheLevel) -> Outcome {
        guard let forwarding else { return outcome(making: level.outcome) }
        return outcome(making: forwarding.isCollapsed ? .coalesced : .revalidated)
    }

    /// The outcome of an answer with the original's own bytes, or with what its header tells.
    var outcomeOfOwn: Outcome {
        outcome(making: forwarding == nil ? (store == nil ? .diskHit : .sharedHit) : .rendered)
    }

    /// The outcome by the original's state, if it is stale or not kept; otherwise by the work.
    func outcome(making own: Outcome) -> Outcome {
        if isStale { return .stale }
        return isKept ? own : .bypassed
    }
}

extension Arrival {
    /// Reports that the shared store has given the rendition.
    fileprivate mutating func noteSharedRendition(isCollapsed: Bool) {
        if forwarding != nil {
            store = StorePart(.rendition(past: store?.passed ?? .bypass))
        } else if store == nil {
            // Otherwise the store has given the original too, and the reason for that look is the one reported.
            store = StorePart(.hit(for: .miss), isCollapsed: isCollapsed)
        }
    }
}
