// SPDX-License-Identifier: Apache-2.0
//
//      run(job) ──▶ waiting ──▶ supervisor 0 ══ socket ══ pictor-decoder
//                   (short)     supervisor 1 ══ socket ══ pictor-decoder
//                               supervisor 2 ══ socket ══ pictor-decoder   the spare: takes over at once
//
// A supervisor is a thread with one process. It sleeps in poll(2) on the socket and on a wake-up, whether its
// process is idle or busy. So a process that dies is noticed and replaced at once, and not only when the next
// job needs it.

package import DecoderProtocol
internal import Kernel
internal import Synchronization

/// Starts, feeds, watches, kills and recycles worker processes of one kind.
///
/// **Isolation:** `PoolState` is in a `Mutex`: decisions are made inside, and acted upon outside. Each
/// process belongs to its supervisor's thread. The threads keep the pool alive until `shutDown` has ended
/// them.
package final class WorkerPool<Job: WorkerJob>: Sendable {
    let settings: WorkerPoolSettings
    let report: @Sendable (DecoderEvent) -> Void
    let zygote: Zygote
    let state: Mutex<PoolState<Job>>
    let wakeups: [Wakeup]
    let waiters = Mutex(Waiters())
    /// Held while a new engine is reported, until jobs may run on it. So the engine in force is the one that was reported
    /// last, or the one that `start` returned if none was reported.
    let greetings = Mutex<Void>(())
    private let nextID = Atomic<UInt64>(1)

    /// The callers that wait for the first process, or for the end of all processes.
    struct Waiters {
        var opening: CheckedContinuation<Result<WireHandshake, DecoderFailure>, Never>?
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private init(
        _ settings: WorkerPoolSettings, _ zygote: Zygote, wakeups: [Wakeup],
        report: @escaping @Sendable (DecoderEvent) -> Void
    ) {
        self.settings = settings
        self.zygote = zygote
        self.wakeups = wakeups
        self.report = report
        state = Mutex(
            PoolState(
                processes: settings.processes, spares: settings.spares, queueLimit: settings.queueLimit))
    }

    /// Starts all processes and waits for the first one to be ready. Also returns its handshake.
    ///
    /// - Parameters:
    ///   - zygote: the zygote from which the processes are forked; other pools may share it.
    ///   - report: called on the pool's own threads; must not wait.
    /// - Throws: `.unavailable` if no process could be started, `.jailLacks` if none can run here; no process
    ///   is left then.
    package static func start(
        _ settings: WorkerPoolSettings, of zygote: Zygote,
        report: @escaping @Sendable (DecoderEvent) -> Void = { _ in }
    ) async throws(DecoderFailure) -> (pool: WorkerPool, handshake: WireHandshake) {
        let pool: WorkerPool
        do throws(SystemError) {
            var wakeups: [Wakeup] = []
            for _ in 0..<settings.processes + settings.spares { wakeups.append(try Wakeup()) }
            try zygote.join(workers: wakeups.count)
            pool = WorkerPool(settings, zygote, wakeups: wakeups, report: report)
        } catch {
            throw .unavailable("\(error)")
        }
        let opened = await withCheckedContinuation { continuation in
            pool.waiters.withLock { $0.opening = continuation }
            pool.startSupervisors()
        }
        switch opened {
        case .success(let handshake): return (pool, handshake)
        case .failure(let failure):
            await pool.shutDown()
            throw failure
        }
    }

    /// Waits for a process, then for its answer. Cancelling the task gives the job up: it is not begun, or may go on
    /// unheard for `cancelGrace` and is then killed. In both cases the answer is `.cancelled`, at once. A job that no
    /// message can express is answered with `.unavailable`, and one that is keyed by another engine than the process has
    /// with `.otherEngine`; no process sees such jobs.
    package func run(_ job: Job) async throws(DecoderFailure) -> Job.Output {
        try await runTellingWait(job).output
    }

    /// Like `run`; also returns how long the job waited until a process had it.
    package func runTellingWait(
        _ job: Job
    ) async throws(DecoderFailure) -> (output: Job.Output, waited: Duration) {
        guard job.fitsMessage else { throw .unavailable("the message cannot carry the job") }
        let ticket = JobTicket(id: nextID.add(1, ordering: .relaxed).oldValue, job: job)
        let given = SuspendingClock.now
        var lender: Int?
        if job.length == .short {
            switch lend(to: ticket) {
            case .answered(let answer): return (try answer.get(), .zero)
            case .open(let supervisor): lender = supervisor
            case .nothing: break
            }
        }
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                ticket.await(continuation)
                if let lender { wakeups[lender].signal() } else { submit(ticket) }
            }
        } onCancel: {
            ticket.settle(.failure(.cancelled))
            if let supervisor = state.withLock({ $0.withdraw(ticket) }) { wakeups[supervisor].signal() }
        }
        return (try answer.get(), ticket.begun.map { given.duration(to: $0) } ?? .zero)
    }

    /// A snapshot of the numbers.
    package var status: WorkerPoolStatus { state.withLock { $0.status } }

    /// The processes one by one. Asks the kernel for the memory of each, which takes some 10 µs a process.
    package var workers: [WorkerStatus<Job>] {
        state.withLock { $0.workers }.map { worker, memory in
            var worker = worker
            worker.resident = memory?.reading?.resident
            return worker
        }
    }

    /// Takes no more jobs, lets running ones go on for `shutdownGrace`, and returns when no process is left.
    package func shutDown() async {
        let waiting = state.withLock { $0.close() }
        for ticket in waiting { ticket.settle(.failure(.unavailable("shutting down"))) }
        for wakeup in wakeups { wakeup.signal() }
        await withCheckedContinuation { continuation in
            let hasEnded = waiters.withLock { waiters in
                // Checked under the lock that the last supervisor takes, so that neither misses the other.
                let hasEnded = state.withLock { $0.hasEnded }
                if !hasEnded { waiters.closing.append(continuation) }
                return hasEnded
            }
            if hasEnded { continuation.resume() }
        }
    }

    private func startSupervisors() {
        for (index, wakeup) in wakeups.enumerated() {
            let supervisor = Supervisor(index: index, wakeup: wakeup, pool: self)
            do throws(SystemError) {
                try WorkerThread("\(settings.kind.name)-\(index)") { supervisor.run() }.detach()
            } catch {
                supervisorFailed(index, "\(error)", isFailedStart: true)
                supervisorEnded(index)
            }
        }
    }

    private enum Loan {
        case answered(JobTicket<Job>.Answer)
        /// The job goes on, and this supervisor takes it over.
        case open(supervisor: Int)
        /// No process was ready.
        case nothing
    }

    /// Gives a short job to a ready process, and waits for the answer on the caller's thread, because waking the
    /// supervisor's thread, and then the caller's, takes several times as long as the job. The wait is bounded; a
    /// later answer is left to the supervisor.
    private func lend(to ticket: JobTicket<Job>) -> Loan {
        guard let loan = state.withLock({ $0.lend(ticket) }) else { return .nothing }
        guard case .answered(let answer) = ticket.ask(over: loan.socket, settings) else {
            return .open(supervisor: loan.supervisor)
        }
        // The supervisor may have to replace its process.
        if change({ $0.answered(loan.supervisor, .young, nil) }) { wakeups[loan.supervisor].signal() }
        return .answered(answer)
    }

    private func submit(_ ticket: JobTicket<Job>) {
        let submission = change { $0.submit(ticket) }
        if case .refused(let failure) = submission { ticket.settle(.failure(failure)) }
    }

    /// Decides under the lock, and afterwards wakes the supervisors that have got a job.
    func change<Value: Sendable>(_ body: (inout PoolState<Job>) -> Value) -> Value {
        let (value, assignments) = state.withLock { state in
            let value = body(&state)
            return (value, state.assign())
        }
        for assignment in assignments { wakeups[assignment.supervisor].signal() }
        return value
    }
}
