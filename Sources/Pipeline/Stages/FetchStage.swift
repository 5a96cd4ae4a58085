// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs

extension Pipeline {
    /// The work of an original's in-flight request: asks the origin, with the validators of the held
    /// original.
    ///
    /// - Parameters:
    ///   - mustAsk: true to ask even if the held original is fresh, or the origin is known to fail. Ready answers carry the held
    ///     original's freshness, so they are dropped once the origin has answered.
    ///   - purpose: a first fetch for decoding is refused if the decoders would refuse the request afterwards.
    /// - Throws: the reason for no picture, which is remembered.
    func fetch(
        _ wanted: FetchRequest, _ priority: LivePriority, mustAsk: Bool = false, purpose: FetchPurpose
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let attempt = FetchAttempt(
            wanted: wanted, priority: priority, purpose: purpose, mustAsk: mustAsk, epoch: purges.epoch)
        let started = environment.ticks()
        // Another in-flight request may have completed between the request's look-up and this start.
        var (held, store): (Original?, StorePart?) = (await heldOriginal(wanted.key), nil)
        let hadNothing = held == nil
        if !mustAsk {
            if let held, isFresh(held.freshness) {
                return await arrival(ofHeld: held, since: attempt.epoch)
            }
            if looksFirst(for: wanted.key, over: held) {
                switch try await sharedFirst(attempt, over: held) {
                case .arrived(let arrival): return arrival
                case .toBeAsked(let stale, let word): (held, store) = (stale ?? held, StorePart(word))
                }
            }
        }
        let looking = StageTimes(cache: Int(environment.ticks() - started))
        return try await after(looking) { [held, store] () async throws(PipelineFailure) in
            var arrival = try await fetchInTurn(attempt, holding: held)
            arrival.times = looking + arrival.times
            // Another node's result may have come from the shared store meanwhile.
            arrival.store = arrival.store ?? store
            if hadNothing { arrival.tellNothingHeld() }
            return arrival
        }
    }

    /// Asks the origin once it is this node's turn, unless another node has done so meanwhile.
    func fetchInTurn(
        _ attempt: FetchAttempt, holding original: Original?
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let key = attempt.wanted.key
        var (held, lease): (Original?, Lease?) = (original, nil)
        if !attempt.mustAsk {
            var found: Arrival<Body>?
            lease = try await turn(leaseName(attempt.wanted, for: attempt.purpose, holding: held)) {
                guard let shared = await sharedOriginal(key, over: held, since: attempt.epoch) else {
                    return false
                }
                held = shared.original
                guard isFresh(shared.original.freshness) else { return false }
                found = shared
                return true
            }
            if let found { return found }
            do throws(PipelineFailure) { try refuseKnown(.origin(key)) } catch {
                end(lease, with: error)
                throw error
            }
        }
        return try await fetchNow(attempt, holding: held, under: lease)
    }

    /// Asks the origin, and remembers a failure; it is this node's turn.
    private func fetchNow(
        _ attempt: FetchAttempt, holding held: Original?, under lease: Lease?
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let (wanted, mustAsk) = (attempt.wanted, attempt.mustAsk)
        let key = wanted.key
        // Without the cache, the fetch holds nothing, or what the shared store had, and its answer may end yet another original.
        let known = cache.recorded(key) ?? held
        do throws(FailedFetch) {
            var arrival = try await ask(attempt, holding: held, superseding: known)
            if held == nil, !mustAsk, cache.sharesOriginals { arrival.look = .byOdds(wanted.source.origin) }
            learn(key, from: arrival)
            failures.forget(.origin(key))
            if mustAsk { arrival.epoch = await endAnswers(of: key, askedBy: arrival.epoch) }
            end(lease, with: arrival)
            return arrival
        } catch {
            learn(key, from: nil)
            if wanted.isSuperseded(by: error.failure) {
                await cache.forget(key, askedAbout: known)
                if mustAsk { _ = await endAnswers(of: key, askedBy: attempt.epoch) }
            }
            let failure = remembered(error, of: key, since: attempt.epoch)
            end(lease, with: failure)
            throw failure
        }
    }

    /// - Parameter recorded: the original that was on record before the origin was asked; it may differ from `original`.
    private func ask(
        _ attempt: FetchAttempt, holding original: Original?, superseding recorded: Original?
    ) async throws(FailedFetch) -> Arrival<Body> {
        let wanted = attempt.wanted
        let known = await known(wanted.key, original)
        // The stage times of both rounds, and whether either round reached the origin.
        var (spent, hasAsked) = (StageTimes(), false)
        // The second round, without conditions, follows a 304 for another representation (RFC 9111 §4.3.4) or a 412.
        for validators in [conditions(of: known, wanted.key), Validators()] {
            let request = OriginRequest(
                source: wanted.source, validators: validators, fields: configuration.requestFields,
                clientFields: wanted.clientFields)
            do throws(FailedFetch) {
                let (reply, times) = try await exchange(
                    request, attempt.priority, for: wanted.client,
                    willBeDecoded: attempt.purpose == .decoding && original == nil)
                (spent, hasAsked) = (spent + times, true)
                let received = ReceivedReply(
                    reply: reply, request: request, known: known, recorded: recorded, attempt: attempt)
                if var arrival = try await receive(received) {
                    arrival.times = arrival.times + spent
                    return arrival
                }
            } catch {
                throw error.after(spent, hasAsked: hasAsked)
            }
        }
        throw FailedFetch(.brokenReply, configuration.negative)
    }

    /// The conditions that the known content allows. `Last-Modified` is valid for the stored variant only (RFC 9111 §4.3.1): if
    /// the origin would select another variant now, it might confirm the wrong one. A date that was ahead on arrival confirms
    /// nothing.
    private func conditions(of known: KnownContent, _ key: OriginalKey) -> Validators {
        guard let fields = known.fields else { return Validators() }
        var conditions = fields.validators
        if fields.isModified(after: known.arrival ?? environment.now()) { conditions.lastModified = nil }
        if !fields.variesByAll, !isSelected(fields, of: key) { conditions.lastModified = nil }
        return conditions
    }

    /// The original, or the failure, whose validators make the request conditional.
    private func known(_ key: OriginalKey, _ original: Original?) async -> KnownContent {
        if let original, let fields = await cache.fields(of: original) { return .original(original, fields) }
        if let (failure, fields) = failures.lingering(about: .origin(key), now: environment.ticks()) {
            return .noPicture(failure, fields)
        }
        return .nothing
    }
}

extension Arrival {
    /// Reports that this node held nothing, although the shared store gave it a stale original before the origin was asked.
    fileprivate mutating func tellNothingHeld() {
        forwarding?.reason = .uriMiss
        if store?.reason != nil { store?.word = .hit(for: .uriMiss) }
    }
}
