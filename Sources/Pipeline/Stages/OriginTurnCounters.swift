// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Totals of fetches that asked the fleet for a slot, since the start.
///
/// **Isolation:** separate atomics.
package final class OriginTurnCounters: Sendable {
    private let granted = Atomic<Int>(0)
    private let refused = Atomic<Int>(0)
    private let unavailable = Atomic<Int>(0)
    private let waited = Atomic<Int>(0)

    /// Every counter at 0.
    package init() {}

    /// The numbers of this moment.
    package var statistics: OriginTurnStatistics {
        OriginTurnStatistics(
            granted: granted.read(), refused: refused.read(), unavailable: unavailable.read(),
            waited: waited.read())
    }

    func count(_ verdict: OriginVerdict, waited microseconds: Int64) {
        switch verdict {
        case .entered: granted.count()
        case .full, .early: refused.count()
        case .unavailable: unavailable.count()
        }
        waited.wrappingAdd(Int(clamping: microseconds), ordering: .relaxed)
    }
}

/// Totals of fetches that asked the fleet for a slot.
package struct OriginTurnStatistics: Sendable, Hashable {
    package var granted = 0
    /// Until the end of their wait, or of their clients'.
    package var refused = 0
    /// Without an answer, so the node's own limits held alone.
    package var unavailable = 0
    /// Microseconds that fetches have waited.
    package var waited = 0
}
