// SPDX-License-Identifier: Apache-2.0

internal import DecoderProtocol
internal import Kernel

/// The exchange of one job with a process.
///
/// **Isolation:** immutable; runs on the supervisor's thread.
struct JobExchange<Job: WorkerJob> {
    enum End {
        /// The process answered, and is ready for the next job. The memory that this job took is included if the kernel
        /// tells it.
        case answered(JobTicket<Job>.Answer, JobMemory?)
        /// The job was settled without the process.
        case skipped(JobTicket<Job>.Answer)
        /// The caller has received the answer on its own thread, and will report it.
        case elsewhere
        /// The process died before it read the job, so the job is not the cause, and another process may have
        /// it.
        case unseen
        /// The process cannot be used any more.
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
        var use = ProcessorUse(from: process.processorTime)
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
        let end = wait(process: &process, held: held, &use)
        guard case .lost(.timedOut) = end, wasHeldUp(process, use) else { return end }
        return .lost(.heldUp)
    }

    private func wasHeldUp(_ process: borrowing WorkerProcess, _ use: ProcessorUse) -> Bool {
        let deadline = ticket.job.deadline
        // Shorter waits for a processor are usual, and shorter deadlines were not meant to be met.
        guard deadline >= .milliseconds(100) else { return false }
        return use.wasWithheld(
            at: process.processorTime, promised: pool.settings.promisedTime(until: deadline),
            firstCouldRun: process.firstCouldRun)
    }

    private func wait(process: inout WorkerProcess, held: Int?, _ use: inout ProcessorUse) -> End {
        var limit = (moment: ticket.begin(), loss: ExchangeLoss.timedOut)
        // Nil once it is over.
        var look: SuspendingClock.Instant? = limit.moment.advanced(
            by: Duration.zero - ticket.job.deadline / ProcessorUse.lastPart)
        var hasHurried = false
        while true {
            // Checked before each sleep and not only after a wake-up, because one wake-up may have several
            // reasons.
            if !hasHurried, let hurry {
                hasHurried = true
                let moment = SuspendingClock.now.advanced(by: hurry.grace)
                if moment < limit.moment { limit = (moment, hurry.loss) }
            }
            switch process.wait(for: wakeup, until: min(look ?? limit.moment, limit.moment)) {
            case .readable: return receive(from: &process, held: held)
            case .expired where look != nil && SuspendingClock.now < limit.moment:
                look = nil
                use.look(at: process.processorTime)
            case .expired: return .lost(limit.loss)
            case .woken: continue
            }
        }
    }

    /// Why the job should end soon, and the time that it still has.
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
            // The kernel closes the socket of a process that ends. A process that lives on has closed the socket itself.
            case .closed:
                return .lost(process.hasEnded(within: pool.settings.shutdownGrace) ? .vanished : .nonsense)
            // unix(7): ECONNRESET means that the other end was closed while our message was unread.
            case .closedUnread: return .unseen
            case .oversized: return .lost(.nonsense)
            }
        } catch {
            return .lost(.vanished)
        }
    }

    /// - Parameter held: resident bytes when the process received the job; nil if unknown.
    private func taken(by process: inout WorkerProcess, held: Int?) -> JobMemory? {
        process.readMemory()
        guard let held, let account = ticket.job.account, let peak = process.reading?.peak else { return nil }
        let memory = JobMemory(price: account.price, peak: max(0, peak - held - account.mapped))
        pool.report(account.event(process.id, memory))
        return memory
    }
}
