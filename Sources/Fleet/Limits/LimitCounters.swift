// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Counts requests to Redis for a limit of the fleet, by their answer.
///
/// **Isolation:** separate atomics.
package final class LimitCounters: Sendable {
    private let granted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let unavailable = Atomic<Int>(0)

    /// The present totals.
    package var statistics: LimitStatistics {
        LimitStatistics(
            granted: granted.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
            unavailable: unavailable.load(ordering: .relaxed))
    }

    func count(_ found: RedisBuckets.Found) {
        switch found {
        case .taken: granted.add(1, ordering: .relaxed)
        case .empty: refused.add(1, ordering: .relaxed)
        case .unavailable: unavailable.add(1, ordering: .relaxed)
        }
    }
}

/// Totals of requests for a limit, by their answer.
package struct LimitStatistics: Sendable, Hashable {
    package var granted = 0
    package var refused = 0
    /// Redis did not answer, so only the node's own limit was applied.
    package var unavailable = 0

    package init(granted: Int = 0, refused: Int = 0, unavailable: Int = 0) {
        self.granted = granted
        self.refused = refused
        self.unavailable = unavailable
    }
}
