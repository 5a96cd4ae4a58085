// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel

/// Keeps one worker process alive and gives it jobs.
///
/// **Isolation:** immutable; `run` is the whole life of its thread.
struct Supervisor<Job: WorkerJob>: Sendable {
    /// The next task of the supervisor.
    enum Duty {
        case serve(JobTicket<Job>)
        /// Nothing, while its process has no job. `loans` is the number of jobs that the process has done for callers.
        case wait(loans: Int)
        /// The process has a former engine.
        case replace
        case leave
    }

    private struct StartFailure: Error {
        let words: String
        /// Required measures of the jail that are not available; trying again would not help.
        var lacks: [String] = []
    }

    let index: Int
    let wakeup: Wakeup
    let pool: WorkerPool<Job>

    func run() {
        var restarts = Restarts()
        while !pool.isClosing {
            do throws(StartFailure) {
                serve(try start(), &restarts)
            } catch {
                // The start was given up because the pool closes; nothing has failed.
                if pool.isClosing { break }
                let pause = restarts.pauseAfterFailure()
                pool.report(.cannotStart(error.words, retryIn: pause))
                if !error.lacks.isEmpty { pool.jailLacks(error.lacks) }
                pool.supervisorFailed(index, error.words, isFailedStart: true)
                sleep(pause)
            }
        }
        pool.supervisorEnded(index)
        // This thread may be the parent of other supervisors' processes, also in other pools.
        pool.zygote.awaitEnd()
    }

    // MARK: Starting

    /// Starts a process and waits for its handshake.
    private func start() throws(StartFailure) -> WorkerProcess {
        let settings = pool.settings
        var process: WorkerProcess
        do throws(Zygote.Failure) {
            // The deadline counts from this supervisor's turn, because another may be launching a zygote.
            process = try WorkerProcess(
                settings.kind, of: pool.zygote, measuresMemory: settings.measuresMemory, say: pool.report
            ) {
                !pool.isClosing
            } hasInput: {
                hasInput($0, until: SuspendingClock.now.advanced(by: settings.startDeadline))
            }
        } catch {
            switch error {
            case .system(let error): throw StartFailure(words: "\(pool.zygote.executable): \(error)")
            case .lost(_, let end):
                throw StartFailure(words: "no handshake from \(pool.zygote.executable): \(end)")
            }
        }
        guard let handshake = handshake(of: &process) else {
            // The zygote's other forks might fail in the same way.
            pool.zygote.retire(process.generation)
            let end = process.kill(grace: settings.shutdownGrace)
            throw StartFailure(words: "no handshake from \(pool.zygote.executable): \(end)")
        }
        guard handshake.jailLacks.isEmpty else {
            _ = process.kill(grace: settings.shutdownGrace)
            throw StartFailure(
                words: "the jail is required and lacks \(handshake.jailLacks.joined(separator: ", "))",
                lacks: handshake.jailLacks)
        }
        process.engine = handshake.engine
        pool.report(.started(handshake))
        pool.supervisorIsReady(
            index, handshake, of: process.generation, over: process.socket, memory: process.memory)
        return process
    }

    /// Waits for input; false if none comes in time, or if the pool is closing.
    private func hasInput(_ socket: WireSocket, until deadline: SuspendingClock.Instant) -> Bool {
        while !pool.isClosing {
            if socket.awaitInput(or: wakeup, milliseconds: deadline.pollTimeout) != 0 { return true }
            wakeup.clear()
            if SuspendingClock.now >= deadline { return false }
        }
        return false
    }

    /// Nil if no handshake comes in time, if another message comes, or if the pool is closing.
    private func handshake(of process: inout WorkerProcess) -> WireHandshake? {
        let deadline = SuspendingClock.now.advanced(by: pool.settings.startDeadline)
        while true {
            switch process.wait(for: wakeup, until: deadline) {
            case .woken where !pool.isClosing: continue
            case .woken, .expired: return nil
            case .readable:
                guard case .message(let bytes, _)? = try? process.socket.receive(),
                    let handshake = WireHandshake(bytes), handshake.process == process.id
                else { return nil }
                return handshake
            }
        }
    }

    /// Ends early if the pool closes.
    private func sleep(_ pause: Duration) {
        let end = SuspendingClock.now.advanced(by: pause)
        while !pool.isClosing, SuspendingClock.now < end {
            wakeup.wait(milliseconds: end.pollTimeout)
        }
    }

    // MARK: Serving

    /// Gives jobs to the process until it has ended.
    private func serve(_ process: consuming WorkerProcess, _ restarts: inout Restarts) {
        var served = 0
        var idle = IdleTime()
        let engine = process.engine
        while true {
            switch pool.duty(of: index) {
            case .serve(let ticket) where ticket.job.engine.map({ $0 != engine }) ?? false:
                // The job was keyed before the engine changed, and has not begun.
                pool.change { $0.skipped(index) }
                ticket.settle(.failure(.otherEngine))
            case .serve(let ticket):
                let loans = pool.takeLoans(of: index)
                idle.end(at: process.processorTime, lent: loans)
                served += loans
                switch JobExchange(ticket, pool: pool, wakeup: wakeup).run(&process) {
                case .answered(.failure(.refused(let refusal)), _)
                where refusal.isOfProcess && ticket.takeSecondChance():
                    return lostInnocent(process, .unfit)
                case .answered(let answer, let memory):
                    served += 1
                    restarts.recordSuccess()
                    let age = process.age(served: served, pool.settings)
                    let mayGo = pool.change { $0.answered(index, age, memory) }
                    ticket.settle(answer)
                    if mayGo { return retire(process, .recycled) }
                case .skipped(let answer):
                    pool.change { $0.skipped(index) }
                    ticket.settle(answer)
                case .elsewhere:
                    usleep(100)
                case .unseen:
                    return diedIdle(process, &restarts, hasServed: served > 0)
                case .lost(let loss):
                    restarts.recordSuccess()
                    // The lost job may be one of the loans.
                    return lost(process, ticket, loss, after: loans > 1)
                }
            case .wait(let loans):
                let used = process.processorTime
                // If a job was lent before the reading, the reading may include its time.
                let wasIdle = if case .wait(loans: loans) = pool.duty(of: index) { true } else { false }
                idle.look(at: wasIdle ? used : nil, lent: loans)
                if idle.isSpent {
                    let hasServed = served + pool.takeLoans(of: index) > 0
                    return diedIdle(process, &restarts, hasServed: hasServed, .unasked)
                }
                let next = SuspendingClock.now.advanced(by: pool.settings.idleLook)
                guard case .readable = process.wait(for: wakeup, until: next, answers: false) else {
                    continue
                }
                // The input may belong to a job that was lent to a caller.
                if case .serve = pool.duty(of: index) { continue }
                return diedIdle(process, &restarts, hasServed: served + pool.takeLoans(of: index) > 0)
            case .replace: return retire(process, .recycled)
            case .leave: return retire(process, .shutDown)
            }
        }
    }

    private func retire(_ process: consuming WorkerProcess, _ reason: DecoderEvent.Reason) {
        let id = process.id
        pool.report(.ended(process: id, process.retire(grace: pool.settings.shutdownGrace), reason))
    }

    /// - Parameter others: whether the process did earlier jobs within the same allowance of processor time.
    private func lost(
        _ process: consuming WorkerProcess, _ ticket: JobTicket<Job>, _ loss: ExchangeLoss, after others: Bool
    ) {
        let (id, generation) = (process.id, process.generation)
        let end = process.kill(grace: pool.settings.shutdownGrace)
        let reason = loss.reason(end)
        pool.zygote.lost(generation, reason)
        let mayPass = Job.hangsAreForgiven && loss.mayPass(end, after: others)
        if loss.isInnocent(end) ? ticket.survivesKill() : mayPass && ticket.takeSecondChance() {
            pool.change { $0.lostInnocent(index, reason) }
        } else {
            pool.change { $0.lost(index, reason) }
            ticket.settle(.failure(loss.failure(end)))
        }
        pool.report(.ended(process: id, end, reason))
    }

    private func lostInnocent(_ process: consuming WorkerProcess, _ reason: DecoderEvent.Reason) {
        let (id, generation) = (process.id, process.generation)
        let end = process.kill(grace: pool.settings.shutdownGrace)
        pool.zygote.lost(generation, reason)
        pool.change { $0.lostInnocent(index, reason) }
        pool.report(.ended(process: id, end, reason))
    }

    /// - Parameter reason: other than `idleDeath` if the process lives.
    private func diedIdle(
        _ process: consuming WorkerProcess, _ restarts: inout Restarts, hasServed: Bool,
        _ reason: DecoderEvent.Reason = .idleDeath
    ) {
        pool.change { $0.diedIdle(index) }
        let (id, generation) = (process.id, process.generation)
        let end = process.kill(grace: pool.settings.shutdownGrace)
        pool.zygote.lost(generation, end.isOwnDoing ? .crashed : reason)
        pool.report(.ended(process: id, end, reason))
        let pause = hasServed ? .zero : restarts.pauseAfterFailure()
        guard pause > .zero else { return }
        pool.supervisorFailed(index, "processes die without a job", isFailedStart: false)
        sleep(pause)
    }
}

extension WorkerProcess {
    fileprivate borrowing func age(served: Int, _ settings: WorkerPoolSettings) -> ProcessAge {
        if let reading, reading.mapped > settings.spentAbove { return .spent }
        let isOld = served >= settings.recycleAfter || (reading?.resident ?? 0) > settings.recycleAbove
        return isOld ? .old : .young
    }
}
