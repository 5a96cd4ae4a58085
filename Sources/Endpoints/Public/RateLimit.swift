// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Fleet
internal import Platform
internal import Synchronization
internal import Telemetry

/// The token buckets of all clients for one limit. The memory for 65,536 clients, 1.5 MiB, is taken at the start. If there are more
/// clients within a period, some are forgotten early, which gives them full buckets.
///
/// **Isolation:** a `Mutex` for each of 16 shards, so that event loops seldom wait for one another.
final class RateLimit: Sendable {
    private struct Shard {
        var table: RateTable
        /// The tokens not reported to the fleet yet; nil if nothing is reported.
        var unreported: UnreportedTokens?
    }

    private static let clients = 65_536
    /// A client's tokens are reported to the fleet once they are this fraction of a bucket (1/16).
    private static let share = 16
    /// Microseconds after which fewer tokens are reported too.
    private static let age: Int64 = 1_000_000
    /// Clients of one shard in one report. For all shards together that is 6,400 in a second, which leaves Redis time to answer
    /// misses.
    private static let reportLimit = 8

    let rate: Rate
    private let shards: InlineArray<16, Mutex<Shard>>

    /// - Parameter isReported: true if a fleet gets reports of what was taken.
    init(_ rate: Rate, isReported: Bool) {
        self.rate = rate
        shards = InlineArray { _ in
            let unreported = UnreportedTokens(
                most: Self.clients / 64, share: max(1, rate.count / Self.share), age: Self.age)
            return Mutex(
                Shard(
                    table: RateTable(rate, capacity: Self.clients / 16),
                    unreported: isReported ? unreported : nil))
        }
    }

    /// Takes a token. Nil if there was one; otherwise the seconds until there is one.
    func take(_ client: ClientKey, at now: Int64) -> Int? {
        let hash = client.hashValue
        let wait = shards[hash & 15].withLock { shard in
            let wait = shard.table.take(client, hash: hash >> 4, at: now)
            if wait == 0 { shard.unreported?.note(client, at: now) }
            return wait
        }
        return wait > 0 ? Self.seconds(wait) : nil
    }

    /// The seconds of a wait in microseconds, rounded up, at least 1.
    static func seconds(_ wait: Int64) -> Int { max(1, Int((wait + 999_999) / 1_000_000)) }

    func giveBack(_ client: ClientKey) {
        let hash = client.hashValue
        shards[hash & 15].withLock { $0.table.giveBack(client, hash: hash >> 4) }
    }

    /// Adopts what the fleet knows of a client's bucket; see `RateTable`.
    func learn(_ client: ClientKey, fullAt: Int64, isExact: Bool) {
        let hash = client.hashValue
        shards[hash & 15].withLock {
            $0.table.learn(client, hash: hash >> 4, fullAt: fullAt, isExact: isExact)
        }
    }

    /// Reports to the fleet how many tokens were taken here, and learns how many the other nodes took. If the fleet does not answer,
    /// the report is dropped, in the clients' favour.
    func report(to fleet: ClientBuckets) async {
        let now = SystemEnvironment().ticks()
        var due: [UnreportedTokens.Usage] = []
        for index in shards.indices {
            due += shards[index].withLock { $0.unreported?.due(at: now, limit: Self.reportLimit) ?? [] }
        }
        await withTaskGroup { group in
            for usage in due {
                group.addTask { [rate] in
                    let found = await fleet.take(
                        usage.count, of: .requests, rate, from: usage.client, areSpent: true)
                    guard case .taken(let fullIn) = found else { return }
                    self.learn(
                        usage.client, fullAt: SystemEnvironment().ticks() + fullIn, isExact: false)
                }
            }
        }
    }
}
