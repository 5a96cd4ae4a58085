// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol

/// The state of the supervisors and of the waiting jobs. It decides; the pool acts on its decisions.
///
/// Every process has a supervisor, known by its index. There are more supervisors than jobs may run at a
/// time. So there is always a spare: a ready process that takes the next job when another has died or is
/// being recycled. Ready supervisors are a stack, so that the spare is always the one that was used least.
struct PoolState<Job: WorkerJob> {
    /// A job that has found its process.
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
    /// Where the memory of each process can be read; nil where it is not measured.
    private(set) var processes: [(id: Int32, memory: ProcessMemory?)?]
    private var ready: [Int] = []
    private(set) var waiting: [JobTicket<Job>] = []
    private(set) var running = 0
    /// Long jobs among those that run.
    private var runningLong = 0
    /// Jobs that each process has done for callers since its supervisor last gave it one.
    private var loans: [Int]
    private var startFailure = ""
    private(set) var counters = DecoderPoolStatus()
    private let runningLimit: Int
    private let waitingLimit: Int

    init(processes: Int, spares: Int, queueLimit: Int) {
        // Cannot trap: the settings bound both.
        supervisors = Array(repeating: .starting, count: processes + spares)
        // Cannot trap: as many.
        hasGreeted = Array(repeating: false, count: processes + spares)
        // Cannot trap: as many.
        self.processes = Array(repeating: nil, count: processes + spares)
        // Cannot trap: as many.
        loans = Array(repeating: 0, count: processes + spares)
        runningLimit = processes
        waitingLimit = queueLimit
    }

    // MARK: Callers

    /// Refused tickets are the caller's to settle.
    mutating func submit(_ ticket: JobTicket<Job>) -> Submission {
        if isClosing { return .refused(.unavailable("shutting down")) }
        if isHopeless { return .refused(.unavailable(startFailure)) }
        let willWait = ready.isEmpty || running >= runningLimit
        if willWait, waiting.count >= waitingLimit { return .refused(.overloaded) }
        if ready.isEmpty, running < runningLimit { counters.waits += 1 }
        // Cancelled before it was here: nothing would ever take it out.
        if !ticket.isSettled { waiting.append(ticket) }
        return .accepted
    }

    /// The caller has gone.
    ///
    /// - Returns: the supervisor that has the job; nil if none has it.
    mutating func withdraw(_ ticket: JobTicket<Job>) -> Int? {
        waiting.removeAll { $0 === ticket }
        return supervisors.firstIndex { if case .busy(_, let busy) = $0 { busy === ticket } else { false } }
    }

    /// Gives waiting jobs to ready supervisors, first come first served, save that long jobs leave a process to the
    /// others. The supervisors of those that come back are to be woken.
    mutating func assign() -> [Assignment] {
        var assignments: [Assignment] = []
        while running < runningLimit, !ready.isEmpty, let next = waiting.firstIndex(where: mayRun),
            let supervisor = ready.popLast(), case .ready(let socket) = supervisors[supervisor]
        {
            // Cannot trap: it is the index of a ticket.
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

    /// A ready process for a caller that sends the job without the supervisor; nil where there is none, or where others wait.
    /// Also nil now and then, because the supervisor has to have a look at its process: the caller is to `submit`.
    mutating func lend(_ ticket: JobTicket<Job>) -> Assignment? {
        guard !isClosing, waiting.isEmpty, running < runningLimit, let supervisor = ready.last,
            loans[supervisor] < Self.loanLimit, case .ready(let socket) = supervisors[supervisor]
        else { return nil }
        _ = ready.popLast()
        loans[supervisor] += 1
        occupy(supervisor, socket, ticket)
        return Assignment(ticket: ticket, supervisor: supervisor, socket: socket)
    }

    /// A process may use so much processor time that as many short jobs fit in.
    private static var loanLimit: Int { 500 }

    /// The supervisor's own turn.
    ///
    /// - Returns: the number of jobs that its process did for callers meanwhile.
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

    /// Its process has named its engine, and is not ready yet.
    ///
    /// - Parameter generation: of its zygote.
    /// - Returns: the engine that this one replaces, nil for none; and supervisors to wake, because their process has a former
    ///   engine and no job, and is to be replaced.
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

    /// Its process has sent its handshake, and its engine was taken. With a former one it takes no job, and is to be replaced.
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

    /// - Returns: tickets to settle, because there is no process to wait for.
    mutating func failed(_ supervisor: Int, _ words: String, isFailedStart: Bool) -> [JobTicket<Job>] {
        if isFailedStart { counters.failedStarts += 1 }
        startFailure = words
        enter(.failing, supervisor)
        guard isHopeless else { return [] }
        defer { waiting.removeAll() }
        return waiting
    }

    /// The process is gone, and the job it may have been given meanwhile goes back to the head of the queue.
    mutating func diedIdle(_ supervisor: Int) {
        counters.idleDeaths += 1
        giveBack(supervisor)
    }

    /// The process ended with its job, for this reason, but not for the job's: another process may have it.
    mutating func lostInnocent(_ supervisor: Int, _ reason: DecoderEvent.Reason) {
        count(reason)
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

    /// Returns true if the process may be replaced now; it is then no longer ready. That happens
    /// to one process at a time, and only while all others are ready or at work, so that no job notices; but at once to
    /// one that is spent, or whose engine is a former one.
    mutating func answered(_ supervisor: Int, _ age: ProcessAge, _ memory: JobMemory?) -> Bool {
        counters.answered += 1
        if let memory { count(memory) }
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

    private mutating func count(_ memory: JobMemory) {
        counters.priced += memory.price
        counters.peaks += memory.peak
        if memory.peak > memory.price { counters.pricesExceeded += 1 }
    }

    /// The job was given up before the process saw it.
    mutating func skipped(_ supervisor: Int) { becomeReady(supervisor) }

    private mutating func becomeReady(_ supervisor: Int) {
        guard case .busy(let socket, _) = supervisors[supervisor] else { return }
        if engine.isOutdated(supervisor) { return becomeReplaceable(supervisor) }
        enter(.ready(socket), supervisor)
    }

    /// The process ended with its job, for this reason.
    mutating func lost(_ supervisor: Int, _ reason: DecoderEvent.Reason) {
        count(reason)
        enter(.starting, supervisor)
    }

    private mutating func count(_ reason: DecoderEvent.Reason) {
        switch reason {
        case .crashed: counters.crashes += 1
        case .killed: counters.kills += 1
        case .forbidden: counters.forbidden += 1
        case .timedOut, .heldUp: counters.timeouts += 1
        case .abandoned: counters.abandoned += 1
        case .unfit: counters.recycled += 1
        case .unasked, .idleDeath, .recycled, .shutDown: break
        }
    }

    // MARK: Closing

    /// - Returns: tickets to settle.
    mutating func close() -> [JobTicket<Job>] {
        isClosing = true
        defer { waiting.removeAll() }
        return waiting
    }

    /// - Returns: whether this was the last one; and tickets to settle, of jobs that went back to the queue meanwhile
    ///   and that nobody is left for.
    mutating func ended(_ supervisor: Int) -> (isLast: Bool, stranded: [JobTicket<Job>]) {
        // Given to it while it was about to leave.
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
