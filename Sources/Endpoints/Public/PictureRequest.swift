// SPDX-License-Identifier: Apache-2.0

internal import Dialects
internal import HTTP1
internal import HTTPSemantics
internal import Pipeline
internal import RequestGrammar
internal import Signatures

/// A request for a picture, after it was admitted and read.
struct PictureRequest {
    let dialect: any Dialect
    /// Why the request is admitted, and its target without the signature.
    let admission: SignatureRule.Admission
    /// What the URL asks for.
    let asked: ImageRequest
    /// The pipeline's request: `asked`, and who asks.
    let question: PipelineRequest
    /// The class of the client's `Accept`; a dialect may use only a part of it.
    let accept: AcceptClass
    /// The needs that the client's hints name; none where they are not read.
    let needs: ClientNeeds
}

extension PublicEndpoint {
    /// The request as `respond` would read it. Nil if `respond` must handle it: for several `Accept` lines and for fields passed to
    /// the origin, which are rare, and for requests that it would refuse.
    func read(_ request: borrowing RequestView, now: Timestamp) -> PictureRequest? {
        let needs = dialects.hints?.needs(of: request) ?? .none
        guard !request.head.isRepeated(.accept), let sent = try? RequestTarget(request.target),
            let (dialect, target) = dialects.match(sent), dialect.meaning(of: target) == nil,
            let admission = try? dialect.admit(target, signatures, now: now),
            var asked = try? dialects.read(admission.target, by: dialect, for: needs),
            // With passed fields, clients of one URL may have different originals, which `respond` handles.
            rules.passedFields.rule(for: asked.source) == nil,
            (try? dialects.checkFallback(of: asked, at: dialect, admission)) != nil
        else { return nil }
        asked.delivery.expiry = admission.expiry
        let accept = request[.accept].map { AcceptClass($0) } ?? AcceptClass()
        var question = dialect.question(asked, accept)
        question.client = client(of: request.peer)
        question.isVouchedFor = admission.ground == .signed
        return PictureRequest(
            dialect: dialect, admission: admission, asked: asked, question: question, accept: accept,
            needs: needs)
    }
}
