// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// An original that must be forgotten, because its bytes may be the answer to another URL.
struct Doubt: Sendable, Hashable {
    let key: OriginalKey
    /// True once the other nodes were told, or need not be told.
    var isTold = false
    /// True if an attempt to forget it has failed.
    var hasFailed = false

    /// The same doubt after a failed attempt.
    var failed: Doubt {
        var doubt = self
        doubt.hasFailed = true
        return doubt
    }
}

/// The doubts that wait to be forgotten in batches, and those that failed and will be tried again. `UnprovenAnswers` limits their
/// number.
struct DoubtQueue: Sendable {
    /// The most doubts that are forgotten together, so that they share one wait for the disk.
    static let batch = 256
    /// Microseconds before failed doubts are tried again.
    static let pause: Int64 = 10_000_000

    private var waiting: [Doubt] = []
    private var failed: [Doubt] = []
    /// When the doubts in `failed` are tried again, in microseconds of the monotonic clock; nil if there are none.
    private var retryAt: Int64?

    mutating func add(_ keys: some Sequence<OriginalKey>) { waiting += keys.map { Doubt(key: $0) } }

    /// The next batch to forget; empty if none is due.
    mutating func next(at now: Int64) -> [Doubt] {
        if let time = retryAt, now >= time {
            waiting += failed
            (failed, retryAt) = ([], nil)
        }
        let batch = Array(waiting.prefix(Self.batch))
        waiting = Array(waiting.dropFirst(Self.batch))
        return batch
    }

    /// Takes back doubts that could not be forgotten.
    /// - Returns: true if the caller must call `next` after `pause`; false if that is arranged already.
    mutating func putBack(_ doubts: [Doubt], at now: Int64) -> Bool {
        failed += doubts.map(\.failed)
        guard retryAt == nil else { return false }
        retryAt = now + Self.pause
        return true
    }
}
