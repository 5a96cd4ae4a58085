// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One job on its way through the pool, and the caller that waits for it.
///
/// **Isolation:** the caller's side and what the job has been through in a `Mutex`; settled once, whoever
/// comes first.
final class Ticket<Job: WorkerJob>: Sendable {
    typealias Answer = Result<Job.Output, DecoderFailure>

    private struct Caller {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
        var hasHadSecondChance = false
        /// Processes that were killed from outside while they had the job.
        var kills = 0
        /// When its time is up; nil: no process has it, or has had it.
        var end: SuspendingClock.Instant?
    }

    let id: UInt64
    let job: Job
    private let caller = Mutex(Caller())

    init(id: UInt64, job: Job) {
        self.id = id
        self.job = job
    }

    /// True from the moment the caller has its answer: nobody waits any more.
    var isSettled: Bool { caller.withLock { $0.answer != nil } }

    func await(_ continuation: CheckedContinuation<Answer, Never>) {
        let early = caller.withLock { caller -> Answer? in
            if caller.answer == nil { caller.continuation = continuation }
            return caller.answer
        }
        if let early { continuation.resume(returning: early) }
    }

    /// A process has the job now. What comes back is when its time is up.
    func begin() -> SuspendingClock.Instant {
        caller.withLock { caller in
            let end = caller.end ?? SuspendingClock.now.advanced(by: job.deadline)
            caller.end = end
            return end
        }
    }

    /// True once, while somebody waits: the job may be given to another process, as if none had seen it.
    func takeSecondChance() -> Bool {
        let isFirst = caller.withLock { caller in
            guard caller.answer == nil, !caller.hasHadSecondChance else { return false }
            caller.hasHadSecondChance = true
            caller.end = nil
            return true
        }
        return isFirst && job.restart()
    }

    /// The process was killed, and not for the job. True while somebody waits, the job's time is not up,
    /// and killing has not become the rule: another process may have it, for what is left of its time.
    func survivesKill() -> Bool {
        let survives = caller.withLock { caller in
            caller.kills += 1
            return caller.answer == nil && caller.kills < JobKills.most
                && caller.end.map { SuspendingClock.now < $0 } ?? true
        }
        return survives && job.restart()
    }

    func settle(_ answer: Answer) {
        let waiting = caller.withLock { caller -> CheckedContinuation<Answer, Never>? in
            guard caller.answer == nil else { return nil }
            caller.answer = answer
            defer { caller.continuation = nil }
            return caller.continuation
        }
        waiting?.resume(returning: answer)
    }
}

/// How often a job may lose its process to somebody else's signal.
enum JobKills {
    /// Where one job in ten loses its process (a machine out of memory, an operator who shoots at
    /// decoders), one in a hundred thousand comes this far; a picture that brings the kernel's killer upon
    /// its decoder each time ends here.
    static let most = 5
}
