// SPDX-License-Identifier: Apache-2.0

/// Numbers since the start, and of this moment. Every field is an `Int`, because `Readings` requires it.
package struct NewsStatistics: Sendable, Hashable {
    package var connected = 0
    /// Connections that were made, of both links.
    package var connects = 0
    /// Other nodes that have told Redis of themselves within `FleetPeers.time`; 0 if Redis does not answer.
    package var peers = 0
    package var sent = 0
    package var received = 0
    /// Deliveries of purges that had been carried out before.
    package var repeated = 0
    package var gaps = 0
    /// Purges of this node that Redis does not have yet.
    package var outbox = 0
    /// Seconds since this node last had the whole stream; 0 without a fleet.
    package var lag = 0

    package init() {}
}
