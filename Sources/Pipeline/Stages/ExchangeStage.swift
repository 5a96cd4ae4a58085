// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPCaching
internal import HTTPSemantics
internal import SourceURLs
internal import Synchronization
internal import Traces

extension Pipeline {
    /// Asks the origin once, and tells the table of health how it went.
    func exchange(
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
            throw failure(of: request, error, signal).after(times, hasAsked: error.hasConnected)
        }
    }

    /// The failure may be caused by parameters outside of the key, such as an expired signature, while another request may have valid
    /// ones, so it is not remembered. An origin that cannot be reached has not seen the parameters, so that failure is.
    private func failure(
        of request: OriginRequest, _ error: FailedExchange, _ signal: HealthSignal
    ) -> FailedFetch {
        var failed = FailedFetch(error, configuration.negative, now: environment.now())
        let isReached = signal != .down && !error.dependsOnURL
        if request.source.sentTarget != nil, isReached || !error.redirects.isEmpty {
            failed.verdict = .nothing
        }
        return failed
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
