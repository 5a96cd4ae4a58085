// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs
internal import Traces

extension Pipeline {
    /// The original as it may be used now (RFC 9111 §4, RFC 5861).
    /// - Parameter foreseeing: true to refuse a rendition beyond its original's quota before the origin is asked.
    /// - Throws: the reason why there is no original.
    func original(
        for request: PipelineRequest, foreseeing: Bool = false
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let started = environment.ticks()
        let epoch = purges.epoch
        let held = await heldOriginal(request.key)
        let looking = StageTimes(cache: Int(environment.ticks() - started))
        return try await after(looking) { () async throws(PipelineFailure) in
            if foreseeing, let held { try await refuseForeseeably(request, from: held) }
            var arrival = try await original(held, for: request, since: epoch)
            arrival.times = arrival.times + looking
            return arrival
        }
    }

    /// The held original; nil for none. If the settings have since changed fields by which the origin selected it (RFC 9111 §4.1), it
    /// serves for a conditional request only.
    func heldOriginal(_ key: OriginalKey) async -> Original? {
        guard var held = cache.original(key) else { return nil }
        guard !isSelected(held) else { return held }
        // Read first: rules that replace these know of no original yet.
        let rules = rulesInForce
        let fields = await cache.fields(of: held)
        // The variant of a varying original is in its fields, and must have been readable.
        let isTheSame = fields.map { $0[.variant] != nil && isSelected($0, of: key) } ?? false
        if isTheSame {
            rules.selected.insert(held.freshness.responseTime, for: key)
        } else {
            held.freshness.flags.insert(.alwaysValidate)
        }
        return held
    }

    /// The held original with its tags, by which renditions of it are purged. The index is read only for tags that are not at hand.
    func arrival(
        ofHeld original: Original, since epoch: PurgeEpoch, isStale: Bool = false
    ) async -> Arrival<Body> {
        var held = Arrival<Body>(original: original, epoch: epoch, isStale: isStale)
        if let tags = cache.tagsAtHand(of: original) {
            held.tags = tags
            return held
        }
        let fields = await cache.fields(of: original)
        // An original with tags has fields. Where the cache tells none, they could not be read.
        (held.tags, held.areTagsKnown) = (fields?.tags ?? [], fields.map { !$0.isEmpty } ?? false)
        return held
    }

    /// True if the cache holds these bytes. It may not, although they may be kept, if its disk refused them.
    func holds(_ original: Original) -> Bool { cache.original(original.key)?.digest == original.digest }

    /// True if the origin would select the same representation now: it would get the fields that `Vary` names with the same
    /// values (RFC 9111 §4.1).
    func isSelected(_ fields: StoredFields, of key: OriginalKey) -> Bool {
        fields.isSelected {
            guard let source = try? SourceURL.parse(key.url) else { return nil }
            return origin.sentFields(
                to: source, isRedirected: fields[.target] != nil, by: configuration.requestFields)
        }
    }

    /// True if the origin would get the fields that it selected this original by, as far as memory can tell.
    func isSelected(_ original: Original) -> Bool {
        guard original.freshness.flags.contains(.varies) else { return true }
        let time = original.freshness.responseTime
        return hasOwnFields(since: time) || rulesInForce.selected[original.key] == time
    }

    /// The original's bytes; nil if they are gone.
    func body(of arrival: Arrival<Body>) async -> Body? {
        if let body = arrival.body { return body }
        return await cache.body(of: arrival.original)
    }

    /// True if the original may be served without asking its origin.
    func isFresh(_ freshness: Freshness) -> Bool {
        if case .fresh = freshness.state(at: environment.now()) { true } else { false }
    }

    private func original(
        _ held: Original?, for request: PipelineRequest, since epoch: PurgeEpoch
    ) async throws(PipelineFailure) -> Arrival<Body> {
        switch decide(request, holding: held).step {
        case .serve(let held):
            return await arrival(ofHeld: held, since: epoch)
        case .serveStale(let held, let refresh):
            if refresh { refreshInBackground(request) }
            return await arrival(ofHeld: held, since: epoch, isStale: true)
        case .ask(mustAsk: true):
            return try await confirmed(nil, for: request)
        case .ask:
            return try await arrived(request)
        case .askBriefly(let stale):
            return try await arrived(request, orElse: stale, since: epoch)
        case .confirm(let held):
            return try await confirmed(held, for: request)
        case .refuse(let failure):
            throw health.counted(failure)
        }
    }

    /// The original, confirmed or newly sent by the origin for this request although the held one may be fresh (RFC 9111 §5.2.1).
    private func confirmed(
        _ held: Original?, for request: PipelineRequest
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let now = environment.now()
        while true {
            var arrival = try await arrived(request, mustAsk: true)
            // The in-flight request joined may have begun earlier, and found a fresh original without asking, here or in the shared
            // store.
            guard arrival.forwarding != nil else { continue }
            if let held, case .fresh = held.freshness.state(at: now) { arrival.forwarding?.reason = .request }
            return arrival
        }
    }

    /// The fetched original; the stale one if the origin fails, or is silent for `staleWait`.
    private func arrived(
        _ request: PipelineRequest, orElse stale: Original, since epoch: PurgeEpoch
    ) async throws(PipelineFailure) -> Arrival<Body> {
        do throws(PipelineFailure) {
            if let arrival = try await arrivedInTime(request) { return arrival }
            return await arrival(ofHeld: stale, since: epoch, isStale: true)
        } catch {
            guard error.allowsStale else { throw error }
            var standIn = await arrival(ofHeld: stale, since: epoch, isStale: true)
            standIn.forwarding = error.forwarding
            return standIn
        }
    }

    /// Waits for the original's in-flight request, which is shared by requests that hold nothing, requests that hold a stale
    /// original, and background refreshes.
    private func arrived(
        _ request: PipelineRequest, mustAsk: Bool = false
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let (joining, hasPaid) = try await request.paying { (leadership) async throws(PipelineFailure) in
            try await self.unlessAnothersRest(request) { () async throws(PipelineFailure) in
                try await traced("original") { _ throws(PipelineFailure) in
                    try await self.originals.join(
                        self.work(of: request), priority: request.priority,
                        work: self.fetching(for: request, mustAsk: mustAsk, leadership))
                }
            }
        }
        return joined(joining.value, led: joining.led, by: request, hasPaid: hasPaid)
    }

    /// Waits for the original's in-flight request, for at most `staleWait`; nil after that.
    private func arrivedInTime(_ request: PipelineRequest) async throws(PipelineFailure) -> Arrival<Body>? {
        let ((joining, hasLed), hasPaid) = try await request.paying {
            (leadership) async throws(PipelineFailure) in
            let joining = try await self.unlessAnothersRest(request) { () async throws(PipelineFailure) in
                try await traced("original") { _ throws(PipelineFailure) in
                    try await self.originals.join(
                        self.work(of: request), priority: request.priority,
                        until: { self.environment.after(microseconds: self.configuration.staleWait, $0) },
                        work: self.fetching(for: request, leadership))
                }
            }
            return (joining, leadership.isTaken)
        }
        guard let joining else {
            // The work belongs to another request, and this request no longer waits for it, so it does not pay.
            if hasPaid, !hasLed { request.allowance?.giveBack() }
            return nil
        }
        return joined(joining.value, led: joining.led, by: request, hasPaid: hasPaid)
    }

    /// Joins again if the in-flight request was refused only because the origin rests for the client that
    /// started it.
    private func unlessAnothersRest<Joined>(
        _ request: PipelineRequest, _ join: () async throws(PipelineFailure) -> Joined
    ) async throws(PipelineFailure) -> Joined {
        do throws(PipelineFailure) {
            return try await join()
        } catch {
            guard case .originResting = error.reason,
                health.outlook(of: request.source.origin, for: request.client, isWanted: true) == .well
            else { throw error }
            return try await join()
        }
    }

    /// The key of the in-flight request that this request starts or joins.
    private func work(of request: PipelineRequest) -> FetchWork {
        FetchWork(request.fetchKey, withoutCache: cache.isWithheld)
    }

    private func fetching(
        for request: PipelineRequest, mustAsk: Bool = false, _ leadership: Leadership
    ) -> Singleflight<FetchWork, Arrival<Body>>.Work {
        { (priority) async throws(PipelineFailure) in
            leadership.take()
            return try await self.fetch(
                request.fetchRequest, priority, mustAsk: mustAsk,
                purpose: request.recipe.output.isMade ? .decoding : .describing)
        }
    }

    private func joined(
        _ completed: Arrival<Body>, led: Bool, by request: PipelineRequest, hasPaid: Bool
    ) -> Arrival<Body> {
        var arrival = completed
        if !led {
            counters.joinedOriginals.count()
            arrival.forwarding?.isCollapsed = true
            arrival.store?.isCollapsed = true
        }
        if hasPaid, !led || arrival.forwarding == nil { request.allowance?.giveBack() }
        return arrival
    }

    /// Starts one refresh for all requests that get the stale original meanwhile.
    private func refreshInBackground(_ request: PipelineRequest) {
        let wanted = request.fetchRequest
        guard refreshes.enter(limit: configuration.backgroundRefreshes) else { return }
        let started = originals.launch(FetchWork(wanted.key), priority: .refresh) {
            [refreshes] (priority) async throws(PipelineFailure) in
            defer { refreshes.leave() }
            return try await self.fetch(wanted, priority, purpose: .refreshing)
        }
        if started { counters.backgroundRefreshes.count() } else { refreshes.leave() }
    }
}
