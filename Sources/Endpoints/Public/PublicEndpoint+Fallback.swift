// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Dialects
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Kernel
internal import Monitoring
internal import Pipeline
internal import RequestGrammar

extension PublicEndpoint {
    /// The settings' fallback picture in place of one that cannot be had or made; nil if the client gets the refusal itself, or the
    /// redirect that its URL asks for.
    func fallback(
        for refusal: Refusal, _ request: Request, _ wanted: PictureRequest
    ) async -> Response? {
        let (dialect, asked) = (wanted.dialect, wanted.asked)
        guard let policy = rules.fallback, let reason = refusal.failure?.reason, policy.standsIn(for: reason),
            dialects.redirectTarget(after: refusal, of: asked, at: dialect, wanted.admission) == nil,
            var answer = await pipeline.fallback(for: wanted.question),
            let body = answerCache.intact(answer.body)
        else { return nil }
        answer.body = body
        guard let presentation = try? present(answer, asked) else { return nil }
        recorder.fellBack()
        var response = PictureResponse(presentation: presentation).response(
            to: request, inPlaceOf: dialect.tell(refusal), as: policy)
        response.fields.vary(by: asked.deciding)
        return response
    }
}
