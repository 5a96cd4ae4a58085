// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import HTTPSemantics
internal import ImageModel

extension Pipeline {
    /// The original as it may be used now (RFC 9111 §4, RFC 5861).
    func original(for request: PipelineRequest) async throws(PipelineFailure) -> Arrival<Body> {
        let started = environment.ticks()
        let epoch = purges.epoch
        let held = shelf.original(request.source.key)
        let looking = StageTimes(cache: Int(environment.ticks() - started))
        var arrival = try await original(held, for: request, since: epoch)
        arrival.times = arrival.times + looking
        return arrival
    }

    private func original(
        _ held: Original?, for request: PipelineRequest, since epoch: PurgeEpoch
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let directives = request.directives
        guard let held else {
            if directives.onlyIfCached { throw PipelineFailure(.notHeld) }
            return try await arrived(request, mustAsk: directives.noCache)
        }
        let now = environment.now()
        switch directives.judge(held.freshness, at: now) {
        case .usual: break
        case .serve: return Arrival(original: held, epoch: epoch, isStale: true)
        case .validate: return try await validated(held, for: request, at: now)
        }
        switch held.freshness.state(at: now) {
        case .fresh:
            return Arrival(original: held, epoch: epoch)
        case .stale(_, mayServeWhileRevalidating: true, _):
            if !directives.onlyIfCached { refreshInBackground(request.source) }
            return Arrival(original: held, epoch: epoch, isStale: true)
        case .stale where directives.onlyIfCached:
            throw PipelineFailure(.notHeld)
        case .stale(_, _, mayServeOnError: true):
            do throws(PipelineFailure) {
                return try await arrived(request)
            } catch {
                guard error.allowsStale else { throw error }
                return Arrival(
                    original: held, epoch: epoch, isStale: true, forwarding: error.forwarding)
            }
        case .stale:
            return try await arrived(request)
        }
    }

    /// What the request wants confirmed (RFC 9111 §5.2.1), whether or not it is fresh.
    private func validated(
        _ held: Original, for request: PipelineRequest, at now: Timestamp
    ) async throws(PipelineFailure) -> Arrival<Body> {
        if request.directives.onlyIfCached { throw PipelineFailure(.notHeld) }
        while true {
            var arrival = try await arrived(request, mustAsk: true)
            // A flight that was in the air may have found a fresh original without asking anybody.
            guard arrival.forwarding != nil else { continue }
            if case .fresh = held.freshness.state(at: now) { arrival.forwarding?.reason = .request }
            return arrival
        }
    }

    /// Waits for the original's flight.
    private func arrived(
        _ request: PipelineRequest, mustAsk: Bool = false
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let source = request.source
        if !mustAsk { try refuseKnown(.origin(source.key)) }
        var (arrival, led) = try await originals.ride(source.key, priority: request.priority) {
            (priority) async throws(PipelineFailure) in
            try await self.fetch(source, priority, mustAsk: mustAsk)
        }
        if !led {
            counters.joinedOriginals.count()
            arrival.forwarding?.isCollapsed = true
        }
        return arrival
    }

    /// Once for all who are being served the stale original meanwhile, and not while its origin is known to fail.
    private func refreshInBackground(_ source: SourceURL) {
        guard failures.failure(about: .origin(source.key), now: environment.ticks()) == nil else { return }
        let started = originals.launch(source.key, priority: .refresh) {
            (priority) async throws(PipelineFailure) in try await self.fetch(source, priority)
        }
        if started { counters.backgroundRefreshes.count() }
    }
}
