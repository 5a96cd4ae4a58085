// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Totals of hedged requests since the start.
///
/// **Isolation:** separate atomics.
package final class HedgeCounters: Sendable {
    /// The source of the answer to a hedged request.
    enum Winner: String, Sendable {
        case store, origin
        /// The origin failed, and the store had nothing that would do.
        case neither
    }

    private let store = Atomic<Int>(0)
    private let origin = Atomic<Int>(0)
    private let neither = Atomic<Int>(0)

    /// Every counter at 0.
    package init() {}

    /// The numbers of this moment.
    package var statistics: HedgeStatistics {
        HedgeStatistics(store: store.read(), origin: origin.read(), neither: neither.read())
    }

    func count(_ winner: Winner) {
        switch winner {
        case .store: store.count()
        case .origin: origin.count()
        case .neither: neither.count()
        }
    }
}

/// Requests for which the origin was asked beside a late look into the shared store, by whose answer they got.
package struct HedgeStatistics: Sendable, Hashable {
    package var store = 0
    package var origin = 0
    package var neither = 0
}
