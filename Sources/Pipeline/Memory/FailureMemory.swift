// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// Negative caching: a remembered failure is answered without a new try until its time is over. After that the entry lingers, as a
/// suspicion or for its validators. Failures of work that began under other settings are not remembered.
///
/// **Isolation:** a `Mutex`.
final class FailureMemory: Sendable {
    /// The subject of a failure. Content is identified by its digest, so new bytes have no failures.
    enum Subject: Hashable {
        case origin(OriginalKey)
        /// Bytes that broke a decoder, with the page and the number of frames that were read, because the first frame may be sound
        /// and the tenth not.
        case content(OriginalDigest, page: Int, pages: Int)
        /// A rendition that could not be made, though the same bytes may give others.
        case rendition(RenditionKey)
        /// A job that missed its deadline. The entry also stands for every job of its kind that is as large or larger, by the power
        /// of two of its estimate: with another width it would only occupy a decoder again.
        case time(OriginalDigest, JobTime.Kind, magnitude: Int)
    }

    /// A failure is first known (until `knownUntil`), then it lingers (until `forgottenAt`): as a suspicion, which makes the next
    /// such failure known at once, or as validators for the next request.
    private struct Entry {
        var failure: PipelineFailure
        /// The key of the original that was fetched, or that the picture was made of.
        var key: OriginalKey
        /// Microseconds of the monotonic clock, as all times below.
        var rememberedAt: Int64
        var knownUntil: Int64
        var forgottenAt: Int64
        var isSuspicion = false
        var fields: StoredFields?
        /// The purge tags of the answer.
        var tags = FailureTags.kept([])
        /// When content with the validators of `fields` was first received.
        var seenAt: Int64
    }

    /// Seconds for which the validators of content without a picture are kept. An origin that once sent something else under its
    /// picture's validators would confirm that for ever, so the bytes must be fetched again now and then.
    private static let validatorsLinger = 300
    /// `validatorsLinger` in microseconds.
    private static let validatorsLife = Int64(validatorsLinger) * 1_000_000
    /// The most bytes of such fields that are kept. With `FailureTags.limit` those of 10,000 entries take some 20 MB at most.
    private static let fieldsLimit = 1024

    private struct State {
        var entries: [Subject: Entry] = [:]
        /// The epoch at which work under the present settings began; nil if failures of any work are remembered.
        var beginning: PurgeEpoch?
    }

    private let capacity: Int
    private let state = Mutex(State())

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { state.withLock { $0.entries.count } }

    /// Remembers a failure for the time that its verdict names.
    /// - Parameters:
    ///   - key: the original that was asked for.
    ///   - fields: the fields of content without a picture, with the validators for the next request.
    ///   - tags: the purge tags of the answer.
    ///   - epoch: when the failed work began; nil for work that begins now.
    /// - Returns: the seconds for which the failure is known from now on.
    @discardableResult
    func remember(
        _ failure: PipelineFailure, about subject: Subject, of key: OriginalKey,
        _ verdict: NegativePolicy.Verdict, fields: StoredFields? = nil, tags: [String] = [],
        since epoch: PurgeEpoch? = nil, now: Int64
    ) -> Int {
        guard capacity > 0 else { return 0 }
        return state.withLock { state in
            if let epoch, let beginning = state.beginning, epoch < beginning { return 0 }
            let last = state.entries[subject].flatMap { $0.forgottenAt > now ? $0 : nil }
            var entry = Self.entry(failure, key, verdict, Self.worthKeeping(fields), after: last, now)
            entry?.tags = FailureTags(tags)
            guard let entry else {
                state.entries[subject] = nil
                return 0
            }
            if state.entries.count >= capacity, state.entries[subject] == nil {
                Self.makeRoom(in: &state.entries, capacity, now)
            }
            state.entries[subject] = entry
            return Int((entry.knownUntil - now) / 1_000_000)
        }
    }

    private static func entry(
        _ failure: PipelineFailure, _ key: OriginalKey, _ verdict: NegativePolicy.Verdict,
        _ fields: StoredFields?, after last: Entry?, _ now: Int64
    ) -> Entry? {
        let (known, lingering) =
            switch verdict {
            case .known(let seconds): (seconds, fields == nil ? 0 : validatorsLinger)
            case .suspected(let seconds): (last?.isSuspicion == true ? seconds : 0, seconds)
            }
        guard known + lingering > 0 else { return nil }
        let isTheSame = fields != nil && last?.fields?.validators == fields?.validators
        let seenAt = isTheSame ? last?.seenAt ?? now : now
        let knownUntil = now + Int64(known) * 1_000_000
        var forgottenAt = knownUntil + Int64(lingering) * 1_000_000
        if fields != nil { forgottenAt = max(knownUntil, min(forgottenAt, seenAt + validatorsLife)) }
        var failure = failure
        failure.times = StageTimes()
        var entry = Entry(
            failure: failure, key: key, rememberedAt: now, knownUntil: knownUntil, forgottenAt: forgottenAt,
            seenAt: seenAt)
        if case .suspected = verdict { entry.isSuspicion = true }
        entry.fields = fields
        return entry
    }

    private static func worthKeeping(_ fields: StoredFields?) -> StoredFields? {
        guard let fields, !fields.validators.isEmpty, fields.serialized.utf8.count <= fieldsLimit else {
            return nil
        }
        return fields
    }

    /// The failure to answer with now, and its remaining seconds; nil if none is known.
    /// - Parameter suspicion: true if suspicions count too, because the request can be answered without asking the origin.
    func failure(about subject: Subject, now: Int64, suspicion: Bool = false) -> PipelineFailure? {
        state.withLock { state in
            guard let entry = state.entries[subject] else { return nil }
            guard entry.forgottenAt > now else {
                state.entries[subject] = nil
                return nil
            }
            guard entry.knownUntil > now || suspicion && entry.isSuspicion else { return nil }
            let seconds = (entry.knownUntil - now).secondsAhead
            var failure = PipelineFailure(entry.failure.reason, rememberedFor: seconds, isFromMemory: true)
            failure.clientLimit = entry.failure.clientLimit
            failure.reason.wait(seconds: Int((now - entry.rememberedAt) / 1_000_000))
            return failure
        }
    }

    /// Forgets failures of matching originals, and returns their number.
    func forget(where isMeant: @Sendable (_ key: OriginalKey, _ tags: FailureTags) -> Bool) -> Int {
        state.withLock { state in
            let before = state.entries.count
            state.entries = state.entries.filter { !isMeant($0.value.key, $0.value.tags) }
            return before - state.entries.count
        }
    }

    /// Forgets everything because other settings are in force. Failures of work that began before `epoch` are no longer remembered.
    func begin(with epoch: PurgeEpoch) { state.withLock { $0 = State(beginning: epoch) } }

    /// The number of failures that `forget(where:)` would forget.
    func count(where isMeant: @Sendable (_ key: OriginalKey, _ tags: FailureTags) -> Bool) -> Int {
        state.withLock { $0.entries.values.count { isMeant($0.key, $0.tags) } }
    }

    /// The failure and the fields of content that was no picture when its origin was last asked; nil if there are none.
    func lingering(about subject: Subject, now: Int64) -> (failure: PipelineFailure, fields: StoredFields)? {
        state.withLock { state in
            guard let entry = state.entries[subject], entry.forgottenAt > now, let fields = entry.fields
            else { return nil }
            return (entry.failure, fields)
        }
    }

    /// Forgets the failure, after a success.
    func forget(_ subject: Subject) { state.withLock { $0.entries[subject] = nil } }

    /// Removes expired entries first. If less than an eighth of the table is free then, removes entries that only linger, and then
    /// those that would be known for the shortest time. So the cost of a scan is shared by an eighth of the table's arrivals,
    /// whatever failures clients cause.
    private static func makeRoom(in entries: inout [Subject: Entry], _ capacity: Int, _ now: Int64) {
        entries = entries.filter { $0.value.forgottenAt > now }
        // At least one place is free afterwards.
        let room = capacity - max(1, capacity / 8)
        guard entries.count > room else { return }
        entries = entries.filter { $0.value.knownUntil > now }
        guard entries.count > room else { return }
        // Cannot trap: there are more than `room`.
        let limit = entries.values.map(\.knownUntil).sorted()[entries.count - room - 1]
        entries = entries.filter { $0.value.knownUntil > limit }
    }
}

extension PipelineFailure.Reason {
    /// Subtracts the seconds passed from the origin's `Retry-After`.
    fileprivate mutating func wait(seconds: Int) {
        if case .originStatus(let status, let retryAfter?) = self {
            self = .originStatus(status, retryAfter: max(1, retryAfter - seconds))
        }
    }
}
