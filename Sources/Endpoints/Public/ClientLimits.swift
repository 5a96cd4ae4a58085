// SPDX-License-Identifier: Apache-2.0

internal import Answers
package import Clients
package import HTTP1
package import HTTPServer
package import Pipeline
package import Settings
package import Telemetry

/// The rate limits of one client (RFC 6585 §4): one for all requests, and one for requests that need a fetch
/// or a rendering, which cost about a thousand times as much.
///
/// In a fleet, each node asks the shared bucket before it grants a miss. Other requests are reported to it afterwards, so that a hit
/// waits for nobody. The node's own bucket applies in any case.
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

    /// The time between two reports to the fleet.
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

    /// True if requests are limited, so that any request may be refused.
    var limitsRequests: Bool { requests != nil }

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

    /// Requests needing a fetch or a rendering that the client may make now, by the bucket of all nodes; nil without such a limit of
    /// the fleet, or if the fleet does not answer. Takes no token.
    package func missesLeft(to peer: PeerAddress) async -> Int? {
        guard let misses, let fleet, let client = key(of: peer),
            let fullIn = await fleet.fullIn(of: .misses, for: client)
        else { return nil }
        // The bucket's debt may be larger than its size.
        let rest = misses.rate.whole - min(fullIn, misses.rate.whole)
        // Cannot trap: a rate's interval is 1 at least.
        return Int(clamping: rest / misses.rate.interval)
    }

    private func key(of peer: PeerAddress) -> ClientKey? { ClientKey(peer, prefix: prefix) }
}
