// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Bytes
internal import Dialects
internal import Hashing
internal import HTTPCaching
internal import HTTPSemantics
internal import Kernel
internal import Pipeline
internal import Platform
internal import Recipes
internal import RequestGrammar
internal import Signatures

/// How an answer is presented: as a picture, as text, or as a report.
extension PublicEndpoint {
    func report(on wanted: PictureRequest) async throws(PipelineFailure) -> Presentation {
        let (dialect, admission, asked) = (wanted.dialect, wanted.admission, wanted.asked)
        let description = try await pipeline.describe(wanted.question)
        var pixels: PixelFacts?
        if let body = description.pixels {
            pixels = PixelFacts(body)
            guard pixels != nil else { throw PipelineFailure(.unavailable(.picture)) }
        }
        // Another dialect has its own delivery, and its own rules for the target of `default`.
        let delivery = dialect.name == .native ? asked.delivery.query : ""
        let path = dialect.name == .native ? admission.target.path : NativeDialect.path
        let report = PictureReport(
            answer: description.answer, details: description.details, shown: description.shown,
            request: asked, pixels: pixels, widths: dialects.vocabulary.ladder.steps,
            limit: dialects.vocabulary.limit
        ) { [signatures] query in
            "\(path)?\(signatures.extend(query + delivery, of: admission, path: path))"
        }
        let text = ImmutableBytes(report.json(dialect.reportWords).utf8)
        return presentation(
            description.answer,
            .report(.bytes(text), entityTag: "\"\(SHA256.digest(of: text.buffer).hex)\""), for: asked,
            policy: rules.policy(for: asked))
    }

    func present(_ answer: Answer<Body>, _ asked: ImageRequest) throws(PipelineFailure)
        -> Presentation
    {
        let content: Presentation.Content
        switch asked.delivery.encoding {
        case .none: content = .picture
        case .base64:
            guard answer.body.length <= DataURL.longest else {
                throw PipelineFailure(.decode(.outputTooLarge(.dataURLBytes(DataURL.longest))))
            }
            content = .dataURL(DataURL.of(answer.body, answer.rendition.format))
        }
        var policy = rules.policy(for: asked)
        // Clients should ask again soon for a substitute, whatever the minimum lifetime is.
        if answer.isSubstitute { policy.minimumLifetime = 0 }
        return presentation(answer, content, for: asked, policy: policy)
    }

    private func presentation(
        _ answer: Answer<Body>, _ content: Presentation.Content, for asked: ImageRequest, policy: ClientPolicy
    ) -> Presentation {
        Presentation(
            answer, content, for: asked, policy: policy,
            variesByOrigin: rules.crossOrigin.variesByOrigin, asksForHints: dialects.hints != nil,
            rulesSince: rules.since, now: SystemEnvironment.now())
    }
}
