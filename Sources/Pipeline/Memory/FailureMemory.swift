// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// Negative caching: failures that are answered again without asking, each for its time. After that they linger as suspicions
/// or validators.
///
/// **Isolation:** a `Mutex`.
final class FailureMemory: Sendable {
    /// The subject of a failure. Content is named by its digest, so new bytes start with a clean slate.
    enum Subject: Hashable {
        case origin(OriginalKey)
        /// Bytes that broke a decoder. Which frames were read is part of it: the first may be sound and the tenth not.
        case content(OriginalDigest, pages: Int)
        /// A rendition that could not be made, though the same bytes may yield others.
        case rendition(RenditionKey)
        /// A job that took longer than a decoder may, and with it every job of the kind that is as large or larger, by the
        /// power of two of its expected time: in another width, it would only hold a decoder again.
        case time(OriginalDigest, JobTime.Kind, magnitude: Int)
    }

    /// First it is known (until `knownUntil`), then it lingers (until `forgottenAt`): as a suspicion, so that the next
    /// failure of the kind is known at once, or as validators for the next request.
    private struct Entry {
        var failure: PipelineFailure
        /// The original that was fetched, or that the picture was made of.
        var key: OriginalKey
        /// Monotonic microseconds, as all below.
        var rememberedAt: Int64
        var knownUntil: Int64
        var forgottenAt: Int64
        var isSuspicion = false
        var fields: StoredFields?
        /// When the bytes were seen to which `fields` belong.
        var seenAt: Int64
    }

    /// Seconds for which it is remembered by which validator content was no picture. An origin that once sent something
    /// else under the validator of its picture would confirm that for ever; so the bytes are asked for again now and then.
    private static let validatorsLinger = 300
    /// Microseconds.
    private static let validatorsLife = Int64(validatorsLinger) * 1_000_000
    /// Bytes of such fields beyond which they are not kept: with 10,000 of them, 10 MB at most.
    private static let fieldsLimit = 1024

    private let capacity: Int
    private let entries = Mutex<[Subject: Entry]>([:])

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.withLock { $0.count } }

    /// - Parameters:
    ///   - key: the original that was asked for.
    ///   - fields: of content that is no picture, with the validators for the next request.
    /// - Returns: the seconds for which it is known from now on.
    @discardableResult
    func remember(
        _ failure: PipelineFailure, about subject: Subject, of key: OriginalKey,
        _ verdict: NegativePolicy.Verdict, fields: StoredFields? = nil, now: Int64
    ) -> Int {
        guard capacity > 0 else { return 0 }
        return entries.withLock { entries in
            let last = entries[subject].flatMap { $0.forgottenAt > now ? $0 : nil }
            let entry = Self.entry(failure, key, verdict, Self.worthKeeping(fields), after: last, now)
            guard let entry else {
                entries[subject] = nil
                return 0
            }
            if entries.count >= capacity, entries[subject] == nil {
                Self.makeRoom(in: &entries, capacity, now)
            }
            entries[subject] = entry
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

    /// The failure as it is to be answered now, with the seconds that are left of it.
    /// - Parameter suspicion: a suspicion counts as well, for a request that can be answered without asking.
    func failure(about subject: Subject, now: Int64, suspicion: Bool = false) -> PipelineFailure? {
        entries.withLock { entries in
            guard let entry = entries[subject] else { return nil }
            guard entry.forgottenAt > now else {
                entries[subject] = nil
                return nil
            }
            guard entry.knownUntil > now || suspicion && entry.isSuspicion else { return nil }
            let seconds = Int((max(0, entry.knownUntil - now) + 999_999) / 1_000_000)
            var failure = PipelineFailure(entry.failure.reason, rememberedFor: seconds, isFromMemory: true)
            failure.reason.wait(seconds: Int((now - entry.rememberedAt) / 1_000_000))
            return failure
        }
    }

    /// Returns how many went.
    func forget(where isMeant: @Sendable (OriginalKey) -> Bool) -> Int {
        entries.withLock { entries in
            let before = entries.count
            entries = entries.filter { !isMeant($0.value.key) }
            return before - entries.count
        }
    }

    /// Content that was no picture when its origin was last asked: its failure and its fields.
    func lingering(about subject: Subject, now: Int64) -> (failure: PipelineFailure, fields: StoredFields)? {
        entries.withLock { entries in
            guard let entry = entries[subject], entry.forgottenAt > now, let fields = entry.fields else {
                return nil
            }
            return (entry.failure, fields)
        }
    }

    /// It did not fail this time.
    func forget(_ subject: Subject) { entries.withLock { $0[subject] = nil } }

    /// Expired entries go first; then, if those were few, entries that only linger; then the eighth that would be known for
    /// the shortest. So the cost of a scan is shared by an eighth of the table's arrivals, even while a client asks for ever
    /// new failures.
    private static func makeRoom(in entries: inout [Subject: Entry], _ capacity: Int, _ now: Int64) {
        entries = entries.filter { $0.value.forgottenAt > now }
        let room = capacity - capacity / 8
        guard entries.count >= room else { return }
        entries = entries.filter { $0.value.knownUntil > now }
        guard entries.count >= capacity else { return }
        let limit = entries.values.map(\.knownUntil).sorted()[capacity / 8]
        entries = entries.filter { $0.value.knownUntil > limit }
    }
}

extension PipelineFailure.Reason {
    /// So many seconds of the origin's `Retry-After` have passed.
    fileprivate mutating func wait(seconds: Int) {
        if case .originStatus(let status, let retryAfter?) = self {
            self = .originStatus(status, retryAfter: max(1, retryAfter - seconds))
        }
    }
}
