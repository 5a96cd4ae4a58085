// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPCaching
internal import HTTPSemantics
internal import SourceURLs
internal import Synchronization
internal import Traces

/// The purpose of a fetch.
enum FetchPurpose: Sendable {
    /// To make a picture of the original.
    case decoding
    /// To report on the original.
    case describing
    /// To keep the original fresh; no request waits.
    case refreshing
}

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
        let (epoch, started) = (purges.epoch, environment.ticks())
        // Another in-flight request may have completed between the request's look-up and this start.
        var (held, store): (Original?, StorePart?) = (await heldOriginal(wanted.key), nil)
        let hadNothing = held == nil
        if !mustAsk {
            if let held, isFresh(held.freshness) {
                return await arrival(ofHeld: held, since: epoch)
            }
            if looksFirst(for: wanted.key, over: held) {
                switch try await sharedFirst(
                    wanted, priority, over: held, since: epoch, purpose: purpose)
                {
                case .arrived(let arrival): return arrival
                case .toBeAsked(let stale, let word): (held, store) = (stale ?? held, StorePart(word))
                }
            }
        }
        let looking = StageTimes(cache: Int(environment.ticks() - started))
        return try await after(looking) { [held, store] () async throws(PipelineFailure) in
            var arrival = try await fetchInTurn(
                wanted, priority, mustAsk: mustAsk, holding: held, since: epoch, purpose: purpose)
            arrival.times = looking + arrival.times
            // Another node's result may have come from the shared store meanwhile.
            arrival.store = arrival.store ?? store
            if hadNothing { arrival.tellNothingHeld() }
            return arrival
        }
    }

    /// Asks the origin once it is this node's turn, unless another node has done so meanwhile.
    func fetchInTurn(
        _ wanted: FetchRequest, _ priority: LivePriority, mustAsk: Bool = false, holding original: Original?,
        since epoch: PurgeEpoch, purpose: FetchPurpose
    ) async throws(PipelineFailure) -> Arrival<Body> {
        let key = wanted.key
        var (held, lease): (Original?, Lease?) = (original, nil)
        if !mustAsk {
            var found: Arrival<Body>?
            lease = try await turn(leaseName(wanted, for: purpose, holding: held)) {
                guard let shared = await sharedOriginal(key, over: held, since: epoch) else {
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
        do throws(FailedFetch) {
            var arrival = try await ask(wanted, priority, holding: held, since: epoch, purpose: purpose)
            if held == nil, !mustAsk, cache.sharesOriginals { arrival.look = .byOdds(wanted.source.origin) }
            learn(key, from: arrival)
            failures.forget(.origin(key))
            if mustAsk { arrival.epoch = await endAnswers(of: key, askedBy: arrival.epoch) }
            end(lease, with: arrival)
            return arrival
        } catch {
            learn(key, from: nil)
            if wanted.isSuperseded(by: error.failure) {
                await forget(key, askedAbout: held)
                if mustAsk { _ = await endAnswers(of: key, askedBy: epoch) }
            }
            let failure = remembered(error, of: key, since: epoch)
            end(lease, with: failure)
            throw failure
        }
    }

    /// Forgets the original that a fetch asked about. An original that arrived after the fetch began stays: after a purge or a change
    /// of settings two fetches for one key can be under way, and the later one may end first.
    func forget(_ key: OriginalKey, askedAbout known: Original?) async {
        if let held = cache.original(key) {
            guard let known, known.digest == held.digest,
                known.freshness.responseTime == held.freshness.responseTime
            else { return }
        }
        await cache.forget(key)
    }

    private func ask(
        _ wanted: FetchRequest, _ priority: LivePriority, holding original: Original?,
        since epoch: PurgeEpoch,
        purpose: FetchPurpose
    ) async throws(FailedFetch) -> Arrival<Body> {
        let known = await known(wanted.key, original)
        // The stage times of both rounds, and whether either round reached the origin.
        var (spent, hasAsked) = (StageTimes(), false)
        // The second round follows a 304 for another representation, without conditions (RFC 9111 §4.3.4).
        for validators in [known.fields.map { conditions($0, of: wanted.key) } ?? Validators(), Validators()]
        {
            let request = OriginRequest(
                source: wanted.source, validators: validators, fields: configuration.requestFields,
                clientFields: wanted.clientFields)
            do throws(FailedFetch) {
                let (reply, times) = try await exchange(
                    request, priority, for: wanted.client,
                    willBeDecoded: purpose == .decoding && original == nil)
                (spent, hasAsked) = (spent + times, true)
                if var arrival = try await receive(
                    reply, to: request, known: known, since: epoch, purpose: purpose)
                {
                    arrival.times = arrival.times + spent
                    return arrival
                }
            } catch {
                throw error.after(spent, hasAsked: hasAsked)
            }
        }
        throw FailedFetch(.brokenReply, configuration.negative)
    }

    /// The conditions that these fields allow. `Last-Modified` is valid for the stored variant only (RFC 9111 §4.3.1): if the origin
    /// would select another variant now, it might confirm the wrong one.
    private func conditions(_ fields: StoredFields, of key: OriginalKey) -> Validators {
        var conditions = fields.validators
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

    private func exchange(
        _ request: OriginRequest, _ priority: LivePriority, for client: ClientKey?, willBeDecoded: Bool
    ) async throws(FailedFetch) -> (OriginReply<Body>, StageTimes) {
        let arrived = environment.ticks()
        let (permit, slot, right) = try await admitted(
            to: request.source, priority, for: client, willBeDecoded: willBeDecoded)
        var isGood: Bool?
        defer {
            // The fleet's slot is returned first, because returning the permit starts this node's next fetch, which asks for a slot
            // at once.
            if let slot { originLimits?.leave(slot) }
            fetches.leave(permit, isGood: isGood)
        }
        if request.validators.isEmpty { counters.fetches.count() } else { counters.revalidations.count() }
        let started = environment.ticks()
        func times() -> StageTimes {
            StageTimes(origin: Int(environment.ticks() - started), queue: Int(started - arrived))
        }
        do throws(FailedExchange) {
            var reply = try await origin.fetch(request)
            reply.transit.isAuthorized = request.clientFields.isAuthorized
            health.leave(
                right, HealthSignal(reply, to: request, configuration.negative), at: reply.finalOrigin)
            slowDown(after: reply, to: request.source, for: client)
            if case .refused = reply.payload {} else { isGood = true }
            let times = times()
            if cache.isShared {
                looks.withLock { $0.origins.learn(fetch: Int64(times.origin), from: request.source.origin) }
            }
            return (reply, times)
        } catch {
            let signal = HealthSignal(error, to: request)
            health.leave(right, signal, at: error.finalOrigin)
            if signal != .none, signal != .well { isGood = false }
            let times = times()
            if cache.isShared, error.failure == .cancelled {
                looks.withLock {
                    $0.origins.learn(givenUpAfter: Int64(times.origin), from: request.source.origin)
                }
            }
            var failed = FailedFetch(error, configuration.negative, now: environment.now())
            // The failure may be caused by parameters outside of the key, such as an expired signature, while another request may
            // have valid ones, so it is not remembered. An origin that cannot be reached has not seen the parameters, so that failure
            // is.
            if request.source.sentTarget != nil, signal != .down || !error.redirects.isEmpty {
                failed.verdict = .nothing
            }
            throw failed.after(times, hasAsked: error.hasConnected)
        }
    }

    /// Waits for a permit, and for the fleet's slot if there is a fleet, and takes the right to ask. Health is checked before the
    /// wait, because a request to a resting origin needs no permit. The right is taken after the wait, so that no waiting request
    /// blocks the probe, and no request goes to an origin that has begun to fail meanwhile.
    private func admitted(
        to source: SourceURL, _ priority: LivePriority, for client: ClientKey?, willBeDecoded: Bool
    ) async throws(FailedFetch) -> (Admission.Permit, OriginSlot?, OriginHealthTable.RightToAsk) {
        let (arrived, asker) = (environment.ticks(), Asker(client))
        let deadline = arrived + configuration.fetches.queueAge
        do throws(PipelineFailure) {
            try health.refuseResting(source.origin, for: client, isWanted: priority.value > .refresh)
            let permit = try await traced("fetch queue") { _ throws(PipelineFailure) in
                try await fetches.enter(
                    group: source.origin.group, priority: priority,
                    account: PermitAccount(client: asker, site: source.origin.site))
            }
            var slot: OriginSlot?
            do throws(PipelineFailure) {
                slot = try await originTurn(source, until: deadline)
                // Checked again, because the decoders' queue may have grown during the wait.
                let others = fetches.inflowByClient.without(asker)
                if willBeDecoded,
                    let refusal = decodes.refusal(of: priority.value, by: asker, behind: others)
                {
                    throw refusal
                }
                let isWanted = priority.value > .refresh
                return (permit, slot, try health.enter(source.origin, for: client, isWanted: isWanted))
            } catch {
                if let slot { originLimits?.leave(slot) }
                fetches.leave(permit)
                throw error
            }
        } catch {
            let queued = StageTimes(queue: Int(environment.ticks() - arrived))
            throw FailedFetch(failure: error).after(queued)
        }
    }

    /// A 429 asks for fewer requests (RFC 6585 §4), so the host is slowed down.
    private func slowDown(after reply: OriginReply<Body>, to source: SourceURL, for client: ClientKey?) {
        guard case .refused(429) = reply.payload else { return }
        let seconds = reply.fields["Retry-After"].flatMap {
            RetryAfter.seconds($0, now: reply.transit.responseTime, limit: Int.max)
        }
        fetches.slowDown(group: (reply.finalOrigin ?? source.origin).group, for: seconds, by: client)
    }
}

extension SourceOrigin {
    /// The group of a fetch, which shares permits and rate: one host and port, or one folder or bucket.
    var group: String { scheme.isWeb ? "\(host):\(port)" : description }
}

extension Arrival {
    /// Reports that this node held nothing, although the shared store gave it a stale original before the origin was asked.
    fileprivate mutating func tellNothingHeld() {
        forwarding?.reason = .uriMiss
        if store?.reason != nil { store?.word = .hit(for: .uriMiss) }
    }
}
