// SPDX-License-Identifier: Apache-2.0

/// How many requests may be hedged: a tenth of the looks, and a few at once (a retry budget, as of Finagle and gRPC).
///
/// So a store that slows down as a whole gives the origins a tenth more work at most. The few are as many as open the
/// store's breaker, twice: while it hangs, the requests that find that out need not wait for it.
struct HedgeBudget: Sendable {
    /// The part of the looks that may be hedged.
    static let share = 0.1
    static let burst = 10.0

    private var tokens = burst

    /// For each look.
    mutating func earn() { tokens = min(tokens + Self.share, Self.burst) }

    /// True if one more request may be hedged.
    mutating func spend() -> Bool {
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}

/// Statistics of looks into the shared store, which decide about further looks.
struct LookMemory: Sendable {
    var origins = OriginLooks()
    var hedges = HedgeBudget()
    var unshared = UnsharedOriginals()
}
