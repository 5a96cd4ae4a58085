// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes
internal import RequestGrammar
internal import SourceURLs
internal import Synchronization

extension Pipeline {
    /// Counts a rendition that is about to be made.
    /// - Throws: `.tooManyRenditions` if the client, or all strangers together, have used up the original's
    ///   renditions of this hour.
    func charge(
        _ key: RenditionKey, to original: Original, for request: PipelineRequest
    ) throws(PipelineFailure) {
        guard !request.isVouchedFor else { return }
        let now = environment.ticks()
        let verdict = quota.withLock {
            $0.charge(key, to: original.digest, by: request.client, now: now)
        }
        guard case .refused(let retryAfter, let isNews) = verdict else { return }
        let limit = configuration.renditionsPerOriginal
        counters.refusedRenditions.count()
        if isNews { report(.scanned(key: original.key, limit: limit)) }
        throw PipelineFailure(.tooManyRenditions(limit: limit, retryAfter: retryAfter))
    }

    /// Takes back the charge for a request's rendition.
    func withdraw(_ key: RenditionKey, from original: Original, for request: PipelineRequest) {
        guard !request.isVouchedFor else { return }
        quota.withLock { $0.withdraw(key, from: original.digest) }
    }

    /// Takes back the charge for a request's rendition if the request is refused for lack of a permit, or of the client's allowance.
    func withdrawing<Result>(
        _ key: RenditionKey, from original: Original, for request: PipelineRequest,
        unlessBegun work: () async throws(PipelineFailure) -> Result
    ) async throws(PipelineFailure) -> Result {
        do throws(PipelineFailure) {
            return try await work()
        } catch {
            if error.reason.row.isRefunded, error.isWithoutWork {
                withdraw(key, from: original, for: request)
            }
            throw error
        }
    }

    /// Charges the quota for a stale original before the origin is asked, judging by the held bytes. In the rare case that the
    /// picture has changed, a request is refused although the quota of the new bytes has room.
    /// - Throws: `.tooManyRenditions`.
    func refuseForeseeably(
        _ request: PipelineRequest, from original: Original
    ) async throws(PipelineFailure) {
        guard !request.isVouchedFor, configuration.renditionsPerOriginal > 0, !isFresh(original.freshness)
        else { return }
        let now = environment.ticks()
        guard quota.withLock({ $0.mayRefuse(request.client, of: original.digest, now: now) }) else { return }
        guard !request.terms.passed.contains(original.header),
            let planned = try? plan(request, from: original, heldWatermark(for: request)),
            planned.recipe.output.isMade
        else { return }
        let held = await cache.rendition(planned.key)
        let decision = decide(planned, for: request, heldIn: held?.level)
        guard decision.reason == .quotaIsSpent else { return }
        try charge(planned.key, to: original, for: request)
        // The quota has room. The rendition is charged again when it is made.
        withdraw(planned.key, from: original, for: request)
    }

    /// The refusal that `charge` would throw; nil for none.
    func quotaRefusal(of planned: PlannedRendition, to client: ClientKey?) -> PipelineFailure? {
        let (now, digest) = (environment.ticks(), planned.original.digest)
        let wait = quota.withLock { $0.wait(for: planned.key, of: digest, by: client, now: now) }
        return wait.map {
            PipelineFailure(
                .tooManyRenditions(limit: configuration.renditionsPerOriginal, retryAfter: $0))
        }
    }

    /// Renditions counted within the last hour for the original.
    func renditionsThisHour(of original: Original) -> Int {
        let now = environment.ticks()
        return quota.withLock { $0.made(of: original.digest, now: now) }
    }
}
