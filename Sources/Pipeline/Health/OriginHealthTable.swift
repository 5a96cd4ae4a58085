// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
package import SourceURLs
package import Synchronization

/// Circuit breakers for origins that fail or may fail.
///
/// A healthy origin has no entry. While all origins are healthy, no fetch takes a lock here; otherwise a fetch costs two look-ups.
///
/// **Isolation:** a `Mutex`, and atomics for the counters.
package final class OriginHealthTable: Sendable {
    /// The right to ask an origin, until `leave`.
    struct RightToAsk {
        let origin: SourceOrigin
        fileprivate let client: ClientKey?
        fileprivate let number: UInt64
    }

    /// An origin's health, for operators.
    package struct Status: Sendable, Hashable {
        /// The breaker's state.
        package enum State: String, Sendable, Hashable { case closed, resting, probing }

        /// The origin.
        package var origin: SourceOrigin
        /// The state for all clients; if that is closed, the state for the client that is worst off.
        package var state: State
        /// The number of clients for which the origin rests; nil if it rests for all.
        package var clients: Int?
        /// Failures in a row.
        package var failures: Int
        /// Rests in a row without a success between them.
        package var rests: Int
        /// Seconds until a request may ask the origin; 0 if the next one may.
        package var seconds: Int
    }

    private struct Table {
        var origins: [SourceOrigin: OriginRecord] = [:]
        /// Breakers of single clients, over all records.
        var clients = 0
        var lastNumber: UInt64 = 0
        var policy: HealthPolicy

        mutating func countClients() { clients = origins.values.reduce(0) { $0 + $1.each.count } }
    }

    /// Requests not sent because their origin rested.
    package let refused = Atomic<Int>(0)
    /// Requests sent as probes.
    package let probes = Atomic<Int>(0)
    /// Rests that began while the origin counted as healthy.
    package let rests = Atomic<Int>(0)

    private let table: Mutex<Table>
    /// The number of entries in the table.
    private let size = Atomic<Int>(0)
    private let environment: any Environment
    private let report: @Sendable (OriginHealthEvent) -> Void

    init(
        _ policy: HealthPolicy, environment: any Environment,
        report: @escaping @Sendable (OriginHealthEvent) -> Void
    ) {
        table = Mutex(Table(policy: policy))
        self.environment = environment
        self.report = report
    }

    /// Replaces the policy for signals from now on. A rest that has begun keeps its length. If the new policy has no rests,
    /// everything is forgotten.
    func replacePolicy(with policy: HealthPolicy) {
        table.withLock { table in
            table.policy = policy
            guard policy.failures == 0 else { return }
            (table.origins, table.clients) = ([:], 0)
            size.store(0, ordering: .relaxed)
        }
    }

    // MARK: Asking

    /// The outlook for a request of that client.
    /// - Parameter isWanted: true if the asker gets nothing without the origin.
    func outlook(of origin: SourceOrigin, for client: ClientKey?, isWanted: Bool) -> OriginHealth.Outlook {
        guard size.read() > 0 else { return .well }
        let now = environment.ticks()
        return table.withLock { $0.origins[origin]?.outlook(for: client, now: now, isWanted: isWanted) }
            ?? .well
    }

    /// Refuses a request before it waits for a permit, because the wait is useless while the origin rests.
    /// - Throws: `.originResting`.
    func refuseResting(
        _ origin: SourceOrigin, for client: ClientKey?, isWanted: Bool
    ) throws(PipelineFailure) {
        if case .resting(let rest) = outlook(of: origin, for: client, isWanted: isWanted) {
            throw refusal(rest)
        }
    }

    private func refusal(_ rest: OriginRest) -> PipelineFailure {
        counted(PipelineFailure(.originResting(rest)))
    }

    /// Counts a refusal that was decided before a right was asked for, if the reason is a resting origin.
    func counted(_ failure: PipelineFailure) -> PipelineFailure {
        if case .originResting = failure.reason { refused.count() }
        return failure
    }

    /// Grants the right to ask; call it right before asking. Every right must be returned by `leave`.
    /// - Parameters:
    ///   - client: the client that asks; nil stands for all clients without an address.
    ///   - isWanted: true if the asker gets nothing without the origin.
    /// - Throws: `.originResting`.
    func enter(
        _ origin: SourceOrigin, for client: ClientKey?, isWanted: Bool = true
    ) throws(PipelineFailure) -> RightToAsk {
        guard size.read() > 0 else { return RightToAsk(origin: origin, client: client, number: 0) }
        let now = environment.ticks()
        let (number, entry) = table.withLock { table in
            table.lastNumber += 1
            let entry = table.origins[origin]?.enter(
                table.lastNumber, for: client, now: now, isWanted: isWanted, table.policy)
            return (table.lastNumber, entry ?? .asks)
        }
        switch entry {
        case .asks: break
        case .probes: probes.count()
        case .refused(let rest): throw refusal(rest)
        }
        return RightToAsk(origin: origin, client: client, number: number)
    }

    /// Returns a right with the result.
    /// - Parameter place: the origin that gave the signal, if a redirect led to another one; the origin that sent the redirect counts
    ///   as well then.
    func leave(_ right: RightToAsk, _ signal: HealthSignal, at place: SourceOrigin? = nil) {
        guard let place, place != right.origin else {
            return hear(signal, right.origin, right.client, right.number)
        }
        hear(.well, right.origin, right.client, right.number)
        hear(signal, place, right.client, 0)
    }

    private func hear(
        _ signal: HealthSignal, _ origin: SourceOrigin, _ client: ClientKey?, _ number: UInt64
    ) {
        let isNews = signal != .well && signal != .none
        guard isNews || size.read() > 0 else { return }
        let now = environment.ticks()
        let chance = environment.chance()
        let heard: (OriginHealth.Change, isForOneClient: Bool)? = table.withLock { table in
            if isNews { makeRoom(for: origin, in: &table, now) }
            guard
                var record = table.origins.removeValue(forKey: origin)
                    ?? (isNews ? OriginRecord(table.policy) : nil)
            else { return nil }
            table.clients -= record.each.count
            let news = OriginHealth.News(
                signal: signal, client: client, number: number, latest: table.lastNumber, now: now,
                chance: chance
            )
            let change = record.hear(news, table.policy)
            table.clients += record.each.count
            if !record.isWell { table.origins[origin] = record }
            size.store(table.origins.count, ordering: .relaxed)
            return change
        }
        guard let (change, isForOneClient) = heard else { return }
        if case .rests = change { rests.count() }
        report(OriginHealthEvent(origin: origin, change, isForOneClient: isForOneClient))
    }

    /// Drops records that no longer matter first. If those were few, drops the eighth that matters least: suspicions before rests,
    /// older before newer. The breakers of single clients go before those of all clients.
    private func makeRoom(for origin: SourceOrigin, in table: inout Table, _ now: Int64) {
        let policy = table.policy
        if table.clients >= policy.capacity {
            for origin in table.origins.keys { table.origins[origin]?.forgetClients(resting: false) }
            table.countClients()
            if table.clients > policy.capacity - policy.capacity / 8 {
                for origin in table.origins.keys { table.origins[origin]?.forgetClients(resting: true) }
                table.clients = 0
            }
        }
        if table.origins[origin] == nil, table.origins.count >= policy.capacity {
            table.origins = table.origins.filter { !$0.value.isForgotten(now: now, policy) }
            if table.origins.count > policy.capacity - policy.capacity / 8 {
                let order = table.origins.sorted { a, b in
                    (a.value.isSick ? 1 : 0, a.value.lastNews) < (b.value.isSick ? 1 : 0, b.value.lastNews)
                }
                for entry in order.prefix(max(1, policy.capacity / 8)) { table.origins[entry.key] = nil }
            }
            table.countClients()
        }
    }

    // MARK: Telling

    /// The number of origins that rest or are probed, for all clients or for some.
    package var restingCount: Int {
        guard size.read() > 0 else { return 0 }
        let now = environment.ticks()
        return table.withLock { table in
            table.origins.values.count { $0.isSick && !$0.isForgotten(now: now, table.policy) }
        }
    }

    /// The number of origins with an entry, because they fail or are suspected.
    package var rememberedCount: Int { size.read() }

    /// Origins that rest or are probed, those with the most rests first.
    package func resting(limit: Int) -> [Status] {
        let now = environment.ticks()
        let origins = table.withLock { table in
            table.origins.filter { $0.value.isSick && !$0.value.isForgotten(now: now, table.policy) }
        }
        return origins.map { Status($0.key, $0.value, now: now) }
            .sorted { ($1.rests, "\($0.origin)") < ($0.rests, "\($1.origin)") }.prefix(limit).map(\.self)
    }

    /// The origin's health; `closed` if it has no entry.
    package func status(of origin: SourceOrigin) -> Status {
        let now = environment.ticks()
        let record = table.withLock { $0.origins[origin] ?? OriginRecord($0.policy) }
        return Status(origin, record, now: now)
    }
}

extension OriginHealthTable.Status {
    fileprivate init(_ origin: SourceOrigin, _ record: OriginRecord, now: Int64) {
        let worst = record.worst
        self.init(
            origin: origin, state: .closed, clients: nil, failures: worst.failures, rests: worst.rests,
            seconds: 0)
        if record.all.state == .closed, worst.state != .closed { clients = record.restingClients }
        switch worst.state {
        case .closed: return
        case .resting(let wanted, _):
            state = .resting
            seconds = (wanted - now).secondsAhead
        case .probing: state = .probing
        }
    }
}
