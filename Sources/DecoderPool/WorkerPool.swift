// SPDX-License-Identifier: Apache-2.0
//
//      run(job) ──▶ waiting ──▶ supervisor 0 ══ socket ══ pictor-decoder
//                   (short)     supervisor 1 ══ socket ══ pictor-decoder
//                               supervisor 2 ══ socket ══ pictor-decoder   the spare: takes over at once
//
// A supervisor is a thread with one process. It sleeps in poll(2), on the socket and on a wake-up, whether
// its process is idle or busy; so a process that dies is noticed and replaced when it dies, and not when
// the next job needs it.

package import DecoderProtocol
internal import Kernel
internal import Synchronization

/// Worker processes of one kind: starts, feeds, watches, kills and recycles them.
///
/// **Isolation:** `PoolState` in a `Mutex`, decided inside and acted upon outside; each process belongs to
/// its supervisor's thread. The threads keep the pool alive until `shutDown` has ended them.
package final class WorkerPool<Job: WorkerJob>: Sendable {
    let settings: DecoderPoolSettings
    let report: @Sendable (DecoderEvent) -> Void
    let zygote: Zygote
    private let state: Mutex<PoolState<Job>>
    private let wakeups: [Wakeup]
    private let waiters = Mutex(Waiters())
    /// Held while a new engine is reported, until jobs may have a process of it. So the engine in force is the one that was
    /// reported last, or the one that the start returned if none was.
    private let greetings = Mutex<Void>(())
    private let nextID = Atomic<UInt64>(1)

    /// The callers that wait for the first process, or for the end of all processes.
    private struct Waiters {
        var opening: CheckedContinuation<Result<WireHandshake, DecoderFailure>, Never>?
        var closing: [CheckedContinuation<Void, Never>] = []
    }

    private init(
        _ settings: DecoderPoolSettings, _ zygote: Zygote, wakeups: [Wakeup],
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

    /// Starts all processes and waits for the first to be ready, whose handshake comes back too.
    ///
    /// - Parameters:
    ///   - zygote: of which the processes are forks; other pools may have theirs of it as well.
    ///   - report: called on the pool's own threads; must not wait.
    /// - Throws: `.unavailable` when none could be started, `.jailLacks` when none can be; then none is left.
    package static func start(
        _ settings: DecoderPoolSettings, of zygote: Zygote,
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

    /// Waits for a process, then for its answer. Cancelling the task gives the job up: it is not begun, or
    /// may go on unheard for `cancelGrace` and is then killed. Either way the answer is `.cancelled`, at
    /// once. A job that no message carries is `.unavailable`, and no process sees it; nor does one see a job that is keyed
    /// by another engine than the process has, which is `.otherEngine`.
    package func run(_ job: Job) async throws(DecoderFailure) -> Job.Output {
        try await runTellingWait(job).output
    }

    /// As `run`; and how long the job waited here until a process had it.
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

    /// A snapshot of the counters, taken under the lock.
    package var status: DecoderPoolStatus { state.withLock { $0.status } }

    /// The processes one by one; asks the kernel for the memory of each, some 10 µs a process.
    package var workers: [WorkerStatus<Job>] {
        state.withLock { $0.workers }.map { worker, memory in
            var worker = worker
            worker.resident = memory?.reading?.resident
            return worker
        }
    }

    /// Takes no more jobs, lets those that run go on for `shutdownGrace`, and returns when no process is
    /// left.
    package func shutDown() async {
        let waiting = state.withLock { $0.close() }
        for ticket in waiting { ticket.settle(.failure(.unavailable("shutting down"))) }
        for wakeup in wakeups { wakeup.signal() }
        await withCheckedContinuation { continuation in
            let hasEnded = waiters.withLock { waiters in
                // Asked under the lock that the last supervisor takes, so that neither misses the other.
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
        /// The job is not over, and that supervisor is to go on with it.
        case open(supervisor: Int)
        /// No process was ready.
        case nothing
    }

    /// Gives a short job to a process that is ready, and waits for the answer on the caller's thread: to wake the
    /// supervisor's thread, and that one the caller's, takes several times as long as the job. The wait is bounded; an
    /// answer that takes longer is the supervisor's.
    private func lend(to ticket: JobTicket<Job>) -> Loan {
        guard let loan = state.withLock({ $0.lend(ticket) }) else { return .nothing }
        guard case .answered(let answer) = ticket.ask(over: loan.socket, settings) else {
            return .open(supervisor: loan.supervisor)
        }
        // It may have to replace its process.
        if change({ $0.answered(loan.supervisor, .young, nil) }) { wakeups[loan.supervisor].signal() }
        return .answered(answer)
    }

    private func submit(_ ticket: JobTicket<Job>) {
        let submission = change { $0.submit(ticket) }
        if case .refused(let failure) = submission { ticket.settle(.failure(failure)) }
    }
}

// MARK: For the supervisors

extension WorkerPool {
    /// Decides under the lock; wakes who has got a job after it.
    func change<Value: Sendable>(_ body: (inout PoolState<Job>) -> Value) -> Value {
        let (value, assignments) = state.withLock { state in
            let value = body(&state)
            return (value, state.assign())
        }
        for assignment in assignments { wakeups[assignment.supervisor].signal() }
        return value
    }

    func takeLoans(of supervisor: Int) -> Int { state.withLock { $0.takeLoans(of: supervisor) } }

    var isClosing: Bool { state.withLock { $0.isClosing } }

    func duty(of supervisor: Int) -> Supervisor<Job>.Duty { state.withLock { $0.duty(of: supervisor) } }

    /// - Parameter generation: of the process's zygote.
    func supervisorIsReady(
        _ supervisor: Int, _ handshake: WireHandshake, of generation: Int, over socket: WireSocket,
        memory: ProcessMemory?
    ) {
        greetings.withLock { _ in
            // Before those who plan jobs hear of it: no process of a former engine is left that would turn theirs down.
            let (former, outdated) = state.withLock {
                $0.takeEngine(handshake.engine, of: generation, by: supervisor)
            }
            for other in outdated { wakeups[other].signal() }
            // Reported before any process of it may have a job, so that the job can be keyed by it.
            if let former { report(.engineChanged(from: former, to: handshake.engine)) }
            change { $0.handshake(supervisor, handshake, over: socket, memory: memory) }
            // The first engine: whoever waits for it hears of later ones by reports alone.
            open(.success(handshake))
        }
    }

    func supervisorFailed(_ supervisor: Int, _ words: String, isFailedStart: Bool) {
        let (hopeless, stranded) = change { state in
            let stranded = state.failed(supervisor, words, isFailedStart: isFailedStart)
            return (state.isHopeless, stranded)
        }
        for ticket in stranded { ticket.settle(.failure(.unavailable(words))) }
        if hopeless { open(.failure(.unavailable(words))) }
    }

    /// Ends the wait for the first process at once: every other process would lack the same measures.
    func jailLacks(_ names: [String]) { open(.failure(.jailLacks(names))) }

    func supervisorEnded(_ supervisor: Int) {
        // Before whoever waits for the end of all processes is told of it: the zygote is one of them.
        zygote.leave()
        let (closing, stranded) = waiters.withLock { waiters in
            let (isLast, stranded) = state.withLock { $0.ended(supervisor) }
            guard isLast else { return ([CheckedContinuation<Void, Never>](), stranded) }
            defer { waiters.closing = [] }
            return (waiters.closing, stranded)
        }
        for ticket in stranded { ticket.settle(.failure(.unavailable("shutting down"))) }
        for continuation in closing { continuation.resume() }
    }

    private func open(_ result: Result<WireHandshake, DecoderFailure>) {
        let opening = waiters.withLock { waiters in
            defer { waiters.opening = nil }
            return waiters.opening
        }
        opening?.resume(returning: result)
    }
}
