// SPDX-License-Identifier: Apache-2.0

package import ImageModel
package import Synchronization

/// The origins that are not well, or may not be.
///
/// A healthy origin has no entry, so while all are well nobody waits for a lock here, and while some are not, a fetch
/// costs a look-up when it begins and one when it ends.
///
/// **Isolation:** a `Mutex`, and atomics for what is only counted.
package final class HostHealthTable: Sendable {
    /// The right to ask, until `leave`.
    struct Pass {
        let origin: SourceOrigin
        fileprivate let number: UInt64
    }

    /// An origin's health as it is told to people.
    package struct Status: Sendable, Hashable {
        package enum State: String, Sendable, Hashable { case closed, resting, probing }

        package var origin: SourceOrigin
        package var state: State
        package var cause: OriginRest.Cause?
        /// In a row.
        package var failures: Int
        /// Without a success between them.
        package var rests: Int
        /// Until somebody may ask; 0: the next one does.
        package var seconds: Int
    }

    private struct Table {
        var origins: [SourceOrigin: OriginHealth] = [:]
        var lastNumber: UInt64 = 0
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

    func outlook(of origin: SourceOrigin) -> OriginHealth.Outlook {
        guard size.read() > 0 else { return .well }
        let now = environment.ticks()
        return table.withLock { $0.origins[origin]?.outlook(now: now) } ?? .well
    }

    /// For who would have to wait before asking: there is no use in that.
    func refuseResting(_ origin: SourceOrigin) throws(PipelineFailure) {
        guard case .resting(let rest) = outlook(of: origin) else { return }
        refused.count()
        throw PipelineFailure(.originResting(rest))
    }

    /// To be called right before asking. Every pass must be given back by `leave`.
    func enter(_ origin: SourceOrigin) throws(PipelineFailure) -> Pass {
        guard size.read() > 0 else { return Pass(origin: origin, number: 0) }
        let now = environment.ticks()
        let (number, entry) = table.withLock { table in
            table.lastNumber += 1
            return (table.lastNumber, table.origins[origin]?.enter(table.lastNumber, now: now) ?? .asks)
        }
        switch entry {
        case .asks: break
        case .probes: probes.count()
        case .refused(let rest):
            refused.count()
            throw PipelineFailure(.originResting(rest))
        }
        return Pass(origin: origin, number: number)
    }

    /// - Parameter place: where that came to light; a redirect may have led elsewhere, and then the one who redirected is
    ///   well.
    func leave(_ pass: Pass, _ sign: OriginSign, at place: SourceOrigin? = nil) {
        guard let place, place != pass.origin else { return hear(sign, pass.origin, pass.number) }
        hear(.well, pass.origin, pass.number)
        hear(sign, place, 0)
    }

    private func hear(_ sign: OriginSign, _ origin: SourceOrigin, _ number: UInt64) {
        let isNews = sign != .well && sign != .none
        guard isNews || size.read() > 0 else { return }
        let now = environment.ticks()
        let chance = environment.chance()
        let change: OriginHealth.Change? = table.withLock { table in
            if table.origins[origin] == nil {
                guard isNews else { return nil }
                makeRoom(in: &table.origins, now)
                table.origins[origin] = OriginHealth()
            }
            let change = table.origins[origin]?.hear(
                sign, from: number, now: now, chance: chance, policy)
            if table.origins[origin]?.isWell == true { table.origins[origin] = nil }
            size.store(table.origins.count, ordering: .relaxed)
            return change
        }
        guard let change else { return }
        if case .rests = change { rests.count() }
        report(OriginHealthEvent(origin: origin, change))
    }

    /// First what means nothing any more; then, if that was little, the eighth that is least: suspicions before rests,
    /// older news before newer.
    private func makeRoom(in origins: inout [SourceOrigin: OriginHealth], _ now: Int64) {
        guard origins.count >= policy.capacity else { return }
        origins = origins.filter { !$0.value.isForgotten(now: now, policy) }
        guard origins.count > policy.capacity - policy.capacity / 8 else { return }
        let order = origins.sorted { a, b in
            (a.value.state == .closed ? 0 : 1, a.value.lastNews)
                < (b.value.state == .closed ? 0 : 1, b.value.lastNews)
        }
        for entry in order.prefix(max(1, policy.capacity / 8)) { origins[entry.key] = nil }
    }

    // MARK: Telling

    /// Origins that are not asked as usual.
    package var restingCount: Int {
        guard size.read() > 0 else { return 0 }
        let now = environment.ticks()
        return table.withLock { table in
            table.origins.values.count { $0.state != .closed && !$0.isForgotten(now: now, policy) }
        }
    }

    package var rememberedCount: Int { size.read() }

    /// Those that are not asked as usual, the longest sick first.
    package func resting(limit: Int) -> [Status] {
        let now = environment.ticks()
        let origins = table.withLock { table in
            table.origins.filter { $0.value.state != .closed && !$0.value.isForgotten(now: now, policy) }
        }
        return origins.sorted { ($1.value.rests, "\($0.key)") < ($0.value.rests, "\($1.key)") }.prefix(limit)
            .map { Status($0.key, $0.value, now: now) }
    }

    package func status(of origin: SourceOrigin) -> Status {
        let now = environment.ticks()
        return Status(origin, table.withLock { $0.origins[origin] } ?? OriginHealth(), now: now)
    }
}

extension HostHealthTable.Status {
    fileprivate init(_ origin: SourceOrigin, _ health: OriginHealth, now: Int64) {
        self.init(origin: origin, state: .closed, failures: health.failures, rests: health.rests, seconds: 0)
        switch health.state {
        case .closed: return
        case .resting(let until):
            state = .resting
            seconds = Int((max(0, until - now) + 999_999) / 1_000_000)
        case .probing: state = .probing
        }
        cause = health.cause
    }
}
