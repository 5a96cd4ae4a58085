// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
internal import Synchronization

/// Admission control for one scarce resource: fetch permits, or decoder processes.
///
/// **Isolation:** the queue and the waiters are behind a `Mutex`; decisions are made inside, and
/// continuations, listeners and alarms are touched outside.
package final class Admission: Sendable {
    /// The right to work, until `leave`.
    package struct Permit: Sendable {
        fileprivate let number: UInt64
        /// Microseconds spent waiting.
        package let queued: Int64
    }

    /// Microseconds between two counts of the shortage.
    static let lookInterval: Int64 = 50_000

    private let state: Mutex<State>
    private let environment: any Environment
    private let onShortage: @Sendable (Int) -> Void

    /// - Parameter onShortage: called when the shortage has changed, with the number of jobs that wait because others hold the
    ///   permits. Calls come from any thread, one at a time; must not block.
    package init(
        limits: AdmissionLimits, environment: any Environment,
        onShortage: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        state = Mutex(State(queue: AdmissionQueue(limits: limits)))
        self.environment = environment
        self.onShortage = onShortage
    }

    /// Jobs that may run at once.
    package var permits: Int { state.withLock(\.queue.limits.permits) }
    /// Jobs that wait.
    package var waiting: Int { state.withLock(\.queue.waitingCount) }
    /// Bytes of the running jobs' prices, and the most that they may be together.
    package var spending: (spent: Int, of: Int) { state.withLock(\.queue.spending) }
    /// Jobs of one class that wait.
    func waiting(_ priority: Priority) -> Int { state.withLock { $0.queue.waitingCount(priority) } }
    /// Jobs that hold a permit.
    package var running: Int { state.withLock(\.queue.runningCount) }

    /// True if a new job of this group would have to wait, or be refused.
    package func isFull(group: String) -> Bool {
        let now = environment.ticks()
        return state.withLock { $0.queue.isFull(group: group, now: now) }
    }

    /// True if no job waits and fewer than half of the permits are taken; with three permits or fewer, none may be taken. Work that
    /// nobody waits for may begin then, because a request that comes meanwhile still finds a permit.
    /// - Parameter others: jobs of that kind under way, which may not have asked for a permit yet.
    func isIdle(beside others: Int) -> Bool {
        state.withLock { state in
            let taken = max(state.queue.runningCount, others)
            return state.queue.waitingCount == 0 && taken < max(1, state.queue.limits.permits / 2)
        }
    }

    /// The running and waiting jobs, which will go from here to another queue.
    var inflow: AdmissionQueue.Inflow { state.withLock { $0.queue.inflow } }
    /// The same jobs, counted by client as well.
    var inflowByClient: AdmissionQueue.Inflow { state.withLock { $0.queue.inflowByClient } }

    /// True if there is room for one more job behind those that wait and those on their way here.
    func hasRoom(behind inflow: AdmissionQueue.Inflow = .init()) -> Bool {
        let now = environment.ticks()
        return state.withLock { $0.queue.hasRoom(behind: inflow, now: now) }
    }

    /// The refusal that a new job of this class would get; nil if the job may come. Asking first spares the work before the queue,
    /// such as a fetch.
    /// - Parameter client: the job's client; nil if clients are not told apart.
    func refusal(
        of priority: Priority, by client: Asker? = nil, behind inflow: AdmissionQueue.Inflow = .init()
    ) -> PipelineFailure? {
        let now = environment.ticks()
        return state.withLock { $0.queue.refusal(of: priority, by: client, behind: inflow, now: now) }
            .map { .overloaded(retryAfter: $0) }
    }

    /// Waits for a permit. Every permit must be returned by `leave`.
    /// - Parameters:
    ///   - group: jobs of one group share `permitsPerGroup`.
    ///   - cost: bytes of the budget.
    ///   - time: microseconds that the job will probably take.
    ///   - priority: read while the job waits. A raise promotes the job, and a client who joins lends it an earlier turn.
    ///   - account: the client and site that the permit counts for; nil if permits are not shared among clients.
    ///   - client: whose turn the job takes; nil if clients take none.
    /// - Throws: `.overloaded`, or `.cancelled` if the task is cancelled before it gets a permit.
    func enter(
        group: String = "", cost: Int = 0, time: Int64 = 0, priority: LivePriority,
        account: PermitAccount? = nil, client: Asker? = nil
    ) async throws(PipelineFailure) -> Permit {
        let waiter = OneShot<Verdict>()
        let number = nextNumber()
        let job = AdmissionQueue.Job(
            number: number, group: group, cost: cost, time: time, priority: priority.value,
            arrived: environment.ticks(), account: account, client: client)
        // Listens before the job is queued, and reads the priority once more afterwards, so that no raise is
        // lost.
        priority.listen { [weak self] in self?.raise(number, to: $0, for: $1) }
        take(job, waiter)
        raise(number, to: priority.value, for: nil)
        for client in priority.joined { raise(number, to: priority.value, for: client) }
        defer { priority.stopListening() }
        let verdict = await withTaskCancellationHandler {
            await waiter.value()
        } onCancel: {
            withdraw(number)
        }
        switch verdict {
        case .admitted: return Permit(number: number, queued: environment.ticks() - job.arrived)
        case .refused(let failure): throw failure
        }
    }

    /// Returns a permit.
    /// - Parameter isGood: true if the work succeeded; nil if that is unknown.
    package func leave(_ permit: Permit, isGood: Bool? = nil) {
        act { state, now in state.queue.finish(permit.number, isGood: isGood, now: now) }
    }

    /// Replaces the limits, for new jobs and for jobs that wait. Running jobs keep their permits.
    package func replaceLimits(with limits: AdmissionLimits) {
        act { state, now in state.queue.replaceLimits(with: limits, now: now) }
    }

    /// Slows a group down, after the group's server asked for fewer requests in its answer to a request of `client`; see
    /// `RateLimiter`.
    /// - Parameter seconds: how long the answer asks to wait; nil if it does not say.
    func slowDown(group: String, for seconds: Int?, by client: ClientKey?) {
        let now = environment.ticks()
        state.withLock { $0.queue.slowDown(group, for: seconds, by: client, now: now) }
    }

    /// Groups that are slowed down at present.
    package var slowed: Int {
        let now = environment.ticks()
        return state.withLock { $0.queue.slowedCount(now: now) }
    }

    private func nextNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    private func take(_ job: AdmissionQueue.Job, _ waiter: OneShot<Verdict>) {
        act { state, _ in
            state.waiters[job.number] = waiter
            return state.queue.arrive(job)
        }
    }

    private func raise(_ number: UInt64, to priority: Priority, for client: Asker?) {
        act { state, now in state.queue.raise(number, to: priority, for: client, now: now) }
    }

    private func withdraw(_ number: UInt64) {
        act { state, now in state.queue.withdraw(number, now: now) }
    }

    /// Handles one event: decides under the lock, acts after it.
    private func act(_ event: (inout State, _ now: Int64) -> [AdmissionQueue.Action]) {
        let now = environment.ticks()
        let (effects, looksAgain, reports) = state.withLock { state in
            let effects = state.effects(from: event(&state, now))
            let looksAgain = state.countShortage(now)
            return (effects, looksAgain, state.startsReport())
        }
        if reports {
            while let shortage = state.withLock({ $0.nextToReport() }) { onShortage(shortage) }
        }
        if looksAgain {
            environment.after(microseconds: Self.lookInterval) { [weak self] in
                self?.act { state, _ in
                    state.isLookSet = false
                    return []
                }
            }
        }
        for effect in effects {
            switch effect {
            case .settle(let waiter, let verdict): waiter?.settle(verdict)
            case .setAlarm(let time):
                environment.after(microseconds: max(0, time - now)) { [weak self] in
                    // A clock that is read a little early must not leave the queue without an alarm.
                    self?.act { state, now in state.queue.expire(now: max(now, time)) }
                }
            }
        }
    }
}
