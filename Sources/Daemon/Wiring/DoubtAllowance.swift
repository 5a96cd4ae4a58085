// SPDX-License-Identifier: Apache-2.0

/// A token bucket that limits how many doubts the other nodes are told of. A limit is needed because an origin can cause any
/// number of doubts, and each is an entry of the stream that all nodes read. The bucket is stored as the time at which it will be
/// full again.
struct DoubtAllowance: Sendable {
    /// The size of the bucket: the most doubts that one connection can cause at once.
    static let burst = 256
    /// Microseconds until one token comes back.
    static let interval: Int64 = 10_000_000

    /// Microseconds of the monotonic clock; nil for a bucket that is full.
    private var fullAt: Int64?

    /// - Returns: how many of `count` doubts are allowed.
    mutating func take(_ count: Int, at now: Int64) -> Int {
        let missing = max(0, (fullAt ?? now) - now)
        let taken = Int(clamping: (missing + Self.interval - 1) / Self.interval)
        let granted = max(0, min(count, Self.burst - taken))
        fullAt = now + missing + Int64(granted) * Self.interval
        return granted
    }

    /// Takes back tokens for doubts that the other nodes could not be told of.
    mutating func giveBack(_ count: Int) {
        fullAt = fullAt.map { $0 - Int64(count) * Self.interval }
    }
}
