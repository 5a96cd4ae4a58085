// SPDX-License-Identifier: Apache-2.0

/// Totals of the fleet's leases since the start: how often work began after each answer to a request for one, and how long it
/// waited.
package struct LeaseStatistics: Sendable, Hashable {
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

    package var led = 0
    package var followed = 0
    package var expired = 0
    package var unshared = 0
    package var unavailable = 0
    /// Microseconds that work has waited for its turn.
    package var waited = 0

    /// - Parameter answer: nil if the node has the lease already, or nobody wants the work any more.
    mutating func count(_ answer: Answer?, waited microseconds: Int64) {
        switch answer {
        case .led: led += 1
        case .followed: followed += 1
        case .expired: expired += 1
        case .unshared: unshared += 1
        case .unavailable: unavailable += 1
        case nil: break
        }
        waited &+= Int(clamping: microseconds)
    }
}
