// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs
internal import Synchronization

/// The result of the first look into the shared store for an original, and of the hedging fetch, if any.
enum FirstLook<Body: Sendable>: Sendable {
    case arrived(Arrival<Body>)
    /// The origin must be asked, about this stale original; nil if the look did not change what is held. The word says why the
    /// store's answer was not enough.
    case toBeAsked(Original?, StorePart.Word)
}

extension Pipeline {
    /// Looks into the shared store for an original; if the store is late, asks the origin as well.
    /// - Throws: the origin's failure, if the store has nothing of use.
    func sharedFirst(
        _ attempt: FetchAttempt, over held: Original?
    ) async throws(PipelineFailure) -> FirstLook<Body> {
        let (wanted, started) = (attempt.wanted, environment.ticks())
        looks.withLock { $0.hedges.earn() }
        let fetch = HedgingFetch<Body> {
            attempt.purpose != .refreshing && self.mayHedge(wanted, attempt.priority.value)
        } run: {
            let waited = Int(self.environment.ticks() - started)
            do throws(PipelineFailure) {
                var arrival = try await self.fetchInTurn(attempt, holding: held)
                arrival.times.cache += waited
                return .success(arrival)
            } catch {
                return .failure(error)
            }
        }
        switch await hedgedLook(wanted, over: held, beside: fetch) {
        case .looked(let result):
            guard let arrival = await taken(result.found, over: held, since: attempt.epoch, started) else {
                return .toBeAsked(nil, result.word)
            }
            return isFresh(arrival.original.freshness)
                ? .arrived(arrival) : .toBeAsked(arrival.original, .stale)
        case .hedged(.success(let arrival), let found, let hasLooked):
            // Another node may have asked the origin meanwhile.
            countHedge(arrival.forwarding == nil ? \.store : \.origin)
            return .arrived(arrival.hedged(storeHad: found != nil, hasLooked: hasLooked))
        case .hedged(.failure(let failure), let found, _):
            return try await unlessFound(found, failure, attempt, started)
        }
    }

    /// The result of a hedged look whose fetch has failed: what the store had, if that is of use.
    /// - Throws: the failure, if the store has nothing of use.
    private func unlessFound(
        _ found: SharedFinding<Body>?, _ failure: PipelineFailure, _ attempt: FetchAttempt, _ started: Int64
    ) async throws(PipelineFailure) -> FirstLook<Body> {
        if attempt.wanted.isSuperseded(by: failure) {
            countHedge(\.origin)
            throw failure
        }
        // Another request may have taken over a newer original meanwhile.
        let held = await heldOriginal(attempt.wanted.key)
        let arrival = await taken(
            found.flatMap { isOfUse($0.entry, over: held) ? $0 : nil }, over: held, since: attempt.epoch,
            started)
        if let arrival, isFresh(arrival.original.freshness) {
            countHedge(\.store)
            return .arrived(arrival)
        }
        // A cancelled request says nothing about the store or the origin.
        if !Task.isCancelled { countHedge(\.neither) }
        // The fetch was cancelled because the store had a fresh original, which could then not be taken over: it was purged
        // meanwhile, or its bytes are gone.
        if case .cancelled = failure.reason, !Task.isCancelled {
            return .toBeAsked(arrival?.original ?? held, arrival == nil ? .absent : .stale)
        }
        throw failure
    }

    private func countHedge(_ winner: WritableKeyPath<HedgeStatistics, Int>) {
        hedges.withLock { $0[keyPath: winner] += 1 }
    }

    private func taken(
        _ found: SharedFinding<Body>?, over held: Original?, since epoch: PurgeEpoch, _ started: Int64
    ) async -> Arrival<Body>? {
        guard let found, var arrival = await takeOver(found, over: held, since: epoch) else { return nil }
        arrival.times.cache = Int(environment.ticks() - started)
        return arrival
    }

    /// True if the origin may be asked beside a late look: an interactive request waits, no failure of the original is remembered, a
    /// usual fetch from the origin ends before the look's deadline, and the hedge budget has room.
    private func mayHedge(_ wanted: FetchRequest, _ priority: Priority) -> Bool {
        guard let times = cache.lookTimes, priority == .interactive,
            failures.failure(about: .origin(wanted.key), now: environment.ticks()) == nil
        else { return false }
        return looks.withLock { looks in
            if let fetch = looks.origins.fetch(from: wanted.source.origin),
                times.late + fetch >= times.deadline
            {
                return false
            }
            return looks.hedges.spend()
        }
    }
}

extension Arrival {
    /// The arrival of a fetch made beside a look, with the store's part recorded.
    fileprivate func hedged(storeHad isKnown: Bool, hasLooked: Bool) -> Arrival {
        var arrival = self
        guard forwarding != nil else { return arrival }
        arrival.store = StorePart(.late)
        if isKnown { arrival.look = .always } else if !hasLooked { arrival.look = .never }
        return arrival
    }
}
