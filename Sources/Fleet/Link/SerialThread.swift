// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Pipeline
internal import Synchronization

/// A thread for calls that block on small files, one after the other.
///
/// A call that hangs cannot be cancelled, and delays the calls behind it; `giveUp` frees their callers from waiting.
///
/// **Isolation:** a `Mutex` guards the queue.
final class SerialThread: Sendable {
    private struct Job: Sendable {
        /// Does the work. Returns a closure that passes the result to the caller.
        let work: @Sendable () -> @Sendable () -> Void
        /// Tells the caller not to wait any longer.
        let giveUp: @Sendable () -> Void
    }

    private struct State {
        var queue: [Job] = []
        /// The job that the thread is running.
        var current: Job?
        /// True if the running job was given up.
        var isCaught = false
        var isClosing = false

        mutating func take() -> Job? {
            current = queue.first
            queue = Array(queue.dropFirst())
            isCaught = false
            return current
        }

        /// Must be called before the job's caller gets its answer: otherwise a later `giveUp` could count this job as caught.
        mutating func returned() { (current, isCaught) = (nil, false) }
    }

    private let state = Mutex(State())
    private let wakeup: Wakeup
    private let thread = Mutex<WorkerThread?>(nil)

    init(_ name: String) throws(SystemError) {
        wakeup = try Wakeup()
        let started = try WorkerThread(name) { [self] in run() }
        thread.withLock { $0 = started }
    }

    /// Runs `work` on the thread; after `close`, on the caller's own.
    /// - Returns: the result; nil if the job was given up. The work is still done later in that case.
    func perform<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
        let answer = OneShot<Result?>()
        let job = Job(
            work: {
                let result = work()
                return { answer.settle(result) }
            }, giveUp: { answer.settle(nil) })
        let (isQueued, isCaught) = state.withLock { state in
            if !state.isClosing { state.queue.append(job) }
            return (!state.isClosing, state.isCaught)
        }
        if isQueued { wakeup.signal() } else { job.work()() }
        if isCaught { job.giveUp() }
        return await answer.value()
    }

    /// Frees the callers of the running job, of the jobs behind it, and of the jobs that come before the running one returns.
    /// Does nothing if no job is running. Does not wait.
    func giveUp() {
        let jobs = state.withLock { state -> [Job] in
            guard let current = state.current else { return [] }
            state.isCaught = true
            return [current] + state.queue
        }
        for job in jobs { job.giveUp() }
    }

    /// Does all queued work, then ends the thread. Blocks.
    func close() {
        state.withLock { $0.isClosing = true }
        wakeup.signal()
        thread.withLock { $0.take() }?.join()
    }

    private func run() {
        while true {
            let (job, isOver) = state.withLock { ($0.take(), $0.isClosing) }
            if let job {
                let answer = job.work()
                state.withLock { $0.returned() }
                answer()
            } else if isOver {
                return
            } else {
                wakeup.wait(microseconds: 60_000_000)
            }
        }
    }
}
