// SPDX-License-Identifier: Apache-2.0
//
// What a refusal costs decides how much is left for those who are not refused: ten times more requests than can be served
// must cost little more than their reading. So whoever is certain to be refused at the end of a queue is refused here,
// before a fetch, a look at the disk or a task.

internal import HTTPCaching
internal import ImageModel

extension Pipeline {
    /// Requests that need work may be refused now. Cheap: to be asked before a request is looked at more closely.
    package var isCrowded: Bool { !decodes.hasRoom(behind: fetches.inflow) || !fetches.hasRoom() }

    /// The refusal that this request is certain to meet; nil: it has a chance, or its answer is at hand. Looks only at what
    /// is in memory, and waits for nothing.
    package func earlyRefusal(of request: PipelineRequest) -> PipelineFailure? {
        guard request.recipe.output != .json, origin.permits(request.source) else { return nil }
        let refusal =
            if let original = shelf.original(request.source.key) {
                refusal(ofMaking: request, from: original)
            } else {
                refusal(ofFetchingFor: request)
            }
        return refusal.map(count)
    }

    private func refusal(ofFetchingFor request: PipelineRequest) -> PipelineFailure? {
        let key = request.source.key
        guard !originals.isFlying(key), !request.directives.onlyIfCached,
            failures.failure(about: .origin(key), now: environment.ticks()) == nil
        else { return nil }
        return fetches.refusal(of: request.priority, by: .some(request.client))
            ?? decodes.refusal(of: request.priority, behind: fetches.inflow)
    }

    private func refusal(
        ofMaking request: PipelineRequest, from original: Original
    ) -> PipelineFailure? {
        // With a watermark that is not at hand, what would be made is not known yet.
        let stamp = heldStamp(for: request)
        guard stamp != nil || request.recipe.watermark == nil,
            let recipe = try? definite(request, for: original.header, stamp),
            (try? configuration.pictures.check(original.header, for: recipe)) != nil
        else { return nil }
        let key = renditionKey(original.digest, recipe)
        let ticks = environment.ticks()
        guard !shelf.holds(key), !renditions.isFlying(key),
            failures.failure(about: .content(original.digest, pages: recipe.pages), now: ticks) == nil,
            failures.failure(about: .rendition(key), now: ticks) == nil
        else { return nil }
        return decodes.refusal(of: request.priority)
    }
}
