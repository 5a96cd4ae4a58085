// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel

/// One job's way to a process and back.
///
/// **Isolation:** immutable; runs on the supervisor's thread.
struct JobExchange<Job: WorkerJob> {
    enum End {
        /// The process is ready for the next job. The memory that this one took comes with it where the kernel tells it.
        case answered(JobTicket<Job>.Answer, JobMemory?)
        /// The process was not bothered.
        case skipped(JobTicket<Job>.Answer)
        /// The caller has the answer, and is about to say so.
        case elsewhere
        /// The process died before it had read the job: not the job's fault, and another may have it.
        case unseen
        /// The process is of no further use.
        case lost(ExchangeLoss)
    }

    private let ticket: JobTicket<Job>
    private let pool: WorkerPool<Job>
    private let wakeup: Wakeup

    init(_ ticket: JobTicket<Job>, pool: WorkerPool<Job>, wakeup: Wakeup) {
        self.ticket = ticket
        self.pool = pool
        self.wakeup = wakeup
    }

    func run(_ process: inout WorkerProcess) -> End {
        let job = ticket.job
        process.renewWords()
        let held = job.account == nil ? nil : process.holdPeak()
        let used = process.processorTime
        process.allowProcessorTime(job.deadline * pool.settings.processorTime)
        process.allowMemory(job.account?.most)
        switch ticket.send(over: process.socket, pool.settings) {
        case .sent: break
        case .unreachable: return .unseen
        case .failed(let error): return .skipped(.failure(.unavailable("\(error)")))
        case .needless: return .skipped(.failure(.cancelled))
        case .answered: return .elsewhere
        case .nonsense: return .lost(.nonsense)
        }
        let end = wait(process: &process, held: held)
        if case .lost(.timedOut) = end, process.wasHeldUp(since: used, for: job.deadline) {
            return .lost(.heldUp)
        }
        return end
    }

    private func wait(process: inout WorkerProcess, held: Int?) -> End {
        var limit = (moment: ticket.begin(), loss: ExchangeLoss.timedOut)
        var hasHurried = false
        while true {
            // Asked before each sleep and not upon a wake-up: one wake-up may stand for several reasons.
            if !hasHurried, let hurry {
                hasHurried = true
                let moment = SuspendingClock.now.advanced(by: hurry.grace)
                if moment < limit.moment { limit = (moment, hurry.loss) }
            }
            switch process.wait(for: wakeup, until: limit.moment) {
            case .readable: return receive(from: &process, held: held)
            case .expired: return .lost(limit.loss)
            case .woken: continue
            }
        }
    }

    /// Why the job should end soon, and how soon.
    private var hurry: (loss: ExchangeLoss, grace: Duration)? {
        if ticket.isSettled { return (.abandoned, pool.settings.cancelGrace) }
        if pool.isClosing { return (.shutDown, pool.settings.shutdownGrace) }
        return nil
    }

    private func receive(from process: inout WorkerProcess, held: Int?) -> End {
        do throws(SystemError) {
            switch try process.socket.receive(limit: Job.longestAnswer) {
            case .message(let bytes, _):
                guard let answer = ticket.read(bytes) else { return .lost(.nonsense) }
                return .answered(answer, taken(by: &process, held: held))
            // The kernel closes the socket of a process that ends. A process that closes it and lives on has done that itself.
            case .closed:
                return .lost(process.hasEnded(within: pool.settings.shutdownGrace) ? .vanished : .nonsense)
            // unix(7) has it as ECONNRESET: the other end was closed while our job lay there unread.
            case .closedUnread: return .unseen
            case .oversized: return .lost(.nonsense)
            }
        } catch {
            return .lost(.vanished)
        }
    }

    /// - Parameter held: resident bytes when the process was given the job; nil where they are not known.
    private func taken(by process: inout WorkerProcess, held: Int?) -> JobMemory? {
        process.readMemory()
        guard let held, let account = ticket.job.account, let peak = process.reading?.peak else { return nil }
        let memory = JobMemory(price: account.price, peak: max(0, peak - held - account.mapped))
        pool.report(account.event(process.id, memory))
        return memory
    }
}

/// How a job and its process parted without an answer.
enum ExchangeLoss {
    case vanished, nonsense, timedOut, abandoned, shutDown
    /// Out of time, because the machine gave the process none.
    case heldUp
}

extension ExchangeLoss {
    /// - Parameter end: of the process; tells of the job only where we did not kill it ourselves.
    func reason(_ end: ProcessEnd) -> DecoderEvent.Reason {
        switch self {
        case .vanished where end == .killed(signal: SIGSYS): .forbidden
        case .vanished where end == .killed(signal: SIGXCPU): .timedOut
        case .vanished where !end.isOwnDoing: .killed
        case .vanished, .nonsense: .crashed
        case .timedOut where end == .unknown: .heldUp
        case .timedOut: .timedOut
        case .heldUp: .heldUp
        case .abandoned: .abandoned
        case .shutDown: .shutDown
        }
    }

    /// The process was killed from outside: by the kernel, which was out of memory, or by hand.
    func isInnocent(_ end: ProcessEnd) -> Bool {
        switch self {
        case .vanished: !end.isOwnDoing
        case .nonsense, .timedOut, .heldUp, .abandoned, .shutDown: false
        }
    }

    /// Whether the next process may do better, where that is granted once.
    ///
    /// - Parameter others: whether the process did jobs before this one on the same allowance of processor time.
    func mayPass(_ end: ProcessEnd, after others: Bool) -> Bool {
        switch self {
        case .timedOut, .heldUp: true
        case .vanished: others && end == .killed(signal: SIGXCPU)
        case .nonsense, .abandoned, .shutDown: false
        }
    }

    func failure(_ end: ProcessEnd) -> DecoderFailure {
        switch self {
        case .vanished where end == .killed(signal: SIGXCPU): .timedOut
        case .vanished where !end.isOwnDoing: .killed
        case .vanished:
            if case .killed(let signal) = end { .crashed(signal: signal) } else { .crashed(signal: nil) }
        case .nonsense: .crashed(signal: nil)
        // Killed, it lives on: a call to the disk keeps it. The picture is not to blame.
        case .timedOut where end == .unknown, .heldUp where end == .unknown:
            .refused(.cannotWrite("the process does not end, as when a hanging disk holds it"))
        case .timedOut: .timedOut
        case .heldUp: .overloaded
        case .abandoned: .cancelled
        case .shutDown: .unavailable("shutting down")
        }
    }
}

extension ProcessEnd {
    /// Signals that the kernel sends a process for what it did itself (signal(7)), its jail's limits among
    /// them. One of these that is sent by hand counts as the picture's fault.
    private static let ownSignals: Set<Int32> = [
        SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU, SIGXFSZ,
    ]

    /// False for SIGKILL by the kernel that is out of memory, SIGTERM by an operator, and an unknown end.
    var isOwnDoing: Bool {
        switch self {
        case .exited: true
        case .killed(let signal): Self.ownSignals.contains(signal)
        case .unknown: false
        }
    }
}
