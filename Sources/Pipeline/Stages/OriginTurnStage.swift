// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs
internal import Synchronization
internal import Traces

extension Pipeline {
    /// Waits until the fleet allows a fetch that this node has already admitted.
    /// - Parameter deadline: ticks after which the request is refused.
    /// - Returns: the slot, to be returned after the fetch; nil if this node decides alone.
    /// - Throws: `.overloaded`, or `.cancelled` if nobody wants the fetch any more.
    func originTurn(
        _ source: SourceURL, until deadline: Int64
    ) async throws(PipelineFailure) -> OriginSlot? {
        guard let port = originLimits, let name = originName(source) else { return nil }
        let limits = OriginLimits(
            fetches: configuration.fleetFetchesPerHost ?? configuration.fetches.permitsPerGroup,
            rate: configuration.fetches.ratePerGroup)
        let started = environment.ticks()
        let verdict = await traced("fleet slot") { _ in
            await wait(for: name, at: port, limits, until: deadline)
        }
        let waited = environment.ticks() - started
        originTurns.withLock { $0.count(verdict, waited: waited) }
        guard !Task.isCancelled else {
            if case .entered(let slot) = verdict { port.leave(slot) }
            throw .cancelled
        }
        switch verdict {
        case .entered(let slot): return slot
        case .unavailable: return nil
        case .full: throw .overloaded(retryAfter: 1)
        case .early(let wait): throw .overloaded(retryAfter: max(1, wait.secondsAhead))
        }
    }

    /// Asks at once if no request here waits for this origin; otherwise asks in the order of arrival.
    private func wait(
        for name: String, at port: any OriginLimitPort, _ limits: OriginLimits, until deadline: Int64
    ) async -> OriginVerdict {
        var answer: OriginVerdict?
        if !originQueue.isOccupied(name) {
            let verdict = await port.enter(name, limits)
            if verdict.isFinal { return verdict }
            answer = verdict
        }
        let call = await originQueue.enter(name) { giveUp in
            environment.after(microseconds: max(0, deadline - environment.ticks()), giveUp)
        }
        switch call {
        case .gaveUp: return answer ?? .full
        case .dismissed: return .unavailable
        case .first(let hasWaited): if hasWaited { answer = nil }
        }
        let verdict = await ask(port, for: name, limits, after: answer, until: deadline)
        // If the fleet is unavailable, the requests behind would each wait for Redis's time-out in turn.
        if verdict == .unavailable { originQueue.dismiss(name) } else { originQueue.leave(name) }
        return verdict
    }

    /// Asks repeatedly.
    /// - Parameter answer: the answer that was given just now; nil for none.
    private func ask(
        _ port: any OriginLimitPort, for name: String, _ limits: OriginLimits,
        after answer: OriginVerdict?, until deadline: Int64
    ) async -> OriginVerdict {
        var verdict: OriginVerdict
        if let answer { verdict = answer } else { verdict = await port.enter(name, limits) }
        var pauses = PollingPauses()
        while !verdict.isFinal {
            let rest = if case .early(let wait) = verdict { wait } else { Int64(0) }
            guard !Task.isCancelled, environment.ticks() + rest < deadline else { break }
            await environment.pause(microseconds: rest + jittered(pauses.next))
            guard !Task.isCancelled else { break }
            pauses.lengthen()
            verdict = await port.enter(name, limits)
        }
        return verdict
    }

    /// The origin's name in the fleet; nil for a folder, because folders belong to this machine.
    func originName(_ source: SourceURL) -> String? {
        guard source.origin.scheme != .file else { return nil }
        return environment.sha256(Array(source.origin.group.utf8)).hex
    }
}

extension OriginVerdict {
    /// False if asking again may give another verdict.
    fileprivate var isFinal: Bool {
        switch self {
        case .entered, .unavailable: true
        case .full, .early: false
        }
    }
}
