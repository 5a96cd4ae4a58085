// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Totals of questions about a limit of the fleet.
///
/// **Isolation:** separate atomics.
package final class LimitCounters: Sendable {
    private let granted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let unavailable = Atomic<Int>(0)

    /// The numbers of this moment.
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

/// Totals of questions about a limit, by the answer.
package struct LimitStatistics: Sendable, Hashable {
    package var granted = 0
    package var refused = 0
    /// Without an answer, so the node's own limit held alone.
    package var unavailable = 0

    package init(granted: Int = 0, refused: Int = 0, unavailable: Int = 0) {
        self.granted = granted
        self.refused = refused
        self.unavailable = unavailable
    }
}
