// SPDX-License-Identifier: Apache-2.0
//
//   this node                    the fleet's leases       another node
//   looks into the store
//   take ──────────────────────▶ led
//   works, keeps                                     ◀─── has looked into the store; take: held
//   the store has it: release ─▶ done                     asks again, and again
//                                                    ◀─── take: done; looks into the store again, and finds it
//
// A node looks into the store first and takes the lease then. The marker `done` tells it of a result written in between.

internal import HTTPCaching
internal import SourceURLs
internal import Synchronization
internal import Traces

extension Pipeline {
    /// Waits until this node must do a piece of work, or another node has done it. Holds no permit meanwhile.
    ///
    /// - Parameters:
    ///   - name: nil if other nodes cannot read what this node makes.
    ///   - look: looks into the shared store; true if the work is done. Called each time that another node has ended its work; the
    ///     caller must have looked once before.
    /// - Returns: the lease, to be given back with `end`; nil if the work is done, or must be done without a lease.
    /// - Throws: `.cancelled` if nobody wants the work any more.
    func turn(
        _ name: @autoclosure () -> LeaseName?, _ look: () async -> Bool
    ) async throws(PipelineFailure) -> Lease? {
        guard let leases, let name = name() else { return nil }
        let started = environment.ticks()
        let (lease, answer) = await traced("lease") { _ in
            await follow(name, by: leases, until: started + configuration.leaseWait, look)
        }
        let waited = environment.ticks() - started
        leaseTurns.withLock { $0.count(answer, waited: waited) }
        guard !Task.isCancelled else {
            end(lease, with: .abandoned)
            throw .cancelled
        }
        return lease
    }

    private func follow(
        _ name: LeaseName, by leases: any LeasePort, until deadline: Int64, _ look: () async -> Bool
    ) async -> (Lease?, LeaseStatistics.Answer?) {
        var seen: LeaseMarker?
        var hasWaited = false
        var pauses = PollingPauses()
        func rest() async {
            await environment.pause(microseconds: jittered(pauses.next))
            pauses.lengthen()
        }
        while !Task.isCancelled {
            switch await leases.take(name, over: seen) {
            case .led(let lease):
                // The former holder may have died after it had written its result.
                guard hasWaited, await look() else { return (lease, .led) }
                leases.release(lease, .done)
                return (nil, .followed)
            case .done(let marker):
                if await look() { return (nil, .followed) }
                // The result was purged, expired or lost since. Further markers are looked up with pauses, because each costs a look
                // into the store.
                if seen != nil { await rest() }
                seen = marker
            case .held:
                hasWaited = true
                await rest()
            case .unshared: return (nil, .unshared)
            case .unavailable: return (nil, .unavailable)
            case .own: return (nil, nil)
            }
            if environment.ticks() >= deadline { return (nil, .expired) }
        }
        return (nil, nil)
    }

    /// The pause times a random factor between 3/4 and 5/4.
    func jittered(_ pause: Int64) -> Int64 {
        pause * 3 / 4 + (Int64(exactly: (environment.chance() * Double(pause / 2)).rounded()) ?? 0)
    }

    // MARK: Giving back

    /// The lease of an original's fetch; nil without leases, or if other nodes would not use the result.
    func leaseName(
        _ wanted: FetchRequest, for purpose: FetchPurpose, holding held: Original?
    ) -> LeaseName? {
        guard cache.sharesOriginals, held.map({ $0.freshness.isOfUse }) ?? true,
            failures.failure(about: .origin(wanted.key), now: environment.ticks()) == nil
        else { return nil }
        // A refresh has one lease for all parameters, as it has one in-flight request within a node, because nobody waits for it.
        return .original(purpose == .refreshing ? wanted.key : wanted.fetchKey, environment)
    }

    /// Gives the lease of a fetch back once the shared store has the original.
    func end(_ lease: Lease?, with arrival: Arrival<Body>) {
        guard arrival.isKept, arrival.original.freshness.isOfUse else { return end(lease, with: .unshared) }
        end(lease) { [cache] in await cache.isWritten(arrival.original, tags: arrival.tags) }
    }

    /// Gives a lease back once the store has the result, or `leaseWait` is over, after which other nodes no longer wait.
    func end(_ lease: Lease?, once isWritten: @escaping @Sendable () async -> Bool) {
        guard let lease, let leases else { return }
        let written = OneShot<Bool>()
        environment.after(microseconds: configuration.leaseWait) { written.settle(false) }
        Task { written.settle(await isWritten()) }
        Task { leases.release(lease, await written.value() ? .done : .unshared) }
    }

    /// Gives back the lease of failed work. If the failure is remembered, each node finds it out itself without waiting; after any
    /// other failure the next node tries.
    func end(_ lease: Lease?, with failure: PipelineFailure) {
        end(lease, with: failure.rememberedFor > 0 ? .unshared : .abandoned)
    }

    /// Gives a lease back at once.
    func end(_ lease: Lease?, with end: LeaseEnd) {
        if let lease { leases?.release(lease, end) }
    }
}

extension Freshness {
    /// False if no other node could serve the original without asking its origin: it arrived without a freshness lifetime, or
    /// must be revalidated for each request.
    fileprivate var isOfUse: Bool { lifetime > initialAge && !flags.contains(.alwaysValidate) }
}

extension Environment {
    /// Waits for this time; ends early if the task is cancelled.
    func pause(microseconds: Int64) async {
        let alarm = OneShot<Void>()
        after(microseconds: microseconds) { alarm.settle(()) }
        await alarm.value(ifCancelled: ())
    }
}
