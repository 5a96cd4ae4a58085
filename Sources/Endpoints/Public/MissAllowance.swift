// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import Fleet
internal import Pipeline
internal import Platform
internal import Synchronization
internal import Telemetry

/// The payment of one request from its client's rate of new work.
///
/// **Isolation:** a `Mutex`.
final class MissAllowance: Allowance {
    private struct State {
        var isPaid = false
        /// True if the fleet's bucket has given a token for the request. The token is not returned at `giveBack`, but stays with the
        /// request, which may pay again, and is returned when the request ends.
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

    /// Asks the fleet's bucket. If the fleet does not answer, the node's own bucket has decided.
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
            // Learned, so that the client's next requests need not ask the fleet.
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
