// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Remembers when files have left a cache for the opening of its index, and it could not be opened all the same. Snapshots that
/// hold these files do not go within seconds, in which the next opening comes, so the cache must not give up more at each.
///
/// **Isolation:** a `Mutex`.
final class OpeningAttempts: Sendable {
    /// Seconds from an attempt that has failed to the next one.
    static let pause: Int64 = 60

    /// When files left last, in seconds of the monotonic clock; nil once the index was opened.
    private let last = Mutex<Int64?>(nil)

    func isDue(at seconds: Int64) -> Bool {
        last.withLock { last in last.map { seconds - $0 >= Self.pause } ?? true }
    }

    /// Notes that files have left. The attempt counts as failed until `noteSuccess`.
    func noteAttempt(at seconds: Int64) { last.withLock { $0 = seconds } }

    /// Notes that the index was opened.
    func noteSuccess() { last.withLock { $0 = nil } }
}
