// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol

/// The state of the supervisors and of the waiting jobs. This type decides; the pool acts on its decisions.
///
/// Every process has a supervisor, identified by its index. There are more supervisors than jobs that may run
/// at a time, so there is always a spare: a ready process that takes the next job when another has died or is
/// being recycled. Ready supervisors form a stack, so the spare is always the one that was used least.
struct PoolState<Job: WorkerJob> {
    /// A job with the process that it was given to.
    struct Assignment {
        let ticket: JobTicket<Job>
        let supervisor: Int
        let socket: WireSocket
    }

    enum Submission {
        case accepted
        case refused(DecoderFailure)
    }

    private(set) var supervisors: [Supervision]
    private(set) var isClosing = false
    private var hasGreeted: [Bool]
    private var engine = PoolEngine()
    /// The id and the memory of each process; the memory is nil if it is not measured.
    private(set) var processes: [(id: Int32, memory: ProcessMemory?)?]
    private var ready: [Int] = []
    private(set) var waiting: [JobTicket<Job>] = []
    private(set) var running = 0
    /// The number of long jobs that run.
    private var runningLong = 0
    /// For each supervisor, the number of jobs that its process did for callers since the supervisor's own
    /// last turn.
    private var loans: [Int]
    private var startFailure = ""
    private(set) var counters = WorkerPoolStatus()
    private let runningLimit: Int
    private let waitingLimit: Int

    init(processes: Int, spares: Int, queueLimit: Int) {
        // Cannot trap: the settings bound both numbers.
        supervisors = Array(repeating: .starting, count: processes + spares)
        // Cannot trap: as above.
        hasGreeted = Array(repeating: false, count: processes + spares)
        // Cannot trap: as above.
        self.processes = Array(repeating: nil, count: processes + spares)
        // Cannot trap: as above.
        loans = Array(repeating: 0, count: processes + spares)
        runningLimit = processes
        waitingLimit = queueLimit
    }

    // MARK: Callers

    /// The caller settles refused tickets.
    mutating func submit(_ ticket: JobTicket<Job>) -> Submission {
        if isClosing { return .refused(.unavailable("shutting down")) }
        if isHopeless { return .refused(.unavailable(startFailure)) }
        let willWait = ready.isEmpty || running >= runningLimit
        if willWait, waiting.count >= waitingLimit { return .refused(.overloaded) }
        if ready.isEmpty, running < runningLimit { counters.waits += 1 }
        // A job that was cancelled before it got here is not queued, because nothing would take it out.
        if !ticket.isSettled { waiting.append(ticket) }
        return .accepted
    }

    /// Removes the job of a caller that has gone.
    ///
    /// - Returns: the supervisor that has the job; nil if none has it.
    mutating func withdraw(_ ticket: JobTicket<Job>) -> Int? {
        waiting.removeAll { $0 === ticket }
        return supervisors.firstIndex { if case .busy(_, let busy) = $0 { busy === ticket } else { false } }
    }

    /// Gives waiting jobs to ready supervisors, first come, first served, except that long jobs leave one process
    /// to the others. The caller must wake the returned supervisors.
    mutating func assign() -> [Assignment] {
        var assignments: [Assignment] = []
        while running < runningLimit, !ready.isEmpty, let next = waiting.firstIndex(where: mayRun),
            let supervisor = ready.popLast(), case .ready(let socket) = supervisors[supervisor]
        {
            // Cannot trap: `next` is the index of a ticket.
            let ticket = waiting.remove(at: next)
            occupy(supervisor, socket, ticket)
            assignments.append(Assignment(ticket: ticket, supervisor: supervisor, socket: socket))
        }
        return assignments
    }

    private func mayRun(_ ticket: JobTicket<Job>) -> Bool {
        ticket.job.length != .long || runningLong < max(1, runningLimit - 1)
    }

    private mutating func occupy(_ supervisor: Int, _ socket: WireSocket, _ ticket: JobTicket<Job>) {
        ticket.assign(to: socket)
        supervisors[supervisor] = .busy(socket, ticket)
        running += 1
        if ticket.job.length == .long { runningLong += 1 }
    }

    /// A ready process for a caller that sends the job itself, without the supervisor. Nil if no process is ready or others
    /// wait. Nil now and then also because the supervisor has to check its process; the caller then has to `submit` the job.
    mutating func lend(_ ticket: JobTicket<Job>) -> Assignment? {
        guard !isClosing, waiting.isEmpty, running < runningLimit, let supervisor = ready.last,
            loans[supervisor] < Self.loanLimit, case .ready(let socket) = supervisors[supervisor]
        else { return nil }
        _ = ready.popLast()
        loans[supervisor] += 1
        occupy(supervisor, socket, ticket)
        return Assignment(ticket: ticket, supervisor: supervisor, socket: socket)
    }

    /// The number of jobs after which the supervisor gets its turn. A process's allowance of processor time
    /// covers this many short jobs.
    private static var loanLimit: Int { 500 }

    /// Begins the supervisor's own turn.
    ///
    /// - Returns: the number of jobs that its process did for callers since the last turn.
    mutating func takeLoans(of supervisor: Int) -> Int {
        defer { loans[supervisor] = 0 }
        return loans[supervisor]
    }

    // MARK: Supervisors

    func duty(of supervisor: Int) -> Supervisor<Job>.Duty {
        if case .busy(_, let ticket) = supervisors[supervisor] { return .serve(ticket) }
        if isClosing { return .leave }
        return engine.isOutdated(supervisor) ? .replace : .wait(loans: loans[supervisor])
    }

    /// Records the engine of a supervisor's process that is not ready yet.
    ///
    /// - Parameter generation: the number of the process's zygote.
    /// - Returns: the engine that this one replaces, nil for none; and the supervisors to wake, because their process has a
    ///   former engine and no job, and has to be replaced.
    mutating func takeEngine(
        _ name: String, of generation: Int, by supervisor: Int
    ) -> (former: String?, idle: [Int]) {
        let former = engine.former(to: name, of: generation)
        let others = supervisors.indices.filter { $0 != supervisor && supervisors[$0].isServing }
        engine.take(name, of: generation, by: supervisor, others: others)
        let idle = ready.filter { engine.isOutdated($0) }
        for outdated in idle { becomeReplaceable(outdated) }
        return (former, idle)
    }

    /// Records the handshake of a process whose engine was recorded before. A process with a former engine takes no job, and
    /// is replaced.
    mutating func handshake(
        _ supervisor: Int, _ handshake: WireHandshake, over socket: WireSocket, memory: ProcessMemory? = nil
    ) {
        processes[supervisor] = (handshake.process, memory)
        counters.measures = handshake.jail.count
        counters.missingMeasures = handshake.jailMissing.count
        if hasGreeted[supervisor] { counters.restarts += 1 }
        hasGreeted[supervisor] = true
        loans[supervisor] = 0
        enter(.ready(socket), supervisor)
        if engine.isOutdated(supervisor) { becomeReplaceable(supervisor) }
    }

    private mutating func becomeReplaceable(_ supervisor: Int) {
        counters.recycled += 1
        enter(.starting, supervisor)
    }

    /// - Returns: tickets to settle, because there is no process that they could wait for.
    mutating func failed(_ supervisor: Int, _ words: String, isFailedStart: Bool) -> [JobTicket<Job>] {
        if isFailedStart { counters.failedStarts += 1 }
        startFailure = words
        enter(.failing, supervisor)
        guard isHopeless else { return [] }
        defer { waiting.removeAll() }
        return waiting
    }

    /// Records that the process died idle. A job that it may have been given meanwhile goes back to the head
    /// of the queue.
    mutating func diedIdle(_ supervisor: Int) {
        counters.idleDeaths += 1
        giveBack(supervisor)
    }

    /// Records that the process ended with its job for this reason, which is not the job's fault; another
    /// process may have the job.
    mutating func lostInnocent(_ supervisor: Int, _ reason: DecoderEvent.Reason) {
        counters.count(reason)
        giveBack(supervisor)
    }

    private mutating func giveBack(_ supervisor: Int) {
        takeBack(from: supervisor)
        enter(.starting, supervisor)
    }

    private mutating func takeBack(from supervisor: Int) {
        guard case .busy(_, let ticket) = supervisors[supervisor], !ticket.isSettled else { return }
        waiting.insert(ticket, at: 0)
    }

    /// Records an answer. True if the process may be replaced now; it is then no longer ready. An old process is
    /// replaced only while all others are ready or busy, so one at a time, and no job notices. A spent process, or one
    /// with a former engine, is replaced at once.
    mutating func answered(_ supervisor: Int, _ age: ProcessAge, _ memory: JobMemory?) -> Bool {
        counters.answered += 1
        if let memory { counters.count(memory) }
        becomeReady(supervisor)
        if engine.isOutdated(supervisor) { return true }
        switch age {
        case .young: return false
        case .old: guard supervisors.allSatisfy(\.isServing) else { return false }
        case .spent: break
        }
        counters.recycled += 1
        enter(.starting, supervisor)
        return true
    }

    /// Records that the job was given up before the process saw it.
    mutating func skipped(_ supervisor: Int) { becomeReady(supervisor) }

    private mutating func becomeReady(_ supervisor: Int) {
        guard case .busy(let socket, _) = supervisors[supervisor] else { return }
        if engine.isOutdated(supervisor) { return becomeReplaceable(supervisor) }
        enter(.ready(socket), supervisor)
    }

    /// Records that the process ended with its job, for this reason.
    mutating func lost(_ supervisor: Int, _ reason: DecoderEvent.Reason) {
        counters.count(reason)
        enter(.starting, supervisor)
    }

    // MARK: Closing

    /// - Returns: tickets to settle.
    mutating func close() -> [JobTicket<Job>] {
        isClosing = true
        defer { waiting.removeAll() }
        return waiting
    }

    /// - Returns: whether this was the last supervisor; and tickets to settle, of jobs that went back to the queue
    ///   meanwhile and that no supervisor is left for.
    mutating func ended(_ supervisor: Int) -> (isLast: Bool, stranded: [JobTicket<Job>]) {
        // The job may have been given to the supervisor while it was about to leave.
        takeBack(from: supervisor)
        enter(.ended, supervisor)
        guard hasEnded else { return (false, []) }
        defer { waiting.removeAll() }
        return (true, waiting)
    }

    private mutating func enter(_ state: Supervision, _ supervisor: Int) {
        if case .busy(_, let ticket) = supervisors[supervisor] {
            running -= 1
            if ticket.job.length == .long { runningLong -= 1 }
        }
        ready.removeAll { $0 == supervisor }
        supervisors[supervisor] = state
        if case .ready = state { ready.append(supervisor) }
    }
}
