// SPDX-License-Identifier: Apache-2.0
//
// Load shedding: the cheaper a refusal is, the more capacity is left for other requests. Ten times more requests than can be served
// must cost little more than reading them. So a request that is certain to be refused at the end of a queue is refused here, before a
// fetch, a look at the disk or a task.

internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension Pipeline {
    /// True if requests that need work may be refused now. Cheap, so that it can be asked before a request is parsed further.
    package var isCrowded: Bool { !decodes.hasRoom(behind: fetches.inflow) || !fetches.hasRoom() }

    /// The refusal that this request is certain to get; nil if it has a chance, or its answer is at hand. Reads memory only.
    package func earlyRefusal(of request: PipelineRequest) -> PipelineFailure? {
        guard request.recipe.output.isMade, origin.permits(request.source) else { return nil }
        let held = cache.original(request.key)
        let original = decide(request, holding: held)
        if case .refuse(let failure) = original.step {
            return original.reason == .isOverloaded ? count(failure) : nil
        }
        guard let held, let rendition = decideAtOnce(request, from: held),
            case .refuse(let failure) = rendition.step, rendition.reason == .isOverloaded
        else { return nil }
        return count(failure)
    }

    /// The decision on the rendition; nil if the watermark, and so the rendition's key, is unknown, and for an original that is
    /// passed on.
    private func decideAtOnce(_ request: PipelineRequest, from original: Original) -> RenditionDecision? {
        if request.terms.passed.contains(original.header) { return nil }
        let watermark = heldWatermark(for: request)
        guard watermark != nil || request.recipe.watermark == nil else { return nil }
        do throws(DecodeFailure) {
            let planned = try plan(request, from: original, watermark)
            guard planned.recipe.output.isMade else { return nil }
            return decide(planned, for: request, heldIn: cache.holds(planned.key) ? .memory : nil)
        } catch {
            return RenditionDecision(refusing: error)
        }
    }
}
