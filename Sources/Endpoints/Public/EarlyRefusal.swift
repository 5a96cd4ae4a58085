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
    /// The refusal of a request that is certain to be refused for overload; nil to let it go on. It is the
    /// same answer as `respond` would give, but costs only a reading of the target on the event loop, and no
    /// task.
    func earlyRefusal(of request: borrowing RequestView, now: Timestamp) -> ReadyAnswer? {
        // Requests with several `Accept` lines, or with a refusal of their own, are rare. `respond` takes them.
        guard !request.head.isRepeated(.accept), let sent = try? RequestTarget(request.target),
            let (dialect, target) = dialects.match(sent), dialect.meaning(of: target) == nil,
            let admission = try? dialect.admit(target, signatures, now: now),
            let asked = try? dialects.read(
                admission.target, by: dialect, for: dialects.hints?.needs(of: request) ?? .none),
            // Clients of one URL may have different originals, which `respond` knows.
            rules.passes.rule(for: asked.source) == nil,
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
