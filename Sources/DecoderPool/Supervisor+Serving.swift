// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import DecoderProtocol
internal import Glibc
internal import Kernel

/// What a process has done since its start.
private struct Service {
    /// Jobs, including those that it was lent for.
    var served = 0
    var idle = IdleTime()
}

/// Why a process is given up, and another one started in its place.
private enum Departure<Job: WorkerJob> {
    case retired(DecoderEvent.Reason)
    /// It refused an innocent job.
    case unfit
    /// It ended, or was found at work, without a job.
    case idle(DecoderEvent.Reason, hasServed: Bool)
    /// It ended with a job. `others`: whether it did earlier jobs within the same allowance of processor time.
    case lost(JobTicket<Job>, ExchangeLoss, after: Bool)
}

extension Supervisor {
    /// Gives jobs to the process until it has ended.
    func serve(_ process: consuming WorkerProcess, _ restarts: inout Restarts) {
        var service = Service()
        while true {
            let departure: Departure<Job>? =
                switch pool.duty(of: index) {
                case .serve(let ticket): give(ticket, to: &process, &service, &restarts)
                case .wait(let loans): wait(loans, for: &process, &service)
                case .replace: .retired(.recycled)
                case .leave: .retired(.shutDown)
                }
            switch departure {
            case nil: continue
            case .retired(let reason): return retire(process, reason)
            case .unfit: return lostInnocent(process, .unfit)
            case .idle(let reason, let hasServed):
                return diedIdle(process, &restarts, hasServed: hasServed, reason)
            case .lost(let ticket, let loss, let others): return lost(process, ticket, loss, after: others)
            }
        }
    }

    // MARK: A job

    private func give(
        _ ticket: JobTicket<Job>, to process: inout WorkerProcess, _ service: inout Service,
        _ restarts: inout Restarts
    ) -> Departure<Job>? {
        if let engine = ticket.job.engine, engine != process.engine {
            // The job was keyed before the engine changed, and has not begun.
            pool.change { $0.skipped(index) }
            ticket.settle(.failure(.otherEngine))
            return nil
        }
        let loans = pool.takeLoans(of: index)
        service.idle.end(at: process.processorTime, lent: loans)
        service.served += loans
        switch JobExchange(ticket, pool: pool, wakeup: wakeup).run(&process) {
        case .answered(.failure(.refused(let refusal)), _)
        where refusal.isOfProcess && ticket.takeSecondChance():
            return .unfit
        case .answered(let answer, let memory):
            service.served += 1
            restarts.recordSuccess()
            let age = process.age(served: service.served, pool.settings)
            let mayGo = pool.change { $0.answered(index, age, memory) }
            ticket.settle(answer)
            return mayGo ? .retired(.recycled) : nil
        case .skipped(let answer):
            pool.change { $0.skipped(index) }
            ticket.settle(answer)
            return nil
        case .elsewhere:
            usleep(100)
            return nil
        case .unseen: return .idle(.idleDeath, hasServed: service.served > 0)
        case .lost(let loss):
            restarts.recordSuccess()
            // The lost job may be one of the loans.
            return .lost(ticket, loss, after: loans > 1)
        }
    }

    // MARK: No job

    /// - Parameter loans: the number of jobs that the process has done for callers.
    private func wait(
        _ loans: Int, for process: inout WorkerProcess, _ service: inout Service
    ) -> Departure<Job>? {
        let used = process.processorTime
        // If a job was lent before the reading, the reading may include its time.
        let wasIdle = if case .wait(loans: loans) = pool.duty(of: index) { true } else { false }
        service.idle.look(at: wasIdle ? used : nil, lent: loans)
        if service.idle.isSpent {
            let hasServed = service.served + pool.takeLoans(of: index) > 0
            return .idle(.unasked, hasServed: hasServed)
        }
        let next = SuspendingClock.now.advanced(by: pool.settings.idleLook)
        guard case .readable = process.wait(for: wakeup, until: next, answers: false) else { return nil }
        // The input may belong to a job that was lent to a caller.
        if case .serve = pool.duty(of: index) { return nil }
        return .idle(.idleDeath, hasServed: service.served + pool.takeLoans(of: index) > 0)
    }

    // MARK: The end of a process

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
        _ reason: DecoderEvent.Reason
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
