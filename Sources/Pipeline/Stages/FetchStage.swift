// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel

extension Pipeline {
    /// The work of an original's flight: asks the origin, with the validators of what is held.
    func fetch(_ source: SourceURL, _ priority: LivePriority) async throws(PipelineFailure) -> Arrival<Body> {
        // Between a request's look at the shelf and this departure, another flight may have landed.
        let held = shelf.original(source.key)
        if let held, held.freshness.state(at: environment.now()) == .fresh { return Arrival(original: held) }
        try refuseKnown(.origin(source.key))
        do throws(PipelineFailure) {
            let validators = held == nil ? Validators() : await shelf.validators(source.key)
            let asked = OriginRequest(source: source, validators: validators)
            let (reply, times) = try await exchange(asked, priority)
            var arrival = try await receive(reply, to: asked, held: held)
            arrival.times = times
            return arrival
        } catch {
            if error.supersedesOriginal { await shelf.forget(source.key) }
            throw remembered(error, about: .origin(source.key))
        }
    }

    private func exchange(
        _ request: OriginRequest, _ priority: LivePriority
    ) async throws(PipelineFailure) -> (OriginReply<Body>, StageTimes) {
        let permit = try await fetches.enter(group: "\(request.source.host):\(request.source.port)", priority: priority)
        defer { fetches.leave(permit) }
        if request.validators.isEmpty { counters.fetches.count() } else { counters.revalidations.count() }
        let started = environment.ticks()
        do throws(OriginFailure) {
            let reply = try await origin.fetch(request)
            let elapsed = Int(environment.ticks() - started)
            return (reply, StageTimes(origin: elapsed, queue: Int(permit.queued)))
        } catch {
            throw PipelineFailure(origin: error)
        }
    }
}
