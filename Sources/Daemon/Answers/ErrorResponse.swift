// SPDX-License-Identifier: Apache-2.0

internal import HTTP1
internal import HTTPSemantics
internal import HTTPServer
internal import ImageModel
internal import Kernel
internal import Pipeline

/// A refusal in the words of the interface: the one place where a failure becomes a status.
struct ErrorResponse: Sendable, Equatable {
    var status: Int
    /// Stable; programs may rely on it.
    var code: String
    /// For people; names the parameter or the limit, and never an inner address.
    var message: String
    /// Seconds.
    var retryAfter: Int?
    /// Seconds for which the same question will have the same answer; nil = not to be stored.
    var remembered: Int?

    init(_ status: Int, _ code: String, _ message: String, retryAfter: Int? = nil, remembered: Int? = nil) {
        self.status = status
        self.code = code
        self.message = message
        self.retryAfter = retryAfter
        self.remembered = remembered
    }

    /// What stands in the content.
    enum Form {
        case json
        /// weserv's, without the stable word that programs may rely on.
        case weserv
        /// The message alone.
        case text
    }

    /// With its media type.
    func content(_ form: Form) -> (type: String, text: String) {
        let kind = form == .weserv ? [] : [("error", JSONText.Value.text(code))]
        let members =
            [("status", .text("error")), ("code", .number(status))] + kind + [("message", .text(message))]
        switch form {
        case .json, .weserv: return ("application/json", JSONText.object(members) + "\n")
        case .text: return ("text/plain; charset=utf-8", message)
        }
    }
}

extension ErrorResponse {
    /// - Parameter tag: the outcome's, for the log and the metrics.
    func response(tag: UInt8 = Outcome.refused.tag, form: Form = .json) -> Response {
        var fields = Fields()
        let content = content(form)
        fields.append("Content-Type", content.type)
        fields.append("Cache-Control", remembered.map { "public, max-age=\($0)" } ?? "no-store")
        fields.append("X-Content-Type-Options", "nosniff")
        fields.append("Access-Control-Allow-Origin", "*")
        if let retryAfter { fields.append("Retry-After", "\(retryAfter)") }
        if status == 401 { fields.append("WWW-Authenticate", "\(scheme) realm=\"pictor\"") }
        if status == 405 { fields.append("Allow", "GET, HEAD") }
        return Response(
            status: status, fields: fields, body: .bytes(ImmutableBytes(content.text.utf8)), tag: tag)
    }

    /// RFC 9110 §11.6.1: a 401 says what it wants. For a signature in the query there is no registered scheme.
    private var scheme: String { code == Self.signatureMissing.code ? "Signature" : "Bearer" }

    static let notFound = ErrorResponse(404, "not_found", "There is nothing here; pictures are at /img?url=…")
    static let methodNotAllowed = ErrorResponse(
        405, "method_not_allowed", "Only GET and HEAD are answered here.")
    static let rangeNotSatisfiable = ErrorResponse(
        416, "range_not_satisfiable", "The picture has no such bytes.")
    /// RFC 9111 §5.2.1.7.
    static let notHeld = ErrorResponse(
        504, "not_held", "Only what is held was asked for, and that is not held or not good enough.")
    /// With the bucket's own `Retry-After`.
    static let tooManyRequests = ErrorResponse(
        429, "too_many_requests", "This client has asked too often of late.")
    static let preconditionFailed = ErrorResponse(
        412, "precondition_failed", "A condition of the request does not hold.")

    static let refererRefused = ErrorResponse(
        403, "referer_refused", "Pages of this site may not show pictures from here.")
    static let signatureMissing = ErrorResponse(
        401, "signature_missing",
        "Pictures are given here for signed URLs only: the parameter sig is missing.")

    init(_ failure: SignatureFailure) {
        switch failure {
        case .missing: self = .signatureMissing
        case .wrong: self.init(403, "signature_wrong", "The parameter sig is no valid signature of this URL.")
        case .expired: self.init(410, "url_expired", "The time in the parameter exp is over.")
        case .invalidExpiry(let error): self.init(error)
        }
    }

    init(_ error: RequestError) {
        if case .invalidSource = error {
            self.init(400, "bad_url", error.message)
        } else {
            self.init(400, "bad_parameter", error.message)
        }
    }

    init(_ failure: PipelineFailure) {
        switch failure.reason {
        case .origin(let failure): self.init(failure)
        case .originStatus(let status, let retryAfter): self = Self.originStatus(status, retryAfter)
        case .decode(let failure): self.init(failure)
        case .originResting(let rest):
            self.init(
                503, "origin_resting", "The origin failed again and again, and is left alone for now.",
                retryAfter: rest.seconds)
        case .overloaded(let retryAfter):
            self.init(503, "overloaded", "Too much is waiting here already.", retryAfter: retryAfter)
        case .tooManyRenditions(let limit, let retryAfter):
            self.init(
                429, "too_many_renditions",
                "This picture's \(limit) renditions of an hour, or this client's share of them, are used up.",
                retryAfter: retryAfter)
        case .throttled(let retryAfter):
            self.init(
                429, "too_many_misses", "This client has asked for too many new pictures of late.",
                retryAfter: retryAfter)
        case .unavailable:
            self.init(503, "unavailable", "The picture was lost while it was being made.", retryAfter: 1)
        case .notHeld: self = .notHeld
        case .cancelled: self = .cancelled
        }
        if failure.rememberedFor > 0 { remembered = failure.rememberedFor }
    }
}

extension ErrorResponse {
    init(_ failure: OriginFailure) {
        switch failure {
        case .sourceRefused:
            self.init(400, "source_refused", "This source may not be fetched from.")
        case .nameNotResolved:
            self.init(502, "origin_unreachable", "The origin's name could not be resolved.")
        case .cannotConnect:
            self.init(502, "origin_unreachable", "The origin could not be reached.")
        case .tls:
            self.init(502, "origin_tls", "No trusted TLS connection to the origin could be made.")
        case .timedOut:
            self.init(504, "origin_timeout", "The origin was too slow.")
        case .tooLarge(let limit):
            self.init(413, "original_too_large", "The original is larger than the limit of \(limit) bytes.")
        case .tooManyRedirects(let limit):
            self.init(
                508, "too_many_redirects", "The origin redirects in a circle or more than \(limit) times.")
        case .brokenReply:
            self.init(502, "origin_broken_reply", "The origin's answer was broken or cut short.")
        case .unusableReply:
            self.init(502, "origin_broken_reply", "The origin's answer is of no use.")
        case .undecodableContent:
            self.init(
                502, "origin_broken_reply",
                "The origin's answer is compressed by something else than gzip or deflate, or could not be unpacked."
            )
        case .overloaded(let retryAfter):
            self.init(503, "overloaded", "Too many fetches are under way.", retryAfter: retryAfter)
        case .unavailable:
            self.init(503, "unavailable", "The original could not be taken in.", retryAfter: 1)
        case .cancelled:
            self = .cancelled
        }
    }

    /// What the origin says of the picture is passed on (it is gone, come later); what it says of us is not.
    private static func originStatus(_ status: Int, _ retryAfter: Int?) -> ErrorResponse {
        let passed = [404, 410, 429, 503].contains(status) ? status : 502
        return ErrorResponse(
            passed, "origin_status", "The origin answered \(status).",
            retryAfter: passed == 502 ? nil : retryAfter)
    }

    init(_ failure: DecodeFailure) {
        switch failure {
        case .notAnImage:
            self.init(415, "not_an_image", "The source is not a picture in a format that is known here.")
        case .formatNotAllowed(let format):
            self.init(415, "format_not_allowed", "Pictures of type \(format.mediaType) are not taken.")
        case .outputNotAllowed(let format):
            self.init(415, "format_not_allowed", "Pictures of type \(format.mediaType) are not written here.")
        case .damaged:
            self.init(422, "damaged_image", "The picture is damaged and cannot be decoded.")
        case .tooManyPixels(let limit):
            self.init(413, "too_many_pixels", "The picture has more than the limit of \(limit) pixels.")
        case .tooManyFrames(let limit):
            self.init(413, "too_many_frames", "The picture has more than the limit of \(limit) frames.")
        case .noSuchPage(let pages):
            self.init(
                400, "bad_parameter", "The parameter page is behind the last of \(pages), counted from 0.")
        case .tooMuchMemory(let needed, let limit):
            self.init(
                413, "too_much_memory",
                "Making this picture would take about \(needed >> 20) MiB; the limit is \(limit >> 20) MiB.")
        case .outputTooLarge(let limit):
            self.init(
                413, "output_too_large", "The result would exceed the limit of \(limit) for this format.")
        case .enlargedTooFar(let limit):
            self.init(
                413, "enlarged_too_far", "The picture would be enlarged beyond the limit of \(limit) pixels.")
        case .timedOut:
            self.init(504, "decoder_timeout", "The picture took too long to decode.")
        case .overloaded(let retryAfter):
            self.init(503, "overloaded", "Too many pictures are waiting.", retryAfter: retryAfter)
        case .unavailable:
            self.init(503, "decoder_unavailable", "No decoder is available at the moment.", retryAfter: 1)
        case .cancelled:
            self = .cancelled
        }
    }

    /// The client is gone; nobody reads this.
    static let cancelled = ErrorResponse(503, "cancelled", "The request was given up.", retryAfter: 1)
}

extension ErrorResponse {
    init(_ error: MessageError) {
        switch error {
        case .badRequestLine: self.init(400, "bad_request", "The request line is malformed.")
        case .badTarget: self.init(400, "bad_request", "The request's target is malformed.")
        case .badVersion: self.init(400, "bad_request", "The protocol's name is malformed.")
        case .badField: self.init(400, "bad_request", "A header field is malformed.")
        case .foldedField: self.init(400, "bad_request", "Header fields may not be folded over lines.")
        case .missingHost: self.init(400, "bad_request", "The Host field is missing.")
        case .badHost: self.init(400, "bad_request", "The Host field is malformed or repeated.")
        case .badContentLength:
            self.init(400, "bad_request", "Content-Length is malformed or contradicts itself.")
        case .badTransferEncoding:
            self.init(400, "bad_request", "Transfer-Encoding is malformed or not allowed here.")
        case .badChunk: self.init(400, "bad_request", "A chunk of the content is malformed.")
        case .badTrailer: self.init(400, "bad_request", "A trailer field is malformed.")
        case .headTimedOut: self.init(408, "request_timeout", "The request's head took too long.")
        case .bodyTimedOut: self.init(408, "request_timeout", "The request's content took too long.")
        case .bodyTooLarge: self.init(413, "content_too_large", "The request's content is too large.")
        case .targetTooLong: self.init(414, "target_too_long", "The request's target is too long.")
        case .expectationFailed: self.init(417, "expectation_failed", "Only 100-continue can be expected.")
        case .headTooLarge: self.init(431, "head_too_large", "The request's head is too large.")
        case .tooManyFields: self.init(431, "too_many_fields", "The request has too many header fields.")
        case .methodNotImplemented: self.init(501, "method_not_implemented", "This method is not known here.")
        case .unknownTransferCoding:
            self.init(501, "transfer_coding", "Only the chunked transfer coding is known here.")
        case .tooManyConnectionsOfClient:
            self.init(
                429, "too_many_connections", "Too many connections of this client are open.", retryAfter: 1)
        case .tooManyConnections:
            self.init(503, "too_many_connections", "Too many connections are open.", retryAfter: 1)
        case .versionNotSupported:
            self.init(505, "version_not_supported", "Only HTTP/1.0 and HTTP/1.1 are spoken here.")
        }
    }
}
