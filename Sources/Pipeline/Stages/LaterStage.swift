// SPDX-License-Identifier: Apache-2.0
//
// AVIF takes three to six times as long as WebP. Where the client's `Accept` alone chose it, and the settings allow that, a request
// does not wait for it:
//
//   request 1 ── plan: no AVIF is held, so WebP ── WebP, for a minute ─▶ client
//                                                     └─▶ IdleQueue ── decoders are idle ── AVIF ── kept
//   request 2 ── plan: AVIF is held ── AVIF, for the original's lifetime ─▶ client
//
// `plan` decides this, so that every stage and `explain` follow one decision; `substituted` adapts the answer. The substitute is the
// rendition that clients without AVIF get, so it has that rendition's key and entity tag.

internal import HTTPCaching
internal import HTTPSemantics
internal import Recipes

extension Pipeline {
    /// Seconds for which clients may keep a substitute. Short, because a CDN that holds it keeps the AVIF from its clients. Not
    /// shorter, because while the decoders are busy each CDN asks for each picture once in this time.
    static var substituteLifetime: Int { 60 }

    /// The rendition to answer with: the wanted one, or a substitute while the wanted one is not held.
    /// - Throws: if no such picture may be made of it.
    func plan(
        _ request: PipelineRequest, from original: Original, _ watermark: ResolvedWatermark<Body>?
    ) throws(DecodeFailure) -> PlannedRendition {
        let wanted = try planInFull(request, from: original, watermark)
        guard mayComeLater(wanted, for: request) else { return wanted }
        var lesser = request
        lesser.accepted = request.accepted.intersection(.webp)
        guard var substitute = try? planInFull(lesser, from: original, watermark),
            substitute.recipe.output.isMade
        else { return wanted }
        substitute.later = PlannedRendition.Later(key: wanted.key, plan: wanted.plan)
        return substitute
    }

    /// True if `Accept` alone chose AVIF, and the rendition is not held. A request below interactive priority waits for the AVIF,
    /// because its client has said that it has time. A rendition that would not be kept cannot be made later.
    private func mayComeLater(_ wanted: PlannedRendition, for request: PipelineRequest) -> Bool {
        guard configuration.makesAVIFLater, request.recipe.output == .auto, request.priority == .interactive,
            wanted.recipe.mayBecomeAVIF
        else { return false }
        // In this order, because most renditions are held, so that the disk's health is seldom looked up.
        return !cache.holds(wanted.key) && cache.keepsRenditions
    }

    /// The answer with a substitute, while the wanted rendition is made afterwards.
    func substituted(
        _ answer: Answer<Body>, for wanted: PlannedRendition, from arrival: Arrival<Body>,
        _ watermark: ResolvedWatermark<Body>?, to request: PipelineRequest
    ) -> Answer<Body> {
        counters.substitutes.count()
        let failure = knownFailure(of: wanted)
        let isHeld = cache.holds(answer.rendition.key)
        let isComing =
            failure == nil && isHeld && makesLater(wanted, from: arrival, watermark, for: request)
        var answer = answer
        (answer.isSubstitute, answer.awaitsAVIF) = (true, isComing)
        // Not kept, because a ready answer would still be given after the wanted rendition is made.
        if isHeld { answer.isKept = false }
        // Removed, because with the same `Last-Modified` for both, a client's `If-Modified-Since` for the substitute would be
        // answered with 304 once the AVIF is made.
        answer.original.lastModified = nil
        answer.original.freshness = freshness(ofSubstituteFrom: answer.original, after: failure)
        return answer
    }

    /// - Parameter failure: the remembered failure to make the wanted rendition; it is not tried again until that is forgotten.
    func freshness(ofSubstituteFrom original: Original, after failure: PipelineFailure?) -> Freshness {
        original.freshness.ending(
            in: Int32(clamping: max(Self.substituteLifetime, failure?.rememberedFor ?? 0)),
            at: environment.now())
    }

    /// Queues the wanted rendition, to be made once decoders are idle. A request for the same rendition joins that work. The work
    /// counts for the original's quota, but not for the client's allowance, because the client has paid for the substitute.
    /// - Returns: false if the quota is used up.
    private func makesLater(
        _ wanted: PlannedRendition, from arrival: Arrival<Body>, _ watermark: ResolvedWatermark<Body>?,
        for request: PipelineRequest
    ) -> Bool {
        guard request.isVouchedFor || quotaRefusal(of: wanted, to: request.client) == nil else {
            return false
        }
        var (arrival, watermark) = (arrival, watermark)
        // Drops the bodies, so that a long queue holds no open files.
        arrival.body = bodyOfFallback(arrival.original.digest)
        if case .fetched(var mark) = watermark {
            mark.body = nil
            watermark = .fetched(mark)
        }
        later.add(wanted.key, when: { [decodes] in decodes.isIdle(beside: $0) }) {
            [weak self, arrival, watermark] in
            await self?.make(wanted, from: arrival, watermark, for: request)
        }
        return true
    }

    /// The bytes of the settings' fallback picture, if the digest is its digest: the picture is always in memory, and no cache holds
    /// it.
    private func bodyOfFallback(_ digest: OriginalDigest) -> Body? {
        guard case .held(let picture)? = fallback, picture.digest == digest else { return nil }
        return picture.body
    }

    private func make(
        _ wanted: PlannedRendition, from arrival: Arrival<Body>, _ watermark: ResolvedWatermark<Body>?,
        for request: PipelineRequest
    ) async {
        let (key, original) = (wanted.key, arrival.original)
        // After a purge the rendition would not be kept; the next request asks for it again.
        guard !cache.holds(key),
            !purges.isPurged(original.key, tags: arrival.tags, since: arrival.epoch),
            (try? charge(key, to: original, for: request)) != nil
        else { return }
        do throws(PipelineFailure) {
            let made = try await withdrawing(key, from: original, for: request) {
                () async throws(PipelineFailure) in
                try await self.renditions.join(RenditionWork(key), priority: .refresh) {
                    (priority) async throws(PipelineFailure) in
                    try await self.render(
                        RenderAttempt(
                            planned: wanted, arrival: arrival, watermark: watermark, priority: priority,
                            client: request.client))
                }
            }
            if made.led, case .made = made.value {
                counters.laterRenditions.count()
            } else {
                withdraw(key, from: original, for: request)
            }
        } catch {
            // `render` has remembered the failure, if it is of a kind that is remembered. Clients keep the substitute.
        }
    }
}
