// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs

extension Pipeline {
    /// - Throws: the remembered failure, if there is one.
    func refuseKnown(_ subject: FailureMemory.Subject) throws(PipelineFailure) {
        if let failure = failures.failure(about: subject, now: environment.ticks()) { throw failure }
    }

    /// Remembers a failed fetch for its verdict's time, and returns the failure.
    func remembered(_ fetch: FailedFetch, of key: OriginalKey, since epoch: PurgeEpoch) -> PipelineFailure {
        remembered(
            fetch.failure, about: .origin(key), of: key, since: epoch, fetch.verdict, fields: fetch.fields,
            tags: fetch.tags)
    }

    /// Remembers a failed rendering for its class's time, and returns the failure.
    func remembered(
        _ failure: PipelineFailure, about subject: FailureMemory.Subject, of key: OriginalKey,
        since epoch: PurgeEpoch
    ) -> PipelineFailure {
        guard !failure.isFromMemory else { return failure }
        let verdict = configuration.negative.verdict(on: failure.reason.row.memory)
        return remembered(failure, about: subject, of: key, since: epoch, verdict)
    }

    /// Remembers nothing if `key` was purged, or the settings changed, since `epoch`.
    private func remembered(
        _ failure: PipelineFailure, about subject: FailureMemory.Subject, of key: OriginalKey,
        since epoch: PurgeEpoch, _ verdict: NegativePolicy.Verdict, fields: StoredFields? = nil,
        tags: [String] = []
    ) -> PipelineFailure {
        // Pictor's own failures, such as a cancellation, say nothing about the origin, so they replace no remembered failure.
        if failure.reason.isOwn { return failure }
        guard let section = purges.enter(key, tags: tags, since: epoch) else { return failure }
        defer { purges.leave(section) }
        var failure = failure
        failure.rememberedFor = failures.remember(
            failure, about: subject, of: key, verdict, fields: fields, tags: tags, since: epoch,
            now: environment.ticks())
        return failure
    }
}

extension FetchRequest {
    /// True if the failure invalidates the held original. False for a request with parameters outside of the key, such as a
    /// signature, because it may have failed for these alone.
    func isSuperseded(by failure: PipelineFailure) -> Bool {
        failure.supersedesOriginal && source.sentTarget == nil
    }
}

extension PipelineFailure.Reason {
    /// True for one of Pictor's own failures, which say nothing about an origin or a picture.
    fileprivate var isOwn: Bool {
        switch self {
        case .origin, .originStatus, .decode: false
        case .originResting, .overloaded, .tooManyRenditions, .throttled, .unavailable, .notHeld, .cancelled:
            true
        }
    }
}

extension PipelineFailure {
    /// True if a stale original may stand in.
    var allowsStale: Bool { reason.row.held == .standsIn }

    /// True if the origin's new answer invalidates the held original.
    var supersedesOriginal: Bool { !isFromMemory && reason.row.held == .isSuperseded }

    /// The failed request to the origin; nil if the origin was not asked.
    var forwarding: Forwarding? {
        guard !isFromMemory else { return nil }
        switch reason {
        case .originStatus(let status, _): return Forwarding(reason: .stale, status: status)
        case .origin: return Forwarding(reason: .stale, status: nil)
        case .decode, .originResting, .overloaded, .tooManyRenditions, .throttled, .unavailable, .notHeld,
            .cancelled:
            return nil
        }
    }
}
