// SPDX-License-Identifier: Apache-2.0

internal import ImageModel
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

    var json: String {
        JSONText.object([
            ("status", .text("error")), ("code", .number(status)), ("error", .text(code)),
            ("message", .text(message)),
        ])
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
        case .status(let status, let retryAfter):
            self = Self.originStatus(status, retryAfter)
        case .overloaded(let retryAfter):
            self.init(503, "overloaded", "Too many fetches are under way.", retryAfter: retryAfter)
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
        case .damaged:
            self.init(422, "damaged_image", "The picture is damaged and cannot be decoded.")
        case .tooManyPixels(let limit):
            self.init(413, "too_many_pixels", "The picture has more than the limit of \(limit) pixels.")
        case .tooManyFrames(let limit):
            self.init(413, "too_many_frames", "The picture has more than the limit of \(limit) frames.")
        case .outputTooLarge(let limit):
            self.init(
                413, "output_too_large", "The result would exceed the limit of \(limit) for this format.")
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
