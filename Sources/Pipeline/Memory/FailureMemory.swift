// SPDX-License-Identifier: Apache-2.0

internal import ImageModel
internal import Synchronization

/// Failures that are answered again without asking, each for its time.
///
/// **Isolation:** a `Mutex`.
final class FailureMemory: Sendable {
    /// What the failure was about. Content is named by its digest, so new bytes start with a clean slate.
    enum Subject: Hashable {
        case origin(OriginalKey)
        /// Bytes that broke a decoder. Which frames were read is part of it: the first may be sound and the tenth not.
        case content(OriginalDigest, pages: Int)
        /// What could not be made, though the same bytes may yield other pictures.
        case rendition(RenditionKey)
    }

    private struct Entry {
        let failure: PipelineFailure
        /// Whose fetch or picture it was.
        let key: OriginalKey
        /// Monotonic microseconds.
        let until: Int64
    }

    private let capacity: Int
    private let entries = Mutex<[Subject: Entry]>([:])

    init(capacity: Int) { self.capacity = capacity }

    var count: Int { entries.withLock { $0.count } }

    /// - Parameters:
    ///   - key: the original that was asked for.
    ///   - seconds: nothing is remembered for 0.
    func remember(
        _ failure: PipelineFailure, about subject: Subject, of key: OriginalKey, seconds: Int, now: Int64
    ) {
        guard seconds > 0, capacity > 0 else { return }
        entries.withLock { entries in
            if entries.count >= capacity, entries[subject] == nil {
                Self.makeRoom(in: &entries, capacity, now)
            }
            entries[subject] = Entry(failure: failure, key: key, until: now + Int64(seconds) * 1_000_000)
        }
    }

    /// The failure as it is to be answered now, with the seconds that are left of it.
    func failure(about subject: Subject, now: Int64) -> PipelineFailure? {
        entries.withLock { entries in
            guard let entry = entries[subject] else { return nil }
            guard entry.until > now else {
                entries[subject] = nil
                return nil
            }
            let seconds = Int((entry.until - now + 999_999) / 1_000_000)
            return PipelineFailure(entry.failure.reason, rememberedFor: seconds, isFromMemory: true)
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

    /// First what has expired; then, if that was nothing, the eighth that would expire soonest. So the cost of a scan is
    /// shared by an eighth of the table's arrivals, even while somebody asks for ever new failures.
    private static func makeRoom(in entries: inout [Subject: Entry], _ capacity: Int, _ now: Int64) {
        entries = entries.filter { $0.value.until > now }
        guard entries.count >= capacity else { return }
        let limit = entries.values.map(\.until).sorted()[capacity / 8]
        entries = entries.filter { $0.value.until > limit }
    }
}
