// SPDX-License-Identifier: Apache-2.0

internal import ImageHeaders
internal import Recipes
internal import RequestGrammar

extension Pipeline {
    /// Answers with the original's own bytes, after its header has shown that it is a picture within the limits. No decoder reads it.
    /// - Returns: nil if the original's bytes are gone.
    /// - Throws: the limit that the original exceeds.
    func handOn(
        _ arrival: Arrival<Body>, to request: PipelineRequest
    ) async throws(PipelineFailure) -> Answer<Body>? {
        try refusing { () throws(DecodeFailure) in
            try check(arrival.original, by: request.terms.limits)
        }
        return await rawAnswer(of: arrival, to: request)
    }

    /// The original's own bytes; nil if they are gone.
    func rawAnswer(of arrival: Arrival<Body>, to request: PipelineRequest) async -> Answer<Body>? {
        guard let body = await body(of: arrival) else { return nil }
        let original = arrival.original
        let (header, size) = (original.header, original.header.upright)
        let rendition = Rendition(
            key: renditionKey(original, .raw, configuration.engine), format: header.format,
            width: size.width, height: size.height, pages: header.pages, length: original.length)
        var handedOn = answer(
            rendition, body, arrival.outcomeOfOwn, StageTimes(), from: arrival, to: request)
        handedOn.isOriginal = true
        return handedOn
    }

    /// - Throws: the limit, of the settings or of the URL, that the original exceeds.
    func check(_ original: Original, by limits: URLLimits) throws(DecodeFailure) {
        try configuration.pictures.check(original.header)
        try limits.check(original)
    }
}
