// SPDX-License-Identifier: Apache-2.0

/// How many doubts the other nodes are told of: a token bucket, because an origin decides how many there are, and each is an entry
/// of the stream that all nodes read. Stored as the time at which it will be full again.
struct DoubtAllowance: Sendable {
    /// Doubts at once: those of a connection's longest run.
    static let burst = 256
    /// Microseconds from one token to the next.
    static let interval: Int64 = 10_000_000

    /// Microseconds of the monotonic clock; nil for full from the start.
    private var fullAt: Int64?

    /// - Returns: of so many, how many are allowed.
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
