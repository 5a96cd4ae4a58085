// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Totals of the fleet's leases since the start.
///
/// **Isolation:** separate atomics.
package final class LeaseCounters: Sendable {
    /// The answer to a request for a lease, and what the node did then.
    enum Answer: Sendable {
        /// This node did the work.
        case led
        /// Another node did it.
        case followed
        /// Another node did not do it in time, so this one did as well.
        case expired
        /// Another node's result was not to be shared, so this one worked as well.
        case unshared
        /// There were no leases, so this node worked without.
        case unavailable
    }

    private let led = Atomic<Int>(0)
    private let followed = Atomic<Int>(0)
    private let expired = Atomic<Int>(0)
    private let unshared = Atomic<Int>(0)
    private let unavailable = Atomic<Int>(0)
    private let waited = Atomic<Int>(0)

    /// Every counter at 0.
    package init() {}

    /// The numbers of this moment.
    package var statistics: LeaseStatistics {
        LeaseStatistics(
            led: led.read(), followed: followed.read(), expired: expired.read(), unshared: unshared.read(),
            unavailable: unavailable.read(), waited: waited.read())
    }

    func count(_ answer: Answer?, waited microseconds: Int64) {
        switch answer {
        case .led: led.count()
        case .followed: followed.count()
        case .expired: expired.count()
        case .unshared: unshared.count()
        case .unavailable: unavailable.count()
        case nil: break
        }
        waited.wrappingAdd(Int(clamping: microseconds), ordering: .relaxed)
    }
}

/// Totals of leases: how often work began after each answer, and how long it waited.
package struct LeaseStatistics: Sendable, Hashable {
    package var led = 0
    package var followed = 0
    package var expired = 0
    package var unshared = 0
    package var unavailable = 0
    /// Microseconds that work has waited for its turn.
    package var waited = 0
}
