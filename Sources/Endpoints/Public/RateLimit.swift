// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Fleet
internal import Platform
internal import Synchronization
internal import Telemetry

/// The token buckets of all clients for one limit. Memory for 65,536 clients, 1.5 MiB, is taken at the start.
/// With more clients within a period, some are forgotten early, in their favour.
///
/// **Isolation:** a `Mutex` for each of 16 shards, so that event loops seldom wait for one another.
final class RateLimit: Sendable {
    private struct Shard {
        var table: RateTable
        /// Nil if nothing is reported.
        var unreported: UnreportedTokens?
    }

    private static let clients = 65_536
    /// The part of a bucket that is reported to the fleet at once.
    private static let share = 16
    /// Microseconds after which less is reported.
    private static let age: Int64 = 1_000_000
    /// Clients of one shard in one report: 6,400 in a second of all shards together, beside which a miss
    /// still has its answer in time.
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

    /// Takes a token. Nil if there was one; otherwise the seconds until there will be one.
    func take(_ client: ClientKey, at now: Int64) -> Int? {
        let hash = client.hashValue
        let wait = shards[hash & 15].withLock { shard in
            let wait = shard.table.take(client, hash: hash >> 4, at: now)
            if wait == 0 { shard.unreported?.note(client, at: now) }
            return wait
        }
        return wait > 0 ? Self.seconds(wait) : nil
    }

    /// From microseconds, rounded up, and 1 at least.
    static func seconds(_ wait: Int64) -> Int { max(1, Int((wait + 999_999) / 1_000_000)) }

    func giveBack(_ client: ClientKey) {
        let hash = client.hashValue
        shards[hash & 15].withLock { $0.table.giveBack(client, hash: hash >> 4) }
    }

    /// Takes over what the fleet knows of a client's bucket; see `RateTable`.
    func learn(_ client: ClientKey, fullAt: Int64, isExact: Bool) {
        let hash = client.hashValue
        shards[hash & 15].withLock {
            $0.table.learn(client, hash: hash >> 4, fullAt: fullAt, isExact: isExact)
        }
    }

    /// Reports to the fleet what was taken here, and learns what the others have taken. Without an answer it is forgotten,
    /// in the clients' favour.
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
