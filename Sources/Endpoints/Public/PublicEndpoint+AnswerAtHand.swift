// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Dialects
package import HTTP1
package import HTTPSemantics
package import HTTPServer
internal import Kernel
internal import Monitoring
internal import Pipeline
internal import RequestGrammar

extension PublicEndpoint {
    /// The answer with a picture that can be read without waiting. The picture is put into the memory cache, and the answer is made
    /// from there: the same answer as from `respond`, but without a task.
    package func answerAtHand(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        // A trusted client may ask for more than this, and a trace records what `respond` does.
        guard !request.head.has(.authorization), recorder.traces == nil,
            rules.referers.map({ $0.surelyAllows(request) }) ?? true,
            CachedAnswer.mayAnswer(request), let wanted = read(request, now: now),
            case .none = wanted.asked.delivery.encoding,
            var answer = pipeline.answerAtHand(wanted.question),
            let body = answerCache.intact(answer.body)
        else { return nil }
        answer.body = body
        guard let presentation = try? present(answer, wanted.asked) else { return nil }
        var cached: CachedAnswer?
        pipeline.keep(answer) { isHeld in
            cached = answerCache.insert(
                presentation, for: Array(request.target),
                accept: wanted.accept.intersection(formats), needs: wanted.needs,
                at: wanted.dialect.name, of: epoch, isHeld: isHeld)
        }
        guard
            let ready = cached?.answer(
                to: request, now: now, tail: &tail, telling: answer, at: wanted.dialect.name)
        else { return nil }
        recorder.record(answer.times)
        rules.crossOrigin.append(to: &tail, for: request)
        return ready
    }
}
