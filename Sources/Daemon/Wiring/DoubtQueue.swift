// SPDX-License-Identifier: Apache-2.0

internal import SourceURLs

/// An original to be forgotten, because its answer may be another URL's.
struct Doubt: Sendable, Hashable {
    let key: OriginalKey
    /// True once the other nodes were told, or are not to be.
    var isTold = false
    /// True if it could not be forgotten before.
    var hasFailed = false

    /// The same one after it could not be forgotten.
    var failed: Doubt {
        var doubt = self
        doubt.hasFailed = true
        return doubt
    }
}

/// The doubts that wait, to be forgotten some at a time, and those that could not be, to be tried again. As many as
/// `UnprovenAnswers` has room for.
struct DoubtQueue: Sendable {
    /// Doubts that are forgotten together: they share the waits for the disk.
    static let batch = 256
    /// Microseconds until those are tried again that could not be forgotten.
    static let pause: Int64 = 10_000_000

    private var waiting: [Doubt] = []
    private var failed: [Doubt] = []
    /// When those of `failed` wait again, in microseconds of the monotonic clock; nil without any.
    private var retryAt: Int64?

    mutating func add(_ keys: some Sequence<OriginalKey>) { waiting += keys.map { Doubt(key: $0) } }

    /// The next ones to forget; none if none are due.
    mutating func next(at now: Int64) -> [Doubt] {
        if let time = retryAt, now >= time {
            waiting += failed
            (failed, retryAt) = ([], nil)
        }
        let batch = Array(waiting.prefix(Self.batch))
        waiting = Array(waiting.dropFirst(Self.batch))
        return batch
    }

    /// Takes back those that could not be forgotten.
    /// - Returns: true if `next` is to be called after `pause`; false if it is called before.
    mutating func putBack(_ doubts: [Doubt], at now: Int64) -> Bool {
        failed += doubts.map(\.failed)
        guard retryAt == nil else { return false }
        retryAt = now + Self.pause
        return true
    }
}
