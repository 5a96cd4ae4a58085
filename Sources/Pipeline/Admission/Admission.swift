// SPDX-License-Identifier: Apache-2.0

internal import Clients
internal import HTTPSemantics
internal import Synchronization

/// The entrance to one scarce thing: fetch slots, or decoder processes.
///
/// **Isolation:** the queue and the waiters are behind a `Mutex`; it decides inside, and continuations, listeners and
/// alarms are touched outside.
package final class Admission: Sendable {
    /// The right to work, until `leave`.
    package struct Permit: Sendable {
        fileprivate let number: UInt64
        /// Microseconds spent waiting.
        package let queued: Int64
    }

    private enum Verdict {
        case admitted
        case refused(PipelineFailure)
    }

    private struct State {
        var queue: AdmissionQueue
        /// As it was told last, and when it was looked at.
        var shortage = 0
        var lastLook = -Admission.lookInterval
        /// It will be looked at again without an event.
        var isLookSet = false
        var waiters: [UInt64: OneShot<Verdict>] = [:]
        var lastNumber: UInt64 = 0

        /// Nil: as before, as far as is known. A long queue is not counted at each event, but once more after the last.
        mutating func newShortage(_ now: Int64) -> (shortage: Int?, looksAgain: Bool) {
            guard queue.waitingCount == 0 || lastLook <= now - Admission.lookInterval else {
                defer { isLookSet = true }
                return (nil, !isLookSet)
            }
            let shortage = queue.waitingCount == 0 ? 0 : queue.shortage
            defer { self.shortage = shortage }
            if queue.waitingCount > 0 { lastLook = now }
            return (shortage == self.shortage ? nil : shortage, false)
        }

        /// Takes the waiters of all whose waiting has ended.
        mutating func orders(from actions: [AdmissionQueue.Action]) -> [Order] {
            actions.map { action -> Order in
                switch action {
                case .admit(let number):
                    .settle(waiters.removeValue(forKey: number), .admitted)
                case .refuse(let number, let seconds):
                    .settle(waiters.removeValue(forKey: number), .refused(.overloaded(retryAfter: seconds)))
                case .dismiss(let number):
                    .settle(waiters.removeValue(forKey: number), .refused(.cancelled))
                case .setAlarm(let time):
                    .setAlarm(time)
                }
            }
        }
    }

    /// A thing to do outside the lock.
    private enum Order {
        case settle(OneShot<Verdict>?, Verdict)
        case setAlarm(Int64)
    }

    /// Microseconds between two counts of the jobs that are short of slots.
    private static let lookInterval: Int64 = 50_000

    private let state: Mutex<State>
    private let environment: any Environment
    private let onShortage: @Sendable (Int) -> Void

    /// - Parameter onShortage: called with the number of jobs that wait because others hold the slots, each time that it
    ///   changes; on any thread. It does not wait.
    package init(
        limits: AdmissionLimits, environment: any Environment,
        onShortage: @escaping @Sendable (Int) -> Void = { _ in }
    ) {
        state = Mutex(State(queue: AdmissionQueue(limits: limits)))
        self.environment = environment
        self.onShortage = onShortage
    }

    /// Jobs that wait.
    package var waiting: Int { state.withLock(\.queue.waitingCount) }
    /// Jobs of one class that wait.
    func waiting(_ priority: Priority) -> Int { state.withLock { $0.queue.waitingCount(priority) } }
    /// Jobs that hold a slot.
    package var running: Int { state.withLock(\.queue.runningCount) }

    /// Whether a job that came now would have to wait, or would be refused.
    package func isFull(group: String) -> Bool {
        let now = environment.ticks()
        return state.withLock { $0.queue.isFull(group: group, now: now) }
    }

    /// The jobs that go from here to another queue.
    var inflow: AdmissionQueue.Inflow { state.withLock(\.queue.inflow) }

    /// Whether there is room for one more job behind those that wait and those that are on their way here.
    func hasRoom(behind inflow: AdmissionQueue.Inflow = .init()) -> Bool {
        let now = environment.ticks()
        return state.withLock { $0.queue.hasRoom(behind: inflow, now: now) }
    }

    /// The refusal that a job of this class would get if it came now, before it has cost anything; nil: it may come.
    /// - Parameter client: its client; nil: of no account.
    func refusal(
        of priority: Priority, by client: ClientKey?? = nil, behind inflow: AdmissionQueue.Inflow = .init()
    ) -> PipelineFailure? {
        let now = environment.ticks()
        return state.withLock { $0.queue.refusal(of: priority, by: client, behind: inflow, now: now) }
            .map { .overloaded(retryAfter: $0) }
    }

    /// Waits for a slot. Every permit must be given back by `leave`.
    /// - Parameters:
    ///   - group: jobs of one group share `slotsPerGroup`.
    ///   - cost: bytes against the budget.
    ///   - time: microseconds that it is expected to take.
    ///   - priority: heard live, so that work is promoted while it waits here.
    ///   - asker: the account that the slot goes to; nil: slots are not shared out.
    /// - Throws: `.overloaded`, or `.cancelled` if the task is cancelled before the slot comes free.
    func enter(
        group: String = "", cost: Int = 0, time: Int64 = 0, priority: LivePriority, asker: Asker? = nil
    ) async throws(PipelineFailure) -> Permit {
        let waiter = OneShot<Verdict>()
        let number = nextNumber()
        let job = AdmissionQueue.Job(
            number: number, group: group, cost: cost, time: time, priority: priority.value,
            arrived: environment.ticks(), asker: asker)
        // Listening before the job is in the queue, and asking once more after it: no raise falls in between.
        priority.listen { [weak self] in self?.raise(number, to: $0) }
        take(job, waiter)
        raise(number, to: priority.value)
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

    /// - Parameter isGood: the work came to a good end; nil: nobody knows.
    package func leave(_ permit: Permit, isGood: Bool? = nil) {
        act { state, now in state.queue.finish(permit.number, isGood: isGood, now: now) }
    }

    /// The group asks for fewer requests, in its answer to that client's request; see `Pace`.
    /// - Parameter seconds: for how long, if the answer says so.
    func slowDown(group: String, for seconds: Int?, by client: ClientKey?) {
        let now = environment.ticks()
        state.withLock { $0.queue.slowDown(group, for: seconds, by: client, now: now) }
    }

    /// Groups that are slowed down now.
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

    private func raise(_ number: UInt64, to priority: Priority) {
        act { state, now in state.queue.raise(number, to: priority, now: now) }
    }

    private func withdraw(_ number: UInt64) {
        act { state, now in state.queue.withdraw(number, now: now) }
    }

    /// One event: decided under the lock, acted on after it.
    private func act(_ event: (inout State, _ now: Int64) -> [AdmissionQueue.Action]) {
        let now = environment.ticks()
        let (orders, look) = state.withLock { state in
            let orders = state.orders(from: event(&state, now))
            return (orders, state.newShortage(now))
        }
        if let shortage = look.shortage { onShortage(shortage) }
        if look.looksAgain {
            environment.after(microseconds: Self.lookInterval) { [weak self] in
                self?.act { state, _ in
                    state.isLookSet = false
                    return []
                }
            }
        }
        for order in orders {
            switch order {
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
