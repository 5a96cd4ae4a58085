// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Clients
internal import Dialects
internal import HTTP1
internal import HTTPCaching
internal import HTTPSemantics
internal import HTTPServer
internal import Kernel
internal import Monitoring
internal import Pipeline
internal import Platform
internal import Recipes
internal import RequestGrammar
internal import Signatures
internal import SourceURLs

/// The way of a request for a picture: signature, recipe, pipeline, answer.
extension PublicEndpoint {
    /// Checks the referring page and the signature. These refusals are the same at every endpoint, and no fallback replaces them.
    func admit(
        _ request: Request, at dialect: any Dialect, _ target: RequestTarget
    ) throws(Refusal) -> AdmittedRequest {
        if let referers = rules.referers, !referers.allows(request.fields) {
            throw Refusal(.refererRefused)
        }
        do throws(SignatureFailure) {
            let admission = try dialect.admit(target, signatures, now: SystemEnvironment.now())
            return AdmittedRequest(request: request, dialect: dialect, admission: admission)
        } catch {
            throw Refusal(dialect.refusal(for: error, of: target, signatures))
        }
    }

    /// Reads the recipe, and answers with the picture, or with a refusal in the dialect's form.
    func picture(for admitted: AdmittedRequest) async -> Response {
        let (request, admission) = (admitted.request, admitted.admission)
        var known: ImageRequest?
        do throws(Refusal) {
            var asked = try dialects.read(
                admission.target, by: admitted.dialect, for: needs(of: request.fields))
            asked.delivery.expiry = admission.expiry
            known = asked
            // A request with a mark is caused by one of this daemon's own fetches, and comes through the origin. If it is refused, it
            // gets neither a fallback picture nor `default=`, because the origin would take that for the original.
            let source = asked.source
            let marks = request.fields.combined(LoopMark.field).map { LoopMark.marks(in: $0) } ?? []
            if !marks.isEmpty {
                if marks.contains(LoopMark.text(for: source)) { return ErrorResponse.requestLoop.response() }
                guard loopDepths.enter(source, behind: marks) else {
                    return ErrorResponse.nestedTooDeep.response()
                }
            }
            defer { if !marks.isEmpty { loopDepths.leave(source) } }
            guard let rule = rules.passedFields.rule(for: asked.source) else {
                let wanted = wanted(by: admitted, asked, .none)
                return try await pictureOrFallback(to: request, wanted, mayKeep: true)
            }
            return await picture(for: admitted, asked, passing: rule)
        } catch {
            return refused(error, known, for: admitted)
        }
    }

    /// The picture for a request with passed fields, on which the original and also refusals depend.
    private func picture(
        for admitted: AdmittedRequest, _ asked: ImageRequest, passing rule: PassedFieldRule
    ) async -> Response {
        let request = admitted.request
        var sent = ClientFields.none
        var response: Response
        do throws(Refusal) {
            sent = try rule.fields(of: request, token: rules.token)
            let wanted = wanted(by: admitted, asked, sent)
            response = try await pictureOrFallback(to: request, wanted, mayKeep: false)
        } catch {
            response = refused(error, asked, for: admitted)
        }
        rule.mark(&response.fields, for: sent)
        return response
    }

    private func refused(
        _ refusal: Refusal, _ asked: ImageRequest?, for admitted: AdmittedRequest
    ) -> Response {
        var response = dialects.response(
            to: refusal, of: asked, at: admitted.dialect, admitted.admission, now: SystemEnvironment.now())
        if let asked { response.fields.vary(by: asked.deciding) }
        return response
    }

    /// The picture, or the fallback picture of the settings.
    /// - Parameter mayKeep: true if the memory cache may keep the answer; false if the answer depends on passed fields.
    private func pictureOrFallback(
        to request: Request, _ wanted: PictureRequest, mayKeep: Bool
    ) async throws(Refusal) -> Response {
        do throws(Refusal) {
            try dialects.checkFallback(of: wanted.asked, at: wanted.dialect, wanted.admission)
            return try await picture(to: request, wanted, mayKeep: mayKeep)
        } catch {
            if let picture = await fallback(for: error, request, wanted) { return picture }
            throw error
        }
    }

    /// Has the pipeline make the picture, and keeps the answer in the memory cache for later requests for its target.
    private func picture(
        to request: Request, _ wanted: PictureRequest, mayKeep: Bool
    ) async throws(Refusal) -> Response {
        do throws(PipelineFailure) {
            let presentation =
                switch wanted.asked.recipe.output {
                case .json: try await report(on: wanted)
                case .source, .format, .auto, .raw:
                    try present(try await intactAnswer(to: wanted.question), wanted.asked)
                }
            let answer = presentation.answer
            if mayKeep, answer.isKept, !answer.isSubstitute {
                pipeline.keep(answer) { isHeld in
                    answerCache.insert(
                        presentation, for: Array(request.target.utf8),
                        accept: wanted.accept.intersection(formats), needs: wanted.needs,
                        at: wanted.dialect.name, of: epoch, isHeld: isHeld)
                }
            }
            recorder.record(answer.times)
            return PictureResponse(presentation: presentation).response(to: request)
        } catch {
            recorder.record(error.times)
            throw Refusal(error)
        }
    }

    /// - Parameter sent: the client's fields that the origin gets.
    private func wanted(
        by admitted: AdmittedRequest, _ asked: ImageRequest, _ sent: ClientFields
    ) -> PictureRequest {
        let (request, dialect) = (admitted.request, admitted.dialect)
        let accept = AcceptClass(request.fields.combined("Accept"))
        var question = dialect.question(asked, accept)
        question.clientFields = sent
        question.directives = directives(of: request)
        question.client = client(of: request.peer)
        question.allowance = rules.limits?.allowance(for: request.peer)
        question.isVouchedFor = admitted.admission.ground == .signed || isTrusted(request)
        return PictureRequest(
            dialect: dialect, admission: admitted.admission, asked: asked, question: question, accept: accept,
            needs: needs(of: request.fields))
    }

    /// The needs that the client's hints name; none where they are not read.
    private func needs(of fields: Fields) -> ClientNeeds { dialects.hints?.needs(of: fields) ?? .none }

    /// The request's directives, from trusted clients only, because others could cause load on origins.
    private func directives(of request: Request) -> RequestDirectives {
        guard isTrusted(request), let text = request.fields.combined("Cache-Control") else {
            return RequestDirectives()
        }
        return RequestDirectives(text)
    }

    private func isTrusted(_ request: Request) -> Bool {
        rules.token?.isCarried(by: request.fields) ?? false
    }

    /// The picture with intact bytes. If its file was written to after it was made, a second request to the pipeline drops the file
    /// and makes the picture anew.
    private func intactAnswer(
        to question: PipelineRequest
    ) async throws(PipelineFailure) -> Answer<Body> {
        for _ in 1...2 {
            var answer = try await pipeline.answer(question)
            guard let body = answerCache.intact(answer.body) else { continue }
            answer.body = body
            return answer
        }
        throw PipelineFailure(.unavailable(.picture))
    }
}
