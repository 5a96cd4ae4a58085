// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs
internal import Synchronization

/// The result of an original's first look into the shared store, and of the fetch beside it.
enum FirstLook<Body: Sendable>: Sendable {
    case arrived(Arrival<Body>)
    /// The origin is to be asked, about this stale original; nil if the look has changed nothing about what is held. The word
    /// tells why the store did not do.
    case toBeAsked(Original?, StorePart.Word)
}

extension Pipeline {
    /// Looks into the shared store for an original, and asks the origin beside that where it is late.
    /// - Throws: the origin's failure, where the store has nothing that would do.
    func sharedFirst(
        _ wanted: FetchRequest, _ priority: LivePriority, over held: Original?, since epoch: PurgeEpoch,
        purpose: FetchPurpose
    ) async throws(PipelineFailure) -> FirstLook<Body> {
        let started = environment.ticks()
        looks.withLock { $0.hedges.earn() }
        let look = await hedgedLook(wanted, over: held) {
            purpose != .refreshing && self.mayHedge(wanted, priority.value)
        } _: {
            let waited = Int(self.environment.ticks() - started)
            do throws(PipelineFailure) {
                var arrival = try await self.fetchInTurn(
                    wanted, priority, holding: held, since: epoch, purpose: purpose)
                arrival.times.cache += waited
                return .success(arrival)
            } catch {
                return .failure(error)
            }
        }
        switch look {
        case .looked(let result):
            guard let arrival = await taken(result.found, over: held, since: epoch, started) else {
                return .toBeAsked(nil, result.word)
            }
            return isFresh(arrival.original.freshness)
                ? .arrived(arrival) : .toBeAsked(arrival.original, .stale)
        case .hedged(.success(let arrival), let found, let hasLooked):
            // Another node may have asked the origin meanwhile.
            countHedge(arrival.forwarding == nil ? \.store : \.origin)
            return .arrived(arrival.hedged(storeHad: found != nil, hasLooked: hasLooked))
        case .hedged(.failure(let failure), let found, _):
            return try await unlessFound(found, failure, wanted, since: epoch, started)
        }
    }

    /// What comes of a hedged look whose fetch has failed: the store's finding, where it would do.
    /// - Throws: the failure, where the store has nothing that would do.
    private func unlessFound(
        _ found: SharedFinding<Body>?, _ failure: PipelineFailure, _ wanted: FetchRequest,
        since epoch: PurgeEpoch, _ started: Int64
    ) async throws(PipelineFailure) -> FirstLook<Body> {
        if wanted.isSuperseded(by: failure) {
            countHedge(\.origin)
            throw failure
        }
        // Another request may have taken over a newer original meanwhile.
        let held = await heldOriginal(wanted.key)
        let arrival = await taken(
            found.flatMap { isOfUse($0.entry, over: held) ? $0 : nil }, over: held, since: epoch, started)
        if let arrival, isFresh(arrival.original.freshness) {
            countHedge(\.store)
            return .arrived(arrival)
        }
        // A cancelled request says nothing about either side.
        if !Task.isCancelled { countHedge(\.neither) }
        // The fetch was cancelled for a finding that could not be taken over: purged since, or without its bytes.
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

    /// True if a late look may be hedged, by asking the origin beside it: an interactive request waits, no failure of the
    /// original is remembered, the origin's usual fetch ends before the look's deadline, and the budget of hedges has room.
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
    /// A fetch's result, where the store was asked as well.
    fileprivate func hedged(storeHad isKnown: Bool, hasLooked: Bool) -> Arrival {
        var arrival = self
        guard forwarding != nil else { return arrival }
        arrival.store = StorePart(.late)
        if isKnown { arrival.look = .always } else if !hasLooked { arrival.look = .never }
        return arrival
    }
}
