// SPDX-License-Identifier: Apache-2.0

/// How many requests may be hedged: a tenth of the looks into the shared store, and a few at once (a retry budget, as in Finagle and
/// gRPC).
///
/// So a store that slows down as a whole gives the origins a tenth more requests at most. The few at once are twice as many as open
/// the store's breaker, so that the requests that find the store hanging need not wait for it.
struct HedgeBudget: Sendable {
    /// Tokens that each look earns: the share of looks that may be hedged.
    static let share = 0.1
    static let burst = 10.0

    private var tokens = burst

    /// Must be called for each look.
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
