// SPDX-License-Identifier: Apache-2.0

package import Fleet

/// This node's state among the other nodes' purges: a part of `GET /admin/live` and of `GET /admin/stats`.
package struct FleetReport: Sendable, Codable {
    /// Now: true while Redis answers.
    package var isConnected: Bool
    /// Now: other nodes that have reported to Redis in the last 15 seconds; nil from an earlier version.
    package var peers: Int?
    /// Now: seconds since this node last knew that it had every purge.
    package var lagSeconds: Int
    /// Now: the stream entry up to which this node has carried out everything; nil before it knows one.
    package var position: String?
    /// Now: purges of this node that wait for Redis.
    package var outbox: Int
    /// Purges of this node that Redis has accepted.
    package var sent: Int
    /// Purges of other nodes that were carried out.
    package var received: Int
    /// Times that this node did not know which purges it had missed, and had all held originals revalidated.
    package var gaps: Int

    /// Reads all numbers now.
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
