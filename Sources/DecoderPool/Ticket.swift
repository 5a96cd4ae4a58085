// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ImageModel
internal import Kernel
internal import Synchronization

/// One job on its way through the pool, and the caller that waits for it.
///
/// **Isolation:** the caller's side in a `Mutex`; settled once, whoever comes first.
final class Ticket: Sendable {
    typealias Answer = Result<Rendered, DecoderFailure>

    private struct Caller {
        var continuation: CheckedContinuation<Answer, Never>?
        var answer: Answer?
        var hasHadSecondChance = false
    }

    let id: UInt64
    let job: DecoderJob
    private let caller = Mutex(Caller())

    init(id: UInt64, job: DecoderJob) {
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

    /// True once, while somebody waits: the job may be given to another process, as if none had seen it.
    func takeSecondChance() -> Bool {
        let isFirst = caller.withLock { caller in
            guard caller.answer == nil, !caller.hasHadSecondChance else { return false }
            caller.hasHadSecondChance = true
            return true
        }
        return isFirst && ftruncate(job.output.raw, 0) == 0 && lseek(job.output.raw, 0, SEEK_SET) == 0
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
