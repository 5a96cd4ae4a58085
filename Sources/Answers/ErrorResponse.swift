// SPDX-License-Identifier: Apache-2.0

package import HTTP1
internal import HTTPSemantics
package import HTTPServer
internal import JSON
internal import Kernel
package import Pipeline
package import RequestGrammar
package import Signatures

/// A refusal as clients see it. The texts of failures are in their rows, see `FailureRow`.
package struct ErrorResponse: Sendable, Equatable {
    /// The HTTP status.
    package var status: Int
    /// The stable code, which programs may rely on.
    package var code: String
    /// For people: names the parameter or the limit, and never an inner address.
    package var message: String
    /// Seconds of `Retry-After`; nil = without the field.
    package var retryAfter: Int?
    /// Seconds for which clients may store the refusal; nil = `no-store`.
    package var remembered: Int?
    /// True if the URL is valid for a limited time, after which no cache may serve the refusal stale.
    package var hasEnd = false

    /// A refusal that no picture caused; `retryAfter` in seconds.
    package init(_ kind: RefusalKind, _ message: String, retryAfter: Int? = nil) {
        let entry = kind.entry
        status = entry.status
        code = entry.code
        self.message = message
        self.retryAfter = retryAfter
    }

    /// The format of a refusal's content.
    package enum Form {
        case json
        /// JSON without the stable code, as wsrv.nl sends it.
        case jsonWithoutWord
        /// The message alone.
        case text
    }

    /// The content and its media type.
    package func content(_ form: Form) -> (type: String, text: String) {
        let kind = form == .jsonWithoutWord ? [] : [("error", JSONText.Value.text(code))]
        let members =
            [("status", .text("error")), ("code", .number(status))] + kind + [("message", .text(message))]
        switch form {
        case .json, .jsonWithoutWord: return ("application/json", JSONText.object(members) + "\n")
        case .text: return ("text/plain; charset=utf-8", message)
        }
    }
}

extension ErrorResponse {
    /// The response to send.
    /// - Parameter tag: the tag of the outcome, for the log and the metrics.
    package func response(tag: UInt16 = Outcome.refused.tag, form: Form = .json) -> Response {
        var fields = Fields()
        let content = content(form)
        fields.append("Content-Type", content.type)
        fields.append("Cache-Control", cacheControl)
        fields.append("X-Content-Type-Options", "nosniff")
        if let retryAfter { fields.append("Retry-After", "\(retryAfter)") }
        if status == 401 { fields.append("WWW-Authenticate", "\(scheme) realm=\"pictor\"") }
        if status == 405 { fields.append("Allow", "GET, HEAD") }
        return Response(
            status: status, fields: fields, body: .bytes(ImmutableBytes(content.text.utf8)),
            tag: tag | self.tag)
    }

    private var cacheControl: String {
        guard let remembered else { return "no-store" }
        return "public, max-age=\(remembered)" + (hasEnd ? ", must-revalidate" : "")
    }

    /// RFC 9110 §11.6.1: a 401 names the scheme that it wants. No scheme is registered for signatures in the query, so `Signature`
    /// stands for them.
    private var scheme: String { code == Self.signatureMissing.code ? "Signature" : "Bearer" }

    /// 404.
    package static let notFound = ErrorResponse(
        .notFound, "There is nothing here; pictures are at /img?url=…")
    /// 404, for a URL that these dialects would read if they were enabled, and others if their URLs began at this place.
    package static func unserved(
        _ dialects: [DialectName], elsewhere others: [DialectName] = []
    ) -> ErrorResponse {
        let settings =
            dialects.map { "\($0.rawValue).enabled" }
            + others.map { "\($0.rawValue).enabled and \($0.rawValue).path" }
        guard !settings.isEmpty else { return notFound }
        let list = settings.joined(separator: ", or ")
        return ErrorResponse(
            .notFound, "URLs of this kind are not answered here (\(list)); pictures are at /img?url=…")
    }

    /// 405.
    package static let methodNotAllowed = ErrorResponse(
        .methodNotAllowed, "Only GET and HEAD are answered here.")
    /// 405, for a URL of a picture.
    package static let pictureMethodNotAllowed = ErrorResponse(
        .methodNotAllowed, "Only GET, HEAD and OPTIONS are answered here.")
    /// 508.
    package static let requestLoop = ErrorResponse(
        .requestLoop,
        "Pictor asks the source's origin for the source, and the origin asks Pictor for it in turn.")
    /// 508.
    package static let nestedTooDeep = ErrorResponse(
        .requestLoop,
        "While Pictor asks the source's host, the host asks Pictor for one source of its own after the other."
    )
    static let rangeNotSatisfiable = ErrorResponse(
        .rangeNotSatisfiable, "The picture has no such bytes.")
    /// 429; the caller adds the bucket's `Retry-After`.
    package static let tooManyRequests = ErrorResponse(
        .tooManyRequests, "This client has asked too often of late (limits.requests-per-client).")
    static let preconditionFailed = ErrorResponse(
        .preconditionFailed, "A condition of the request does not hold.")

    /// 403.
    package static let refererRefused = ErrorResponse(
        .refererRefused, "Pages of this site may not show pictures from here.")
    static let signatureMissing = ErrorResponse(
        .signatureMissing,
        "Pictures are given here for signed URLs only, and this URL has no signature.")

    /// The refusal of a URL whose signature is missing, wrong or expired.
    /// - Parameter message: what to do about it, in the words of the URL's dialect.
    package init(_ failure: SignatureFailure, message: String? = nil) {
        switch failure {
        case .missing: self = .signatureMissing
        case .wrong: self.init(.signatureWrong, "The signature does not match this URL.")
        case .expired(let end):
            self.init(.urlExpired, "This URL was good until \(UnixTime.text(end)).")
        case .invalidExpiry(let error): self.init(error)
        }
        if let message { self.message = message }
    }

    /// The refusal of a malformed source or option.
    package init(_ error: RequestError) {
        if case .invalidSource = error {
            self.init(.badURL, error.message)
        } else {
            self.init(.badParameter, error.message)
        }
    }

    /// The refusal for a failure of the pipeline, with the time for which it is remembered, limited to the time that clients may keep
    /// it.
    package init(_ failure: PipelineFailure) {
        self.init(failure.reason)
        let seconds = min(failure.rememberedFor, failure.clientLimit ?? .max)
        if seconds > 0 { remembered = seconds }
    }

    /// The refusal in a failure's row.
    package init(_ failure: some TabledFailure) {
        let row = failure.row
        status = row.status
        code = row.code
        message = row.message
        retryAfter = row.retryAfter
    }
}

extension ErrorResponse {
    /// The refusal of a malformed HTTP message.
    package init(_ error: MessageError) {
        switch error {
        case .badRequestLine: self.init(.badRequest, "The request line is malformed.")
        case .badTarget:
            self.init(
                .badRequest,
                "The request's target is malformed; percent-encode a #, and in a path all that is not ASCII.")
        case .badVersion:
            self.init(
                .badRequest,
                "The protocol's name is malformed, or the target has a space; write that as %20.")
        case .badField: self.init(.badRequest, "A header field is malformed.")
        case .foldedField: self.init(.badRequest, "Header fields may not be folded over lines.")
        case .missingHost: self.init(.badRequest, "The Host field is missing.")
        case .badHost: self.init(.badRequest, "The Host field is malformed or repeated.")
        case .badContentLength:
            self.init(.badRequest, "Content-Length is malformed or contradicts itself.")
        case .badTransferEncoding:
            self.init(.badRequest, "Transfer-Encoding is malformed or not allowed here.")
        case .badChunk: self.init(.badRequest, "A chunk of the content is malformed.")
        case .badTrailer: self.init(.badRequest, "A trailer field is malformed.")
        case .headTimedOut:
            self.init(.requestTimeout, "The request's head took too long (server.head-timeout).")
        case .bodyTimedOut: self.init(.requestTimeout, "The request's content took too long.")
        case .bodyTooLarge: self.init(.contentTooLarge, "The request's content is too large.")
        case .targetTooLong:
            self.init(.targetTooLong, "The request's target is too long (server.maximum-target).")
        case .expectationFailed: self.init(.expectationFailed, "Only 100-continue can be expected.")
        case .headTooLarge: self.init(.headTooLarge, "The request's head is too large (server.maximum-head).")
        case .tooManyFields:
            self.init(.tooManyFields, "The request has too many header fields (server.maximum-fields).")
        case .methodNotImplemented: self.init(.methodNotImplemented, "This method is not known here.")
        case .unknownTransferCoding:
            self.init(.transferCoding, "Only the chunked transfer coding is known here.")
        case .tooManyConnectionsOfClient:
            self.init(
                .tooManyConnectionsOfClient,
                "Too many connections of this client are open (limits.connections-per-client).", retryAfter: 1
            )
        case .tooManyConnections:
            self.init(
                .tooManyConnections, "Too many connections are open (server.maximum-connections).",
                retryAfter: 1)
        case .versionNotSupported:
            self.init(.versionNotSupported, "Only HTTP/1.0 and HTTP/1.1 are spoken here.")
        }
    }
}
