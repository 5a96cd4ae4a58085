// SPDX-License-Identifier: Apache-2.0

internal import ImageModel
internal import Pipeline

/// Failures as weserv/images tells them (src/api/utils/status.cpp and api_manager_impl.cpp): 400 for what it does not
/// want, 404 for all that went wrong on the way. Overload and our own troubles keep their statuses, so that clients
/// come again.
enum WeservWords {
    static func of(_ refusal: Refusal) -> ErrorResponse {
        var words = refusal.words
        guard let (status, message) = told(refusal) else { return words }
        (words.status, words.message, words.retryAfter) = (status, message, nil)
        return words
    }

    private static func told(_ refusal: Refusal) -> (Int, String)? {
        switch refusal.failure?.reason {
        case nil: refusal.words.status == 400 ? (400, "Unable to parse URI") : nil
        case .origin(let failure): told(failure)
        case .originStatus(let status, _): (404, "The requested URL returned error: \(status)")
        case .decode(let failure): told(failure)
        case .originResting, .overloaded, .tooManyRenditions, .throttled, .unavailable, .notHeld, .cancelled:
            nil
        }
    }

    private static func told(_ failure: OriginFailure) -> (Int, String)? {
        switch failure {
        case .sourceRefused: (400, "IP address blocked by policy")
        case .nameNotResolved, .cannotConnect, .tls, .brokenReply, .unusableReply, .undecodableContent:
            (404, "The hostname of the origin is unresolvable (DNS) or blocked by policy.")
        case .timedOut: (404, "The requested URL timed out.")
        case .tooLarge(let limit):
            (404, "The image is too large to be downloaded. Max image size: \(limit) bytes")
        case .tooManyRedirects(let limit): (404, "Will not follow more than \(limit) redirects")
        case .overloaded, .unavailable, .cancelled: nil
        }
    }

    private static func told(_ failure: DecodeFailure) -> (Int, String)? {
        switch failure {
        case .notAnImage, .formatNotAllowed, .outputNotAllowed:
            (404, "Invalid or unsupported image format. Is it a valid image?")
        case .damaged, .noSuchPage: (404, "Image not readable. Is it a valid image?")
        case .tooManyPixels(let limit):
            (404, "Input image exceeds pixel limit. Width x height should be less than \(limit)")
        case .tooMuchMemory(_, let limit):
            (404, "Input image exceeds memory limit. It should need less than \(limit) bytes")
        case .tooManyFrames(let limit):
            (
                404,
                "Input image exceeds the maximum number of pages. Number of pages should be less than \(limit)"
            )
        case .outputTooLarge(let limit), .enlargedTooFar(let limit):
            (404, "Output image exceeds pixel limit. Width x height should be less than \(limit)")
        case .timedOut: (404, "The requested URL timed out.")
        case .overloaded, .unavailable, .cancelled: nil
        }
    }
}
