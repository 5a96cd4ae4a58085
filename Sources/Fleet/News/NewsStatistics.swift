// SPDX-License-Identifier: Apache-2.0

/// Numbers since the start, and of this moment. All of them are `Int`, as `Readings` are.
package struct NewsStatistics: Sendable, Hashable {
    package var connected = 0
    /// Connections that were made, of both kinds.
    package var connects = 0
    /// Other nodes that have told Redis of themselves in the last `FleetPeers.time`; 0 without Redis.
    package var peers = 0
    package var sent = 0
    package var received = 0
    /// Deliveries of what was carried out before.
    package var repeated = 0
    package var gaps = 0
    /// Purges of ours that Redis has not got yet.
    package var outbox = 0
    /// Seconds since this node knew that it has everything; 0 without a fleet.
    package var lag = 0

    package init() {}
}
