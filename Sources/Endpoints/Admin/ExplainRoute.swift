// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Dialects
package import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
internal import HTTPServer
package import Kernel
package import class Origin.Downloader
package import Pipeline
internal import Platform
internal import Recipes
internal import RequestGrammar
internal import Signatures
internal import SourceURLs
package import Stores

/// `GET /admin/explain?…`, with the query and the `Accept` of the `/img` request to explain, or with `target=` and the escaped target
/// of a request to any endpoint.
package struct ExplainRoute: Sendable {
    /// Explains the request, without a fetch or a rendering.
    package let pipeline: Pipeline<Body>
    /// Counts the renditions of the original.
    package let disk: DiskCache
    /// Has the profiles by which origins are asked.
    let downloader: Downloader
    /// The public listener's rules.
    package let rules: PublicRules
    /// The public listener's rule for proxies that name their clients.
    package let clientRule: ClientRule

    /// Takes the rules of the public listener.
    package init(
        pipeline: Pipeline<Body>, disk: DiskCache, downloader: Downloader, rules: PublicRules,
        clientRule: ClientRule
    ) {
        self.pipeline = pipeline
        self.disk = disk
        self.downloader = downloader
        self.rules = rules
        self.clientRule = clientRule
    }

    /// One route. A request that its dialect refuses, or whose signature is wrong or expired, gets the same refusal as on the public
    /// listener. A request without a signature is explained even if URLs need one, unless its source is encrypted, because every
    /// reader of the admin listener could decrypt sources this way.
    package var routes: [AdminRoute] {
        [.get("/admin/explain") { request, query in await explain(request, query) }]
    }

    private func explain(_ request: Request, _ query: [UInt8]) async -> Response {
        let client = clientRule.client(of: request.fields, from: request.peer)
        let asked: ImageRequest
        var question: PipelineRequest
        do throws(Refusal) {
            (asked, question) = try read(request, query)
        } catch {
            // As JSON, whatever the dialect's own form is.
            return error.words.response()
        }
        question.client = rules.key(of: client)
        let explanation = await pipeline.explain(question)
        var renditions = 0
        if let digest = explanation.held?.original.digest {
            renditions = await disk.performOrder { (try? $0.renditionCount(of: digest)) ?? 0 } ?? 0
        }
        return .json(
            ExplanationReport(
                question, client: client, explanation, renditions: renditions,
                profile: downloader.profile(for: question.source),
                fleetMissesLeft: await rules.limits?.missesLeft(to: client),
                policy: rules.policy(for: asked),
                fallback: asked.delivery.fallback == nil ? rules.fallback : nil))
    }

    /// The request as the public listener reads it, and the pipeline's request for it.
    private func read(
        _ request: Request, _ query: [UInt8]
    ) throws(Refusal) -> (ImageRequest, PipelineRequest) {
        let (dialect, target) = try meant(by: query)
        let admission = try admit(target, at: dialect)
        var asked = try rules.dialects.read(
            admission.target, by: dialect, for: rules.dialects.hints?.needs(of: request.fields) ?? .none)
        asked.delivery.expiry = admission.expiry
        var question = dialect.question(asked, AcceptClass(request.fields.combined("Accept")))
        if let watermark = question.recipe.watermark {
            question.recipe.watermark?.source = rules.dialects.names.known(watermark: watermark.source)
        }
        // `Authorization` in this request is the operator's, whatever its scheme; the explained client has none.
        var told = request
        told.fields.remove("Authorization")
        question.clientFields =
            try rules.passedFields.rule(for: asked.source)?.fields(of: told, token: nil) ?? .none
        question.isVouchedFor = admission.isSigned
        return (asked, question)
    }

    /// The dialect and the target of the request to explain.
    private func meant(by query: [UInt8]) throws(Refusal) -> (dialect: any Dialect, target: RequestTarget) {
        let native = rules.dialects[.native]
        let parameters = QueryParameters(lenient: query[...]).parameters
        guard parameters.first?.name == "target" else {
            return (native, RequestTarget(path: native.path, query: query))
        }
        guard parameters.count == 1, let target = try? RequestTarget((parameters[0].value ?? "").utf8),
            let found = rules.dialects.match(target)
        else {
            throw Refusal(
                ErrorResponse(
                    .badParameter,
                    "The parameter \"target\" must be the only one, and a request of one of these endpoints: \(rules.dialects.list())."
                ))
        }
        return found
    }

    private func admit(
        _ target: RequestTarget, at dialect: any Dialect
    ) throws(Refusal) -> (target: RequestTarget, isSigned: Bool, expiry: Int64?) {
        do throws(SignatureFailure) {
            let admission = try dialect.admit(target, rules.signatures, now: SystemEnvironment.now())
            return (admission.target, admission.ground == .signed, admission.expiry)
        } catch .missing where !dialect.hidesSource(target) {
            // Reads the target as the public listener would after admission: some dialects read the signed part only, without the
            // place of the signature.
            let form = dialect.form(of: target)
            return (form.target, false, form.expiry)
        } catch {
            throw Refusal(dialect.refusal(for: error, of: target, rules.signatures))
        }
    }
}
