// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Dialects
internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Pipeline
internal import RequestGrammar
internal import Signatures

extension PublicEndpoint {
    /// On the event loop, while there is too much to do: the answer to a request that is certain to be refused in the end,
    /// the same as it would get then. It costs a reading of the target, and no task.
    func earlyRefusal(of request: borrowing RequestView, now: Timestamp) -> ReadyAnswer? {
        // Several lines of `Accept` are rare enough to go the long way, and so is what a refusal has other words for.
        guard !request.head.isRepeated(.accept), let target = try? RequestTarget(request.target),
            let dialect = dialects.dialect(of: target),
            let admission = try? dialect.admit(target, signatures, now: now),
            let asked = try? dialect.read(admission.target),
            (try? dialects.checkFallback(of: asked, at: dialect, admission)) != nil
        else { return nil }
        var question = dialect.question(asked, request[.accept].map { AcceptClass($0) } ?? [])
        question.client = client(of: request.peer)
        guard let failure = pipeline.earlyRefusal(of: question) else { return nil }
        let make = { [dialects] in
            ReadyAnswer(
                dialects.response(to: Refusal(failure), of: asked.source, at: dialect, admission, now: now))
        }
        guard dialect.fallbacks.fallback(in: admission.target) == nil else { return make() }
        return readyRefusals.answer(to: failure, at: dialect.name, make)
    }
}
