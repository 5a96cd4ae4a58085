// SPDX-License-Identifier: Apache-2.0

package import Fleet

/// This node's state among the other nodes' purges: a part of `GET /admin/live` and of `GET /admin/stats`.
package struct FleetReport: Sendable, Codable {
    /// Now: true while Redis answers.
    package var isConnected: Bool
    /// Now: other nodes that have told Redis of themselves in the last 15 seconds; nil from an earlier version.
    package var peers: Int?
    /// Now: seconds since this node last knew that it has every purge.
    package var lagSeconds: Int
    /// Now: the entry of the stream up to which this node has carried out all; nil before it knows one.
    package var position: String?
    /// Now: purges of this node that wait for Redis.
    package var outbox: Int
    /// Purges of this node that Redis has got.
    package var sent: Int
    /// Purges of other nodes that were carried out.
    package var received: Int
    /// Times that this node did not know what it had missed, and had all it holds confirmed.
    package var gaps: Int

    /// Reads all of it now.
    package init(_ news: FleetNews) {
        let statistics = news.statistics
        isConnected = statistics.connected == 1
        peers = statistics.peers
        lagSeconds = statistics.lag
        position = news.position
        outbox = statistics.outbox
        sent = statistics.sent
        received = statistics.received
        gaps = statistics.gaps
    }
}
