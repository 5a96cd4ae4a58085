// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel

extension Pipeline {
    /// Throws what is known to fail, without asking again.
    func refuseKnown(_ subject: FailureMemory.Subject) throws(PipelineFailure) {
        if let failure = failures.failure(about: subject, now: environment.ticks()) { throw failure }
    }

    /// The failure, remembered for its class's time.
    func remembered(_ failure: PipelineFailure, about subject: FailureMemory.Subject) -> PipelineFailure {
        guard !failure.isFromMemory else { return failure }
        var failure = failure
        failure.rememberedFor = configuration.negative.seconds(for: failure.reason)
        failures.remember(failure, about: subject, seconds: failure.rememberedFor, now: environment.ticks())
        return failure
    }
}

extension NegativePolicy {
    func seconds(for reason: PipelineFailure.Reason) -> Int {
        switch reason {
        case .origin(let failure): seconds(for: failure)
        case .decode(let failure): seconds(for: failure)
        case .overloaded, .unavailable, .cancelled: 0
        }
    }

    private func seconds(for failure: OriginFailure) -> Int {
        switch failure {
        // What the origin asks for only ever makes it longer.
        case .status(let status, let retryAfter):
            max(seconds(for: .status(status)), min(retryAfter ?? 0, maximum))
        case .nameNotResolved: nameNotResolved
        case .cannotConnect, .tls, .timedOut, .brokenReply, .tooManyRedirects: unreachable
        case .tooLarge: notAnImage
        // Our own policy, which costs nothing to ask, and our own troubles, which may be over.
        case .sourceRefused, .overloaded, .unavailable, .cancelled: 0
        }
    }

    private func seconds(for failure: DecodeFailure) -> Int {
        switch failure {
        case .notAnImage, .formatNotAllowed, .outputNotAllowed, .damaged, .tooManyPixels, .tooManyFrames,
            .noSuchPage, .tooMuchMemory, .outputTooLarge, .timedOut:
            notAnImage
        case .overloaded, .unavailable, .cancelled: 0
        }
    }
}

extension PipelineFailure {
    /// A stale original may stand in: the origin did not answer, or answered that it cannot now (RFC 5861 §4, RFC 6585
    /// §4), or nobody here was free to ask it.
    var allowsStale: Bool {
        switch reason {
        case .origin(.status(let status, _)): [429, 500, 502, 503, 504].contains(status)
        case .origin(.nameNotResolved), .origin(.cannotConnect), .origin(.tls), .origin(.timedOut),
            .origin(.tooManyRedirects), .origin(.brokenReply), .overloaded, .unavailable:
            true
        default: false
        }
    }

    /// The origin answered with something else than the held original, so that one is no longer its picture
    /// (RFC 9111 §4.3.3).
    var supersedesOriginal: Bool {
        guard !isFromMemory else { return false }
        switch reason {
        case .origin(.status(let status, _)):
            return (400..<500).contains(status) && ![408, 425, 429].contains(status)
        case .origin(.tooLarge), .decode(.notAnImage), .decode(.formatNotAllowed), .decode(.damaged),
            .decode(.tooManyPixels):
            return true
        default: return false
        }
    }

    /// How the origin was asked in vain; nil where it was not asked.
    var forwarding: Forwarding? {
        guard !isFromMemory, case .origin(let failure) = reason else { return nil }
        if case .status(let status, _) = failure { return Forwarding(reason: .stale, status: status) }
        return Forwarding(reason: .stale, status: nil)
    }
}
