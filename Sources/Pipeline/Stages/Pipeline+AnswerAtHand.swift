// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import Recipes
internal import RequestGrammar
internal import SourceURLs

extension Pipeline {
    /// The answer that needs no waiting: its original is held and fresh, and its rendition is in memory, or on disk and in the
    /// kernel's page cache. It equals the answer that `answer` would give; nil for every other request, and for requests that are
    /// refused. Must not be asked for a request with directives.
    ///
    /// Does not block: at most one small file is read and verified.
    package func answerAtHand(_ request: PipelineRequest) -> Answer<Body>? {
        guard request.recipe.output.isMade, request.recipe.watermark == nil, origin.permits(request.source)
        else { return nil }
        let (started, epoch) = (environment.ticks(), purges.epoch)
        guard let original = cache.original(request.key), isSelected(original), isFresh(original.freshness),
            !request.terms.passed.contains(original.header),
            // Other tags are in the index, where a look may block.
            let tags = cache.tagsAtHand(of: original),
            // In full: a rendition at hand needs no substitute.
            let planned = try? planInFull(request, from: original, nil), planned.recipe.output != .raw,
            let (rendition, body, level) = cache.renditionAtHand(planned.key),
            (try? request.terms.limits.check(rendition)) != nil,
            // Beyond that size another format may be smaller, which `rendition(from:)` tries.
            request.recipe.output != .auto || rendition.length <= original.length
        else { return nil }
        let arrival = Arrival<Body>(original: original, epoch: epoch, tags: tags)
        let times = StageTimes(cache: Int(environment.ticks() - started))
        return answer(
            rendition, body, arrival.outcome(cache: level), times, from: arrival,
            to: request)
    }
}
