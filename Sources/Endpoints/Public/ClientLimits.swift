// SPDX-License-Identifier: Apache-2.0

package import Clients
internal import Answers
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
/// **Isolation:** immutable; the tables guard themselves.
package final class ClientLimits: Sendable {
    private let requests: RateLimit?
    private let misses: RateLimit?
    /// Bits of an IPv6 address that identify a client.
    private let prefix: Int
    private let metrics: Metrics
    private let refusal: ReadyAnswer

    /// Nil if the settings limit nothing.
    package init?(_ settings: Settings.Limits, metrics: Metrics) {
        requests = settings.requestsPerClient.rate.map { RateLimit($0) }
        misses = settings.missesPerClient.rate.map { RateLimit($0) }
        guard requests != nil || misses != nil else { return nil }
        prefix = settings.ipv6Prefix
        self.metrics = metrics
        refusal = ReadyAnswer(ErrorResponse.tooManyRequests.response())
    }

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
        guard let requests, let client = key(of: request.peer),
            let wait = requests.take(client, at: ticks)
        else { return nil }
        metrics.limited.add(.requests)
        tail.append("Retry-After", wait)
        return refusal
    }

    /// The allowance of one request that reaches the pipeline; nil if such requests are not limited, or the
    /// client has no address.
    package func allowance(for peer: PeerAddress) -> (any Allowance)? {
        guard let misses, let client = key(of: peer) else { return nil }
        return MissAllowance(client, misses, metrics)
    }

    private func key(of peer: PeerAddress) -> ClientKey? { peer.ip.map { ClientKey($0, prefix: prefix) } }
}

/// The payment of one request from its client's rate of new work.
///
/// **Isolation:** a `Mutex`.
private final class MissAllowance: Allowance {
    private let client: ClientKey
    private let limit: RateLimit
    private let metrics: Metrics
    private let isPaid = Mutex(false)

    init(_ client: ClientKey, _ limit: RateLimit, _ metrics: Metrics) {
        self.client = client
        self.limit = limit
        self.metrics = metrics
    }

    func pay() -> Payment {
        isPaid.withLock { isPaid in
            if isPaid { return .alreadyPaid }
            if let wait = limit.take(client, at: SystemEnvironment().ticks()) {
                metrics.limited.add(.misses)
                return .refused(retryAfter: wait)
            }
            isPaid = true
            return .paid
        }
    }

    func giveBack() {
        isPaid.withLock { $0 = false }
        limit.giveBack(client)
    }
}

/// The token buckets of all clients for one limit. Memory for 65,536 clients, 1.5 MiB, is taken at the start.
/// With more clients within a period, some are forgotten early, in their favour.
///
/// **Isolation:** a `Mutex` for each of 16 shards, so that event loops seldom wait for one another.
private final class RateLimit: Sendable {
    private static let clients = 65_536

    private let shards: InlineArray<16, Mutex<RateTable>>

    init(_ rate: Rate) {
        shards = InlineArray { _ in Mutex(RateTable(rate, capacity: Self.clients / 16)) }
    }

    /// Takes a token. Nil if there was one; otherwise the seconds until there will be one.
    func take(_ client: ClientKey, at now: Int64) -> Int? {
        let hash = client.hashValue
        let wait = shards[hash & 15].withLock { $0.take(client, hash: hash >> 4, at: now) }
        return wait > 0 ? Int((wait + 999_999) / 1_000_000) : nil
    }

    func giveBack(_ client: ClientKey) {
        let hash = client.hashValue
        shards[hash & 15].withLock { $0.giveBack(client, hash: hash >> 4) }
    }
}
