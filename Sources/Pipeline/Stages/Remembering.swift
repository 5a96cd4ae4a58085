// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import ImageModel

extension Pipeline {
    /// Throws what is known to fail, without asking again.
    func refuseKnown(_ subject: FailureMemory.Subject) throws(PipelineFailure) {
        if let failure = failures.failure(about: subject, now: environment.ticks()) { throw failure }
    }

    /// A failed fetch's failure, remembered for as long as its verdict says.
    func remembered(_ fetch: FailedFetch, of key: OriginalKey, since epoch: PurgeEpoch) -> PipelineFailure {
        remembered(
            fetch.failure, about: .origin(key), of: key, since: epoch, fetch.verdict, fields: fetch.fields)
    }

    /// A failure to render, remembered for its class's time.
    func remembered(
        _ failure: PipelineFailure, about subject: FailureMemory.Subject, of key: OriginalKey,
        since epoch: PurgeEpoch
    ) -> PipelineFailure {
        guard !failure.isFromMemory else { return failure }
        let verdict = configuration.negative.verdict(on: failure.reason)
        return remembered(failure, about: subject, of: key, since: epoch, verdict)
    }

    /// Not if `key` was purged since.
    private func remembered(
        _ failure: PipelineFailure, about subject: FailureMemory.Subject, of key: OriginalKey,
        since epoch: PurgeEpoch, _ verdict: NegativePolicy.Verdict, fields: StoredFields? = nil
    ) -> PipelineFailure {
        guard let section = purges.enter(key, tags: [], since: epoch) else { return failure }
        defer { purges.leave(section) }
        var failure = failure
        failure.rememberedFor = failures.remember(
            failure, about: subject, of: key, verdict, fields: fields, now: environment.ticks())
        return failure
    }
}

extension NegativePolicy {
    fileprivate func verdict(on reason: PipelineFailure.Reason) -> Verdict {
        switch reason {
        case .decode(.overloaded), .decode(.unavailable), .decode(.cancelled): .nothing
        case .decode: verdict(on: Failure.notAnImage)
        case .origin, .originStatus, .originResting, .overloaded, .tooManyRenditions, .throttled,
            .unavailable,
            .notHeld,
            .cancelled:
            .nothing
        }
    }
}

extension PipelineFailure {
    /// A stale original may stand in: the origin did not answer, or answered that it cannot now (RFC 5861 §4), or is
    /// left alone for that, or nobody here was free to ask it, or the asker may not make us.
    var allowsStale: Bool {
        switch reason {
        case .originStatus(let status, _): OriginStatus(status).isPassingFailure
        case .origin(.nameNotResolved), .origin(.cannotConnect), .origin(.tls), .origin(.timedOut),
            .origin(.tooManyRedirects), .origin(.brokenReply), .origin(.unusableReply),
            .origin(.undecodableContent), .originResting,
            .overloaded, .throttled, .unavailable:
            true
        default: false
        }
    }

    /// The origin answered with something else than the held original, so that one is no longer its picture
    /// (RFC 9111 §4.3.3).
    var supersedesOriginal: Bool {
        guard !isFromMemory else { return false }
        switch reason {
        case .originStatus(let status, _): return OriginStatus(status).isRefusal
        case .origin(.tooLarge), .decode(.notAnImage), .decode(.formatNotAllowed), .decode(.damaged),
            .decode(.tooManyPixels):
            return true
        default: return false
        }
    }

    /// How the origin was asked in vain; nil where it was not asked.
    var forwarding: Forwarding? {
        guard !isFromMemory else { return nil }
        switch reason {
        case .originStatus(let status, _): return Forwarding(reason: .stale, status: status)
        case .origin: return Forwarding(reason: .stale, status: nil)
        default: return nil
        }
    }
}
