// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

extension Pipeline {
    /// Answers a recipe with the output `.raw`: the original's own bytes, once its header has told that it is a picture which
    /// the limits allow. No decoder sees it.
    /// - Throws: the reason why there is none.
    package func raw(_ request: PipelineRequest) async throws(PipelineFailure) -> Answer<Body> {
        try await withOriginal(for: request) { (arrival) async throws(PipelineFailure) in
            try await handOn(arrival, to: request)
        }
    }

    /// The original's own bytes; nil if they are gone.
    func rawAnswer(of arrival: Arrival<Body>) async -> Answer<Body>? {
        await body(of: arrival).map { rawAnswer($0, of: arrival, for: .raw) }
    }

    /// Answers with the original where the request's dialect hands it on. Another original of the same URL may be worked
    /// on, so the answer depends on the same fields as that would.
    /// - Returns: nil if the original's bytes are gone.
    func handOn(
        _ arrival: Arrival<Body>, to request: PipelineRequest
    ) async throws(PipelineFailure) -> Answer<Body>? {
        try refuseForbidden(arrival.original, by: request.terms.limits)
        var answer = await rawAnswer(of: arrival)
        answer?.variesByAccept = request.recipe.output == .auto
        return answer
    }

    /// - Throws: the limit, of the settings or of the URL, that the original exceeds.
    private func refuseForbidden(
        _ original: Original, by limits: URLLimits
    ) throws(PipelineFailure) {
        try refusing { () throws(DecodeFailure) in
            try configuration.pictures.check(original.header)
            try limits.check(original)
        }
    }

    private func rawAnswer(_ body: Body, of arrival: Arrival<Body>, for recipe: Recipe) -> Answer<Body> {
        let (original, size) = (arrival.original, arrival.original.header.upright)
        let rendition = Rendition(
            key: renditionKey(original, recipe, configuration.engine), format: original.header.format,
            width: size.width,
            height: size.height, pages: original.header.pages, length: original.length)
        return Answer(
            rendition: rendition, body: body, original: original,
            outcome: arrival.outcomeOfOwn,
            times: arrival.times, forwarding: arrival.forwarding, variesByAccept: false, epoch: arrival.epoch,
            tags: arrival.tags, isKept: arrival.isKept, store: arrival.store)
    }
}
