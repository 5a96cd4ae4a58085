// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
package import SourceURLs
package import Synchronization

/// The origins that are not well, or may not be.
///
/// A healthy origin has no entry, so while all are well nobody waits for a lock here, and while some are not, a fetch
/// costs a look-up when it begins and one when it ends.
///
/// **Isolation:** a `Mutex`, and atomics for the counters.
package final class HostHealthTable: Sendable {
    /// The right to ask, until `leave`.
    struct Pass {
        let origin: SourceOrigin
        fileprivate let client: ClientKey?
        fileprivate let number: UInt64
    }

    /// An origin's health as it is told to people.
    package struct Status: Sendable, Hashable {
        package enum State: String, Sendable, Hashable { case closed, resting, probing }

        package var origin: SourceOrigin
        package var state: State
        /// For how many clients it is left alone; nil: for all.
        package var clients: Int?
        /// In a row.
        package var failures: Int
        /// Without a success between them.
        package var rests: Int
        /// Until a request may ask; 0: the next one does.
        package var seconds: Int
    }

    private struct Table {
        var origins: [SourceOrigin: OriginRecord] = [:]
        /// Clients in all records.
        var clients = 0
        var lastNumber: UInt64 = 0

        mutating func countClients() { clients = origins.values.reduce(0) { $0 + $1.each.count } }
    }

    /// Requests to origins that were not sent, because their origin rested.
    package let refused = Atomic<Int>(0)
    /// Requests sent to find out whether an origin is well again.
    package let probes = Atomic<Int>(0)
    /// Times that an origin that was well began to rest.
    package let rests = Atomic<Int>(0)

    private let table = Mutex(Table())
    /// As many as the table has.
    private let size = Atomic<Int>(0)
    private let policy: HealthPolicy
    private let environment: any Environment
    private let report: @Sendable (OriginHealthEvent) -> Void

    init(
        _ policy: HealthPolicy, environment: any Environment,
        report: @escaping @Sendable (OriginHealthEvent) -> Void
    ) {
        self.policy = policy
        self.environment = environment
        self.report = report
    }

    // MARK: Asking

    /// The outlook for a request of that client.
    /// - Parameter isWanted: the asker would get nothing otherwise.
    func outlook(of origin: SourceOrigin, for client: ClientKey?, isWanted: Bool) -> OriginHealth.Outlook {
        guard size.read() > 0 else { return .well }
        let now = environment.ticks()
        return table.withLock { $0.origins[origin]?.outlook(for: client, now: now, isWanted: isWanted) }
            ?? .well
    }

    /// For a request that would have to wait before asking: there is no use in the wait while the origin rests.
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

    /// A refusal that was decided without a pass; counted if it is this table's.
    func counted(_ failure: PipelineFailure) -> PipelineFailure {
        if case .originResting = failure.reason { refused.count() }
        return failure
    }

    /// The right to ask; call this right before asking. Every pass must be given back by `leave`.
    /// - Parameters:
    ///   - client: the client that asks; those without an address are one client.
    ///   - isWanted: the asker would get nothing otherwise.
    /// - Throws: `.originResting`.
    func enter(
        _ origin: SourceOrigin, for client: ClientKey?, isWanted: Bool = true
    ) throws(PipelineFailure) -> Pass {
        guard size.read() > 0 else { return Pass(origin: origin, client: client, number: 0) }
        let now = environment.ticks()
        let (number, entry) = table.withLock { table in
            table.lastNumber += 1
            let entry = table.origins[origin]?.enter(
                table.lastNumber, for: client, now: now, isWanted: isWanted, policy)
            return (table.lastNumber, entry ?? .asks)
        }
        switch entry {
        case .asks: break
        case .probes: probes.count()
        case .refused(let rest): throw refusal(rest)
        }
        return Pass(origin: origin, client: client, number: number)
    }

    /// - Parameter place: the origin that gave the sign. A redirect may have led elsewhere, and then the origin that
    ///   redirected is well.
    func leave(_ pass: Pass, _ sign: OriginSign, at place: SourceOrigin? = nil) {
        guard let place, place != pass.origin else {
            return hear(sign, pass.origin, pass.client, pass.number)
        }
        hear(.well, pass.origin, pass.client, pass.number)
        hear(sign, place, pass.client, 0)
    }

    private func hear(
        _ sign: OriginSign, _ origin: SourceOrigin, _ client: ClientKey?, _ number: UInt64
    ) {
        let isNews = sign != .well && sign != .none
        guard isNews || size.read() > 0 else { return }
        let now = environment.ticks()
        let chance = environment.chance()
        let heard: (OriginHealth.Change, isForOneClient: Bool)? = table.withLock { table in
            if isNews { makeRoom(for: origin, in: &table, now) }
            guard
                var record = table.origins.removeValue(forKey: origin)
                    ?? (isNews ? OriginRecord(policy) : nil)
            else { return nil }
            table.clients -= record.each.count
            let news = OriginHealth.News(
                sign: sign, client: client, number: number, latest: table.lastNumber, now: now, chance: chance
            )
            let change = record.hear(news, policy)
            table.clients += record.each.count
            if !record.isWell { table.origins[origin] = record }
            size.store(table.origins.count, ordering: .relaxed)
            return change
        }
        guard let (change, isForOneClient) = heard else { return }
        if case .rests = change { rests.count() }
        report(OriginHealthEvent(origin: origin, change, isForOneClient: isForOneClient))
    }

    /// Records that mean nothing any more go first; then, if those were few, the eighth that means least: suspicions before
    /// rests, older news before newer. Failures of single clients go before those of all.
    private func makeRoom(for origin: SourceOrigin, in table: inout Table, _ now: Int64) {
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

    /// Origins that are not asked as usual, for all clients or for some.
    package var restingCount: Int {
        guard size.read() > 0 else { return 0 }
        let now = environment.ticks()
        return table.withLock { table in
            table.origins.values.count { $0.isSick && !$0.isForgotten(now: now, policy) }
        }
    }

    package var rememberedCount: Int { size.read() }

    /// Those that are not asked as usual, the longest sick first.
    package func resting(limit: Int) -> [Status] {
        let now = environment.ticks()
        let origins = table.withLock { table in
            table.origins.filter { $0.value.isSick && !$0.value.isForgotten(now: now, policy) }
        }
        return origins.map { Status($0.key, $0.value, now: now) }
            .sorted { ($1.rests, "\($0.origin)") < ($0.rests, "\($1.origin)") }.prefix(limit).map(\.self)
    }

    package func status(of origin: SourceOrigin) -> Status {
        let now = environment.ticks()
        return Status(origin, table.withLock { $0.origins[origin] } ?? OriginRecord(policy), now: now)
    }
}

extension HostHealthTable.Status {
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
            seconds = Int((max(0, wanted - now) + 999_999) / 1_000_000)
        case .probing: state = .probing
        }
    }
}
