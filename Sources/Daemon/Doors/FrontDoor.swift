// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
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
    private let rules: DoorRules

    init(pipeline: Pipeline<Body>, shortcuts: ShortcutTable, journal: Journal, rules: DoorRules) {
        self.pipeline = pipeline
        self.shortcuts = shortcuts
        self.journal = journal
        self.rules = rules
    }

    func shortcut(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        shortcuts.find(request)?.answer(to: request, now: now, tail: &tail)
    }

    func respond(to request: Request) async -> Response {
        journal.began()
        defer { journal.ended() }
        do throws(Refusal) {
            let target = try Self.target(of: request)
            guard let door = Door(target) else { throw Refusal(.notFound) }
            guard request.method == "GET" || request.method == "HEAD" else {
                throw Refusal(.methodNotAllowed)
            }
            return await picture(request, at: door, query: target.query ?? [])
        } catch {
            return error.response
        }
    }

    func refusal(_ error: MessageError) -> Response {
        ErrorResponse(error).response(tag: Outcome.refused.tag)
    }

    func completed(_ exchange: borrowing ExchangeRecord) { journal.record(exchange) }

    // MARK: Pictures

    private func picture(_ request: Request, at door: Door, query: [UInt8]) async -> Response {
        var source: SourceURL?
        do throws(Refusal) {
            let asked = try door.read(query, rules)
            source = asked.source
            return try await picture(request, asked, at: door)
        } catch {
            let told = door.tell(error, rules)
            switch Delivery.fallback(in: query, names: door.fallbackNames) {
            case .url(let url): return told.response(redirectingTo: url)
            case .source:
                guard let source, error.allowsSource else { return told.response }
                return told.response(redirectingTo: source)
            case nil: return told.response
            }
        }
    }

    private func picture(
        _ request: Request, _ asked: ImageRequest, at door: Door
    ) async throws(Refusal) -> Response {
        let accept = AcceptClass(request.fields.combined("Accept"))
        let question = PipelineRequest(
            source: asked.source, recipe: asked.recipe, accepted: door.accepted(accept, rules),
            priority: asked.delivery.priority == .low ? .prefetch : .interactive)
        do throws(PipelineFailure) {
            let presentation =
                asked.recipe.output == .json
                ? try await report(question, asked, at: door)
                : try present(try await pipeline.answer(question), asked)
            let answer = presentation.answer
            if answer.isKept { shortcuts.insert(presentation, for: request.target, accept: accept) }
            journal.record(answer)
            return PictureResponse(presentation: presentation, now: SystemEnvironment.now())
                .response(to: request)
        } catch {
            throw Refusal(error)
        }
    }

    private func report(
        _ question: PipelineRequest, _ asked: ImageRequest, at door: Door
    ) async throws(PipelineFailure) -> Presentation {
        let description = try await pipeline.describe(question)
        let report = PictureReport(answer: description.answer, details: description.details, request: asked)
        let text = ImmutableBytes(report.json(for: door).utf8)
        return Presentation(
            description.answer, .report(.bytes(text)), for: asked, maxAge: maxAge(asked),
            now: SystemEnvironment.now())
    }

    private func maxAge(_ asked: ImageRequest) -> Int? {
        asked.delivery.maxAge.map { min(max($0, rules.lifetimes.lowerBound), rules.lifetimes.upperBound) }
    }

    private func present(_ answer: Answer<Body>, _ asked: ImageRequest) throws(PipelineFailure)
        -> Presentation
    {
        let content: Presentation.Content
        switch asked.delivery.encoding {
        case .none: content = .picture
        case .base64:
            guard answer.body.length <= DataURL.longest else {
                throw PipelineFailure(.decode(.outputTooLarge(limit: DataURL.longest)))
            }
            guard let text = DataURL.of(answer.body, answer.rendition.format) else {
                throw PipelineFailure(.unavailable)
            }
            content = .dataURL(text)
        }
        return Presentation(
            answer, content, for: asked, maxAge: maxAge(asked), now: SystemEnvironment.now())
    }

    private static func target(of request: Request) throws(Refusal) -> RequestTarget {
        do throws(RequestError) {
            return try RequestTarget(request.target.utf8)
        } catch {
            throw Refusal(ErrorResponse(error))
        }
    }
}
