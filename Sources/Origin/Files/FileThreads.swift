// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Kernel
internal import Synchronization

/// Threads for the calls that block on one folder's file system. Each folder has its own, so that one that hangs holds
/// up no other.
///
/// Each job belongs to a fetch, and fetches have permits. But a fetch may end before its job begins, at its deadline or because its
/// clients have left. Such jobs are dropped each time the queue has doubled, so that a file system that hangs does not gather them.
///
/// **Isolation:** a `Mutex` guards the queue.
final class FileThreads: Sendable {
    typealias Job = @Sendable () -> Void

    private struct Queued {
        let isOver: @Sendable () -> Bool
        let job: Job
    }

    private struct State {
        var jobs: ArraySlice<Queued> = []
        /// Jobs at which those that are over are dropped.
        var sweepAt = FileThreads.smallestSweep
        var isClosed = false

        mutating func append(_ queued: Queued) {
            jobs.append(queued)
            guard jobs.count >= sweepAt else { return }
            jobs = ArraySlice(jobs.filter { !$0.isOver() })
            sweepAt = max(FileThreads.smallestSweep, 2 * jobs.count)
        }
    }

    /// Jobs below which none are dropped.
    static let smallestSweep = 64

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let count: Int

    /// Two requests in four wait for a disk while two copy; more would only queue at the disk.
    static let usual = 4

    /// Runs work on a thread of its own, or throws.
    typealias Spawn = (_ work: @escaping Job) throws(SystemError) -> Void

    /// - Throws: if a thread cannot be started; then none is left.
    static func start(
        _ count: Int = usual,
        spawn: Spawn = { work throws(SystemError) in
            // Never joined: one that hangs in a call would hold up the end of the process.
            try WorkerThread("files", work).detach()
        }
    ) throws(SystemError) -> FileThreads {
        let threads = FileThreads(count)
        do throws(SystemError) {
            for _ in 0..<count { try spawn { while let job = threads.next() { job() } } }
        } catch {
            // It is tried again at the next fetch, and nobody would end these.
            threads.close()
            throw error
        }
        return threads
    }

    private init(_ count: Int) { self.count = count }

    /// Jobs that wait.
    var waiting: Int { state.withLock { $0.jobs.count } }

    /// False after `close`; the job does not run then.
    /// - Parameter isOver: true once nobody wants the job any more, which need not run then. It must not block.
    func run(unless isOver: @escaping @Sendable () -> Bool = { false }, _ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.append(Queued(isOver: isOver, job: job)) }
            return !state.isClosed
        }
        if isTaken { arrived.signal() }
        return isTaken
    }

    /// Lets the threads end after the jobs that are queued.
    func close() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<count { arrived.signal() }
    }

    /// Nil once the queue is closed and empty.
    private func next() -> Job? {
        while true {
            arrived.wait()
            let (job, isClosed) = state.withLock { ($0.jobs.popFirst()?.job, $0.isClosed) }
            // Those that were dropped have woken a thread as well.
            if job != nil || isClosed { return job }
        }
    }
}
