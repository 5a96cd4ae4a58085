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
    /// The refusal of a request that is certain to be refused for overload; nil to let the request go on. The same answer as from
    /// `respond`, but at the cost of reading the target on the event loop, without a task.
    func earlyRefusal(of request: borrowing RequestView, now: Timestamp) -> ReadyAnswer? {
        guard let wanted = read(request, now: now),
            let failure = pipeline.earlyRefusal(of: wanted.question)
        else { return nil }
        let (dialect, admission, asked) = (wanted.dialect, wanted.admission, wanted.asked)
        let make = { [dialects] in
            ReadyAnswer(
                dialects.response(to: Refusal(failure), of: asked, at: dialect, admission, now: now))
        }
        guard dialect.fallbacks.fallback(in: admission.target) == nil else { return make() }
        return readyRefusals.answer(to: failure, at: dialect.name, make)
    }
}
