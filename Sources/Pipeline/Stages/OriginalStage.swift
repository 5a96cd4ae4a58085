// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel

extension Pipeline {
    /// The original as it may be used now (RFC 9111 §4, RFC 5861).
    func original(for request: PipelineRequest) async throws(PipelineFailure) -> Arrival<Body> {
        let started = environment.ticks()
        let held = shelf.original(request.source.key)
        let looking = StageTimes(cache: Int(environment.ticks() - started))
        var arrival = try await original(held, for: request)
        arrival.times = arrival.times + looking
        return arrival
    }

    private func original(
        _ held: Original?, for request: PipelineRequest
    ) async throws(PipelineFailure) -> Arrival<Body> {
        guard let held else { return try await arrived(request) }
        switch held.freshness.state(at: environment.now()) {
        case .fresh:
            return Arrival(original: held)
        case .stale(_, mayServeWhileRevalidating: true, _):
            refreshInBackground(request.source)
            return Arrival(original: held, isStale: true)
        case .stale(_, _, mayServeOnError: true):
            do throws(PipelineFailure) {
                return try await arrived(request)
            } catch {
                guard error.allowsStale else { throw error }
                return Arrival(original: held, isStale: true, forwarding: error.forwarding)
            }
        case .stale:
            return try await arrived(request)
        }
    }

    /// Waits for the original's flight.
    private func arrived(_ request: PipelineRequest) async throws(PipelineFailure) -> Arrival<Body> {
        let source = request.source
        try refuseKnown(.origin(source.key))
        var (arrival, led) = try await originals.ride(source.key, priority: request.priority) {
            (priority) async throws(PipelineFailure) in try await self.fetch(source, priority)
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
