// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
internal import HTTPServer
internal import ImageModel
internal import Kernel
internal import Pipeline

/// The public listener: who asks for what, and in which words the answer is given.
///
/// **Isolation:** immutable; what it calls guards itself.
final class FrontDoor: RequestHandler {
    private let pipeline: Pipeline<Body>
    private let shortcuts: ShortcutTable
    private let journal: Journal
    private let lifetimes: ClientLifetimes
    /// Who carries it may say `Cache-Control`; nil: nobody may.
    private let token: AdminToken?

    init(
        pipeline: Pipeline<Body>, shortcuts: ShortcutTable, journal: Journal, lifetimes: ClientLifetimes,
        token: AdminToken?
    ) {
        self.pipeline = pipeline
        self.shortcuts = shortcuts
        self.journal = journal
        self.lifetimes = lifetimes
        self.token = token
    }

    func shortcut(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        if request.head.has(.authorization), request.head.has(.cacheControl), let token,
            request[.authorization].map(token.isCarried(by:)) ?? false
        {
            return nil
        }
        return shortcuts.find(request)?.answer(to: request, now: now, tail: &tail)
    }

    func respond(to request: Request) async -> Response {
        journal.began()
        defer { journal.ended() }
        do throws(Refusal) {
            let path = try Self.path(of: request)
            guard path.path == "/img" else { throw Refusal(.notFound) }
            return try await image(request, query: path.query ?? [])
        } catch {
            return error.response
        }
    }

    func refusal(_ error: MessageError) -> Response {
        ErrorResponse(error).response(tag: Outcome.refused.tag)
    }

    func completed(_ exchange: borrowing ExchangeRecord) { journal.record(exchange) }

    // MARK: /img

    private func image(_ request: Request, query: [UInt8]) async throws(Refusal) -> Response {
        guard request.method == "GET" || request.method == "HEAD" else { throw Refusal(.methodNotAllowed) }
        let asked: ImageRequest
        do throws(RequestError) {
            asked = try ImageRequest.parse(query: query)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
        let accept = AcceptClass(request.fields.combined("Accept"))
        do throws(PipelineFailure) {
            let answer = try await pipeline.answer(
                PipelineRequest(
                    source: asked.source, recipe: asked.recipe, accepted: accept,
                    directives: directives(of: request)))
            return response(to: request, with: answer, source: asked.source, accept: accept)
        } catch {
            throw Refusal(ErrorResponse(error), outcome: error.outcome)
        }
    }

    private func response(
        to request: Request, with answer: Answer<Body>, source: SourceURL, accept: AcceptClass
    ) -> Response {
        let now = SystemEnvironment.now()
        let policy = lifetimes.policy(for: source.host)
        let fields = AnswerFields.of(answer, source: source, policy: policy, now: now)
        if answer.isKept {
            pipeline.keep(answer) {
                shortcuts.insert(
                    answer, for: request.target, accept: accept, fields: fields, policy: policy)
            }
        }
        journal.record(answer)
        return PictureResponse(answer: answer, fields: fields, now: now).response(to: request)
    }

    /// Untrusted clients' directives mean nothing: each would make work for an origin.
    private func directives(of request: Request) -> RequestDirectives {
        guard let token, token.isCarried(by: request.fields),
            let text = request.fields.combined("Cache-Control")
        else { return RequestDirectives() }
        return RequestDirectives(text)
    }

    private static func path(of request: Request) throws(Refusal) -> RequestTarget {
        do throws(RequestError) {
            return try RequestTarget(request.target.utf8)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }
}

/// A refusal on its way to the client.
struct Refusal: Error {
    let words: ErrorResponse
    let outcome: Outcome

    init(_ words: ErrorResponse, outcome: Outcome = .refused) {
        self.words = words
        self.outcome = outcome
    }

    var response: Response { words.response(tag: outcome.tag) }
}
