// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

extension Pipeline {
    /// Answers a recipe with the output `.json` from the original's header. A decoder reads the original only if the recipe asks
    /// something about its pixels.
    /// - Throws: the reason why there is no description.
    package func describe(_ request: PipelineRequest) async throws(PipelineFailure) -> Description<Body> {
        try await withOriginal(for: request) { (arrival) async throws(PipelineFailure) in
            guard let body = await body(of: arrival) else { return nil }
            let told = try await description(of: arrival, body, for: request)
            return try await withPixels(told, of: arrival, for: request)
        }
    }

    private func description(
        of arrival: Arrival<Body>, _ body: Body, for request: PipelineRequest
    ) async throws(PipelineFailure) -> Description<Body> {
        let header = arrival.original.header
        let recipe = request.terms.fitting(request.recipe, to: header)
        try refusing { () throws(DecodeFailure) in try checkDescription(of: header, by: recipe) }
        let started = environment.ticks()
        func asking() -> StageTimes { StageTimes(inspect: Int(environment.ticks() - started)) }
        var (details, shown) = (arrival.details, header)
        do throws(DecodeFailure) {
            if header.isUnseen(recipe.page) {
                guard let page = try await decoder.header(ofPage: recipe.page, of: body) else {
                    throw .damaged
                }
                guard page.isDecodable else { throw .codingNotRead(page.format) }
                shown = page
            }
            if details == nil { details = try await decoder.details(of: body, header: header) }
        } catch {
            throw PipelineFailure(decode: error).after(asking())
        }
        let size = recipe.resultSize(for: shown)
        let rendition = Rendition(
            key: renditionKey(arrival.original, recipe, configuration.engine), format: header.format,
            width: size.width, height: size.height, pages: header.pages, length: 0)
        let answer = answer(rendition, body, arrival.outcomeOfOwn, asking(), from: arrival, to: request)
        return Description(answer: answer, details: details ?? ImageDetails(header), shown: shown)
    }

    /// Checks the reasons for which every description is refused.
    func checkDescription(of header: ImageHeader, by recipe: Recipe) throws(DecodeFailure) {
        // The settings' limits may have changed since the original was kept.
        try configuration.pictures.check(header)
        guard recipe.pageTaken(from: header) != nil else { throw .noSuchPage(pages: header.pages) }
    }

    /// Adds the answers about the pixels to the description, if the recipe asks for any. They are made of this arrival, because an
    /// original that is not kept would otherwise be fetched again, and may have changed.
    /// - Returns: nil if the original's bytes are gone.
    private func withPixels(
        _ description: Description<Body>, of arrival: Arrival<Body>, for request: PipelineRequest
    ) async throws(PipelineFailure) -> Description<Body>? {
        guard !request.recipe.isToldByHeader else { return description }
        var described = description
        // The description has already counted the arrival's times.
        var arrival = arrival
        arrival.times = StageTimes()
        do throws(PipelineFailure) {
            guard let made = try await rendition(from: arrival, nil, for: request) else { return nil }
            described.pixels = made.body
            described.answer.times = described.answer.times + made.times
            return described
        } catch {
            throw error.keptNoLonger(than: arrival, at: environment.now())
        }
    }
}
