// SPDX-License-Identifier: Apache-2.0

package import Clients
internal import Answers
internal import Fleet
package import HTTP1
internal import HTTPSemantics
package import HTTPServer
package import Pipeline
internal import Platform
package import Settings
internal import Synchronization
package import Telemetry

/// The rate limits of one client (RFC 6585 §4): one for all requests, and one for requests that need a fetch
/// or a rendering, which cost about a thousand times as much.
///
/// In a fleet, each node asks the common bucket before it grants a miss, and tells it afterwards of other requests, so
/// that a hit waits for nobody. The node's own bucket holds in any case.
///
/// **Isolation:** immutable; the tables guard themselves.
package final class ClientLimits: Sendable {
    private let requests: RateLimit?
    private let misses: RateLimit?
    /// Nil if each node limits clients by itself.
    private let fleet: ClientBuckets?
    /// Bits of an IPv6 address that identify a client.
    private let prefix: Int
    private let metrics: Metrics
    private let refusal: ReadyAnswer
    private let reports: Task<Void, Never>?

    /// From one report to the fleet to the next.
    private static let reportInterval = Duration.milliseconds(20)

    /// Nil if the settings limit nothing.
    package init?(_ settings: Settings.Limits, metrics: Metrics, fleet: ClientBuckets? = nil) {
        let requests = settings.requestsPerClient.rate.map { RateLimit($0, isReported: fleet != nil) }
        misses = settings.missesPerClient.rate.map { RateLimit($0, isReported: false) }
        guard requests != nil || misses != nil else { return nil }
        self.requests = requests
        self.fleet = fleet
        prefix = settings.ipv6Prefix
        self.metrics = metrics
        refusal = ReadyAnswer(ErrorResponse.tooManyRequests.response())
        reports = fleet.flatMap { fleet in
            requests.map { requests in
                Task {
                    while !Task.isCancelled {
                        try? await Task.sleep(for: Self.reportInterval)
                        await requests.report(to: fleet)
                    }
                }
            }
        }
    }

    deinit { reports?.cancel() }

    /// Whether any request may be refused.
    package var limitsRequests: Bool { requests != nil }

    /// The 429 for a request beyond its client's rate; nil within it, and for clients on a unix socket.
    /// Allocates nothing.
    /// - Parameters:
    ///   - ticks: microseconds of a clock that never goes back.
    ///   - tail: gets `Retry-After` in seconds.
    package func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        guard let client = key(of: request.peer), let wait = refusal(of: client, ticks: ticks) else {
            return nil
        }
        tail.append("Retry-After", wait)
        return refusal
    }

    /// Seconds until the client's next request; nil if this one is within its rate.
    package func refusal(of client: ClientKey, ticks: Int64) -> Int? {
        guard let requests, let wait = requests.take(client, at: ticks) else { return nil }
        metrics.limited.add(.requests)
        return wait
    }

    /// The allowance of one request that reaches the pipeline; nil if such requests are not limited, or the
    /// client has no address.
    package func allowance(for peer: PeerAddress) -> (any Allowance)? {
        guard let misses, let client = key(of: peer) else { return nil }
        return MissAllowance(client, misses, fleet, metrics)
    }

    /// Requests that need a fetch or a rendering which the client may make now, by the bucket of all nodes; nil without such
    /// a limit of the fleet, or without its answer. Takes nothing.
    package func missesLeft(to peer: PeerAddress) async -> Int? {
        guard let misses, let fleet, let client = key(of: peer),
            let fullIn = await fleet.fullIn(of: .misses, for: client)
        else { return nil }
        // A debt may be larger than a bucket.
        let rest = misses.rate.whole - min(fullIn, misses.rate.whole)
        // Cannot trap: a rate's interval is 1 at least.
        return Int(clamping: rest / misses.rate.interval)
    }

    private func key(of peer: PeerAddress) -> ClientKey? { peer.ip.map { ClientKey($0, prefix: prefix) } }
}

/// The payment of one request from its client's rate of new work.
///
/// **Isolation:** a `Mutex`.
private final class MissAllowance: Allowance {
    private struct State {
        var isPaid = false
        /// The fleet's bucket has a token less for it. What is given back stays with the request, which may pay again, and
        /// goes back with its end.
        var isPaidToFleet = false
    }

    private let client: ClientKey
    private let limit: RateLimit
    private let fleet: ClientBuckets?
    private let metrics: Metrics
    private let state = Mutex(State())

    init(_ client: ClientKey, _ limit: RateLimit, _ fleet: ClientBuckets?, _ metrics: Metrics) {
        self.client = client
        self.limit = limit
        self.fleet = fleet
        self.metrics = metrics
    }

    func pay() async -> Payment {
        let payment: Payment = state.withLock { state in
            if state.isPaid { return .alreadyPaid }
            if let wait = limit.take(client, at: SystemEnvironment().ticks()) {
                return .refused(retryAfter: wait)
            }
            state.isPaid = true
            return .paid
        }
        let isPaidToFleet = state.withLock(\.isPaidToFleet)
        let verdict = if payment == .paid, !isPaidToFleet, let fleet { await ask(fleet) } else { payment }
        if case .refused = verdict { metrics.limited.add(.misses) }
        return verdict
    }

    /// Without an answer the node's own bucket has decided.
    private func ask(_ fleet: ClientBuckets) async -> Payment {
        let found = await fleet.take(1, of: .misses, limit.rate, from: client)
        let now = SystemEnvironment().ticks()
        switch found {
        case .unavailable: return .paid
        case .taken(let fullIn):
            state.withLock { $0.isPaidToFleet = true }
            limit.learn(client, fullAt: now + fullIn, isExact: true)
            return .paid
        case .empty(let fullIn):
            state.withLock { $0.isPaid = false }
            // The client's next requests need not ask.
            limit.learn(client, fullAt: now + fullIn, isExact: true)
            return .refused(retryAfter: RateLimit.seconds(fullIn + limit.rate.interval - limit.rate.whole))
        }
    }

    func giveBack() {
        let wasPaid = state.withLock { state in
            defer { state.isPaid = false }
            return state.isPaid
        }
        if wasPaid { limit.giveBack(client) }
    }

    deinit {
        let isOwed = state.withLock { $0.isPaidToFleet && !$0.isPaid }
        guard isOwed, let fleet else { return }
        Task { [client, limit] in
            _ = await fleet.take(-1, of: .misses, limit.rate, from: client, areSpent: true)
        }
    }
}

/// The token buckets of all clients for one limit. Memory for 65,536 clients, 1.5 MiB, is taken at the start.
/// With more clients within a period, some are forgotten early, in their favour.
///
/// **Isolation:** a `Mutex` for each of 16 shards, so that event loops seldom wait for one another.
private final class RateLimit: Sendable {
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
