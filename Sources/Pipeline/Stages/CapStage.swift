// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel
internal import Synchronization

extension Pipeline {
    /// Throws where a stranger, or all of them together, have had as many renditions made of these bytes as an hour allows.
    func charge(
        _ key: RenditionKey, to original: Original, for request: PipelineRequest
    ) throws(PipelineFailure) {
        guard !request.isVouchedFor else { return }
        let now = environment.ticks()
        let verdict = ledger.withLock {
            $0.charge(key, to: original.digest, by: request.client, now: now)
        }
        guard case .refused(let retryAfter, let isNews) = verdict else { return }
        let limit = configuration.renditionsPerOriginal
        counters.refusedRenditions.count()
        if isNews { report(.scanned(key: original.key, limit: limit)) }
        throw PipelineFailure(.tooManyRenditions(limit: limit, retryAfter: retryAfter))
    }

    /// What was refused for want of a slot, or because its client had its share, is not counted.
    func withdrawing<Result>(
        _ key: RenditionKey, from original: Original,
        unlessBegun work: () async throws(PipelineFailure) -> Result
    ) async throws(PipelineFailure) -> Result {
        do throws(PipelineFailure) {
            return try await work()
        } catch {
            if error.reason.row.isRefunded { ledger.withLock { $0.withdraw(key, from: original.digest) } }
            throw error
        }
    }

    /// The same before the origin is asked about a stale original, as far as can be told from what is held: in the rare
    /// case that the picture has changed, a request is refused that its new bytes would have had room for.
    func refuseForeseeably(_ request: PipelineRequest) async throws(PipelineFailure) {
        guard !request.isVouchedFor, configuration.renditionsPerOriginal > 0,
            let original = shelf.original(request.source.key)
        else { return }
        let now = environment.ticks()
        guard ledger.withLock({ $0.mayRefuse(request.client, of: original.digest, now: now) }) else { return }
        let held = await examine(original, for: request, at: environment.now())
        if case .fresh = held.state { return }
        guard held.refusal == nil, held.rendition == nil else { return }
        try charge(held.key, to: original, for: request)
    }

    /// What was counted within the hour, and whether a stranger would be refused who had more than a few of them.
    func cap(_ key: RenditionKey, of original: Original) -> (made: Int, isReached: Bool) {
        let now = environment.ticks()
        return ledger.withLock {
            ($0.made(of: original.digest, now: now), $0.refuses(key, of: original.digest, now: now))
        }
    }
}
