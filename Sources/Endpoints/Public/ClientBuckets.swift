// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Clients
package import Fleet
internal import Hashing
package import Telemetry

/// The token buckets of clients that all nodes of a fleet share.
///
/// Redis gets no address, but a keyed code of it. Whoever knows the key can find out an address by trying all of them; without the
/// key, nobody can. All nodes need the same key, so it is their password for Redis.
package struct ClientBuckets: Sendable {
    private let buckets: RedisBuckets
    private let key: [UInt8]
    /// Counters of how the questions to Redis ended.
    package var counters: LimitCounters { buckets.counters }

    /// - Parameter key: if it is empty, an address can be found out by trying all of them.
    package init(_ buckets: RedisBuckets, key: String) {
        self.buckets = buckets
        self.key = Array("pictor client \(key)".utf8)
    }

    /// Takes tokens; see `RedisBuckets`.
    package func take(
        _ count: Int, of limit: LimitLabel, _ rate: Rate, from client: ClientKey, areSpent: Bool = false
    ) async -> RedisBuckets.Found {
        await buckets.take(
            count, from: name(of: limit, client), interval: rate.interval, whole: rate.whole,
            areSpent: areSpent)
    }

    /// Microseconds until a client's bucket is full; nil if Redis does not answer.
    package func fullIn(of limit: LimitLabel, for client: ClientKey) async -> Int64? {
        await buckets.fullIn(name(of: limit, client))
    }

    private func name(of limit: LimitLabel, _ client: ClientKey) -> String {
        "\(limit.value):\(MessageCode.of(client.bytes, key: key).hex.prefix(32))"
    }
}
