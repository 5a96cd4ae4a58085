// SPDX-License-Identifier: Apache-2.0

/// Totals of the fleet's leases since the start: how work began after the answer to its request for a lease, and how long it waited.
package struct LeaseStatistics: Sendable, Hashable {
    /// The answer to a request for a lease, and what the node did then.
    enum Answer: Sendable {
        /// This node did the work.
        case led
        /// Another node did the work.
        case followed
        /// Another node did not finish in time, so this node did the work as well.
        case expired
        /// Another node's result may not be shared, so this node did the work as well.
        case unshared
        /// No leases were to be had, so this node did the work without one.
        case unavailable
    }

    package var led = 0
    package var followed = 0
    package var expired = 0
    package var unshared = 0
    package var unavailable = 0
    /// Microseconds that pieces of work have waited for their turn.
    package var waited = 0

    /// - Parameter answer: nil if this node already holds the lease, or nobody wants the work any more.
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
