// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Glibc
internal import ImageModel
internal import Kernel

/// One job's way to a process and back.
///
/// **Isolation:** immutable; runs on the keeper's thread.
struct Exchange {
    enum End {
        /// The process is ready for the next job. What this one took is told where the kernel tells it.
        case answered(Ticket.Answer, JobMemory?)
        /// The process was not bothered.
        case skipped(Ticket.Answer)
        /// The process died before it had read the job: not the job's fault, and another may have it.
        case unseen
        /// The process is of no further use.
        case lost(Loss)
    }

    enum Loss {
        case vanished, nonsense, timedOut, abandoned, shutDown
    }

    private let ticket: Ticket
    private let pool: DecoderPool
    private let wakeup: Wakeup

    init(_ ticket: Ticket, pool: DecoderPool, wakeup: Wakeup) {
        self.ticket = ticket
        self.pool = pool
        self.wakeup = wakeup
    }

    func run(_ process: inout DecoderProcess) -> End {
        if ticket.isSettled { return .skipped(.failure(.cancelled)) }
        process.renewWords()
        let held = process.memory.restartPeak() ? process.memory.reading?.resident : nil
        process.allowProcessorTime(ticket.job.deadline * pool.settings.processorTime)
        do throws(SystemError) {
            var descriptors = [try ticket.job.input.reopenedForReading(), ticket.job.output]
            if let watermark = ticket.job.watermark {
                descriptors.append(try watermark.input.reopenedForReading())
            }
            do throws(SystemError) {
                try process.socket.send(message.encoded, descriptors: descriptors)
            } catch {
                // EPIPE or ECONNRESET: the process has died, and its keeper is about to hear of it.
                return .unseen
            }
        } catch {
            return .skipped(.failure(.unavailable("\(error)")))
        }
        return wait(process: &process, held: held)
    }

    private var message: WireJob {
        let job = ticket.job
        return WireJob(
            id: ticket.id, header: job.header, recipe: job.recipe.canonical, defaults: pool.settings.encoders,
            inputLength: job.inputLength, outputLimit: min(job.outputLimit, pool.settings.fileSize),
            pixelLimit: job.pixelLimit, damaged: pool.settings.damaged,
            watermark: job.watermark.map { .init(header: $0.header, inputLength: $0.length) })
    }

    private func wait(process: inout DecoderProcess, held: Int?) -> End {
        var limit = (moment: SuspendingClock.now.advanced(by: ticket.job.deadline), loss: Loss.timedOut)
        var hasHurried = false
        while true {
            // Asked before each sleep and not upon a wake-up: one wake-up may stand for several reasons.
            if !hasHurried, let hurry {
                hasHurried = true
                let moment = SuspendingClock.now.advanced(by: hurry.grace)
                if moment < limit.moment { limit = (moment, hurry.loss) }
            }
            switch process.wait(for: wakeup, until: limit.moment) {
            case .readable: return receive(from: process, held: held)
            case .expired: return .lost(limit.loss)
            case .woken: continue
            }
        }
    }

    /// Why the job should end soon, and how soon.
    private var hurry: (loss: Loss, grace: Duration)? {
        if ticket.isSettled { return (.abandoned, pool.settings.cancelGrace) }
        if pool.isClosing { return (.shutDown, pool.settings.shutdownGrace) }
        return nil
    }

    private func receive(from process: borrowing DecoderProcess, held: Int?) -> End {
        do throws(SystemError) {
            switch try process.socket.receive() {
            case .message(let bytes, _):
                guard let reply = WireReply(bytes), reply.id == ticket.id, isPlausible(reply) else {
                    return .lost(.nonsense)
                }
                return .answered(
                    reply.outcome.mapError { .refused($0) }, taken(by: process, held: held))
            case .closed: return .lost(.vanished)
            // unix(7) has it as ECONNRESET: the other end was closed while our job lay there unread.
            case .closedUnread: return .unseen
            case .oversized: return .lost(.nonsense)
            }
        } catch {
            return .lost(.vanished)
        }
    }

    /// - Parameter held: resident bytes when the process was given the job; nil where they are not known.
    private func taken(by process: borrowing DecoderProcess, held: Int?) -> JobMemory? {
        guard let held, let peak = process.memory.reading?.peak else { return nil }
        let job = ticket.job
        // A decoder maps the whole of what it reads.
        let mapped = job.inputLength + (job.watermark?.length ?? 0)
        let memory = JobMemory(price: job.price, peak: max(0, peak - held - mapped))
        pool.report(.measured(process: process.id, memory, of: job.header, job.recipe))
        return memory
    }

    /// A picture has at least the bytes that the process claims, and not more than were allowed.
    private func isPlausible(_ reply: WireReply) -> Bool {
        guard case .success(let result) = reply.outcome else { return true }
        var status = stat()
        guard fstat(ticket.job.output.raw, &status) == 0 else { return false }
        return result.length <= ticket.job.outputLimit && result.length <= Int(status.st_size)
    }
}

extension Exchange.Loss {
    /// - Parameter end: of the process; tells of the job only where we did not kill it ourselves.
    func reason(_ end: ProcessEnd) -> DecoderEvent.Reason {
        switch self {
        case .vanished where end == .killed(signal: SIGSYS): .forbidden
        case .vanished where end == .killed(signal: SIGXCPU): .timedOut
        case .vanished, .nonsense: .crashed
        case .timedOut: .timedOut
        case .abandoned: .abandoned
        case .shutDown: .shutDown
        }
    }

    /// Killed from outside: by the kernel, which was out of memory, or by hand. The jail's own limits kill by other
    /// signals.
    func isInnocent(_ end: ProcessEnd) -> Bool {
        switch self {
        case .vanished: end == .killed(signal: SIGKILL)
        case .nonsense, .timedOut, .abandoned, .shutDown: false
        }
    }

    func failure(_ end: ProcessEnd) -> DecoderFailure {
        switch self {
        case .vanished where end == .killed(signal: SIGXCPU): .timedOut
        case .vanished:
            if case .killed(let signal) = end { .crashed(signal: signal) } else { .crashed(signal: nil) }
        case .nonsense: .crashed(signal: nil)
        case .timedOut: .timedOut
        case .abandoned: .cancelled
        case .shutDown: .unavailable("shutting down")
        }
    }
}

extension OwnedDescriptor {
    /// The same file, opened once more: with an offset of its own, because jobs that share an original would move
    /// each other's, and without the right to write that this descriptor may have.
    fileprivate func reopenedForReading() throws(SystemError) -> OwnedDescriptor {
        let reopened = open("/proc/self/fd/\(raw)", O_RDONLY | O_CLOEXEC)
        guard reopened >= 0 else { throw .last("open") }
        return OwnedDescriptor(adopting: reopened)
    }
}
