// SPDX-License-Identifier: Apache-2.0

package import Answers
package import Clients
package import Dialects
package import HTTP1
package import HTTPSemantics
package import HTTPServer
package import Kernel
package import Monitoring
package import Pipeline
internal import RequestGrammar
package import Signatures
internal import Stores

/// The public listener: reads requests in their dialects, and answers them from the caches and the pipeline.
///
/// The event loop calls `refusal(of:ticks:tail:)`, `cachedAnswer` and `answerAtHand` in this order, and `respond` in a task if none
/// of them answered. `PublicEndpoint+Pictures.swift` handles requests for pictures.
///
/// **Isolation:** immutable; the objects that it calls guard themselves.
package final class PublicEndpoint: RequestHandler {
    /// Makes the answers that the memory cache does not hold.
    package let pipeline: Pipeline<Body>
    let answerCache: AnswerCache
    let recorder: RequestRecorder
    let rules: PublicRules
    /// The rules' number in the memory cache, which rejects answers made under other rules.
    let epoch: Int
    /// The formats that `Accept` may choose.
    let formats: AcceptClass
    let readyRefusals = ReadyRefusals()
    let loopDepths = LoopDepths()

    /// Takes the daemon's objects; the admin routes use the same pipeline and memory cache.
    package init(
        pipeline: Pipeline<Body>, answerCache: AnswerCache, recorder: RequestRecorder, rules: PublicRules
    ) {
        self.pipeline = pipeline
        self.answerCache = answerCache
        self.recorder = recorder
        self.rules = rules
        epoch = answerCache.epoch
        formats = rules.dialects.formats
    }

    /// The dialects of the rules.
    package var dialects: Dialects { rules.dialects }
    /// The signature rule of the rules.
    package var signatures: SignatureRule { rules.signatures }

    /// True if requests are limited by client.
    package var mayRefuse: Bool { rules.limits?.limitsRequests ?? false }

    /// True, because before its first wait `respond` only reads the URL, looks into the caches, and at most verifies a small file
    /// (`DiskStore.openCachedRendition`).
    package var startsAtOnce: Bool { true }

    /// The 429 of a client beyond its rate of requests; `ticks` in microseconds.
    package func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        guard let refusal = rules.limits?.refusal(of: request, ticks: ticks, tail: &tail) else {
            return nil
        }
        rules.crossOrigin.append(to: &tail, for: request)
        return refusal
    }

    /// The answer from the memory cache, or an early refusal under overload; nil if `respond` must answer.
    package func cachedAnswer(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        if request.head.has(.authorization), request.head.has(.cacheControl), let token = rules.token,
            request[.authorization].map(token.isCarried(by:)) ?? false
        {
            return nil
        }
        if let referers = rules.referers, !referers.surelyAllows(request) { return nil }
        let found = found(for: request)
        if let traces = recorder.traces, traces.isAsked(for: request) { return nil }
        guard
            let ready = found?.answer(to: request, now: now, tail: &tail)
                ?? (pipeline.isCrowded ? earlyRefusal(of: request, now: now) : nil)
        else { return nil }
        rules.crossOrigin.append(to: &tail, for: request)
        return ready
    }

    /// Counts a hit or a miss of the memory cache.
    package func countLookup(of request: borrowing RequestView) { _ = found(for: request) }

    private func found(for request: borrowing RequestView) -> CachedAnswer? {
        answerCache.find(request, dialects.hints.map { $0.needs(of: request) }, choosing: formats)
    }

    /// The picture, report or refusal. The request counts as under way until this returns.
    package func respond(to request: Request) async -> Response {
        recorder.began()
        defer { recorder.ended() }
        return await DiskWait.$current.withValue(DiskWait()) {
            guard let traces = recorder.traces else { return await answer(request) }
            return await traces.trace(request) { await answer(request) }
        }
    }

    private func answer(_ request: Request) async -> Response {
        // RFC 9110 §9.3.7: `*` asks about the server as a whole.
        if request.method == "OPTIONS", request.target == "*" {
            return rules.crossOrigin.preflight(request).synthetic
        }
        do throws(Refusal) {
            let target = try Self.target(of: request)
            guard let (dialect, plain) = dialects.match(target) else {
                if let answer = probe(request, at: target) { return answer.synthetic }
                if let page = rules.playground?.response(to: request, at: target) { return page.synthetic }
                throw Refusal(
                    .unserved(
                        dialects.disabled(holding: target), elsewhere: dialects.elsewhere(meaning: target)))
            }
            if request.method == "OPTIONS" {
                return rules.crossOrigin.preflight(request).synthetic.asked(at: dialect.name)
            }
            return readable(await respond(to: request, at: dialect, plain), by: request).asked(
                at: dialect.name)
        } catch {
            return readable(error.response, by: request)
        }
    }

    private func readable(_ response: Response, by request: Request) -> Response {
        var response = response
        rules.crossOrigin.append(to: &response.fields, for: request)
        return response
    }

    private func probe(_ request: Request, at target: RequestTarget) -> Response? {
        guard let answer = rules.probes?.answer(to: target.path) else { return nil }
        guard request.method == "GET" || request.method == "HEAD" else {
            return ErrorResponse.methodNotAllowed.response()
        }
        return answer
    }

    private func respond(
        to request: Request, at dialect: any Dialect, _ target: RequestTarget
    ) async -> Response {
        do throws(Refusal) {
            guard request.method == "GET" || request.method == "HEAD" else {
                var response = ErrorResponse.pictureMethodNotAllowed.response()
                response.fields.set("Allow", CrossOriginRule.methods)
                return response
            }
            if let meaning = dialect.meaning(of: target) {
                return Response.text(200, meaning, type: "application/json").synthetic
            }
            let admitted = try admit(request, at: dialect, target)
            return await picture(for: admitted)
        } catch {
            return error.response
        }
    }

    /// The tag of the dialect that the URL belongs to; 0 if it belongs to none.
    package func tag(ofUnanswered request: Request) -> UInt16 {
        (try? Self.target(of: request)).flatMap(dialects.dialect(of:))?.name.tag ?? 0
    }

    /// The refusal of a message that is not valid HTTP, counted as `refused`.
    package func refusal(_ error: MessageError) -> Response {
        let response = ErrorResponse(error).response(tag: Outcome.refused.tag)
        return rules.crossOrigin.readable(response)
    }

    /// Counts the exchange and writes its line of the access log.
    package func completed(_ exchange: borrowing ExchangeRecord) { recorder.record(exchange) }

    /// The client's key for limits and quotas; nil on a unix socket.
    package func client(of peer: PeerAddress) -> ClientKey? { rules.key(of: peer) }

    private static func target(of request: Request) throws(Refusal) -> RequestTarget {
        do throws(RequestError) {
            return try RequestTarget(request.target.utf8)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }
}
