// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import Pipeline
internal import RequestGrammar
internal import Signatures

extension FrontDoor {
    /// On the event loop, while there is too much to do: the answer to a request that is certain to be refused in the end,
    /// the same as it would get then. It costs a reading of the target, and no task.
    func earlyRefusal(of request: borrowing RequestView, now: Timestamp) -> ReadyAnswer? {
        // Several lines of `Accept` are rare enough to go the long way, and so is what a refusal has other words for.
        guard !request.head.isRepeated(.accept), let target = try? RequestTarget(request.target),
            let door = Door(target), let query = target.query,
            let admission = try? signatures.admit(query, at: door, now: now),
            let asked = try? door.read(admission.query, rules),
            (try? door.checkFallback(of: asked, admission, rules)) != nil
        else { return nil }
        var question = door.question(asked, request[.accept].map { AcceptClass($0) } ?? [], rules)
        question.client = client(of: request.peer)
        guard let failure = pipeline.earlyRefusal(of: question) else { return nil }
        let make = { [rules] in
            ReadyAnswer(door.response(to: Refusal(failure), of: asked.source, admission, rules, now: now))
        }
        guard !QueryParameters.mayHold(door.fallbackNames, in: admission.query) else { return make() }
        return readyRefusals.answer(to: failure, at: door, make)
    }
}
