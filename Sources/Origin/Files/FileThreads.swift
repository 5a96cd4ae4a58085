// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Kernel
internal import Synchronization

/// Threads for the calls that block on one folder's file system. Each folder has threads of its own, so that one that hangs does
/// not block others.
///
/// Each job belongs to a fetch, and fetches have permits. But a fetch may end before its job begins, at its deadline or because its
/// clients have left. Such jobs are dropped each time the queue has doubled, so that they do not pile up while a file system hangs.
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
        /// When the queue reaches this length, jobs whose fetches are over are dropped.
        var sweepAt = FileThreads.smallestSweep
        var isClosed = false

        mutating func append(_ queued: Queued) {
            jobs.append(queued)
            guard jobs.count >= sweepAt else { return }
            jobs = ArraySlice(jobs.filter { !$0.isOver() })
            sweepAt = max(FileThreads.smallestSweep, 2 * jobs.count)
        }
    }

    /// A queue shorter than this is not swept.
    static let smallestSweep = 64

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let count: Int

    /// The usual number of threads: two requests can wait for a disk while two copy. More threads would only queue at the disk.
    static let usual = 4

    /// Runs work on a new thread, or throws.
    typealias Spawn = (_ work: @escaping Job) throws(SystemError) -> Void

    /// - Throws: if a thread cannot be started; those that were started end.
    static func start(
        _ count: Int = usual,
        spawn: Spawn = { work throws(SystemError) in
            // The threads are never joined, because one that hangs would block the end of the process.
            try WorkerThread("files", work).detach()
        }
    ) throws(SystemError) -> FileThreads {
        let threads = FileThreads(count)
        do throws(SystemError) {
            for _ in 0..<count { try spawn { while let job = threads.next() { job() } } }
        } catch {
            // The next fetch tries again. The threads that run would otherwise never end.
            threads.close()
            throw error
        }
        return threads
    }

    private init(_ count: Int) { self.count = count }

    /// The number of waiting jobs.
    var waiting: Int { state.withLock { $0.jobs.count } }

    /// Queues a job; false after `close`, when the job does not run.
    /// - Parameter isOver: true once nobody needs the job, so that it can be dropped. It must not block.
    func run(unless isOver: @escaping @Sendable () -> Bool = { false }, _ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.append(Queued(isOver: isOver, job: job)) }
            return !state.isClosed
        }
        if isTaken { arrived.signal() }
        return isTaken
    }

    /// Ends the threads after the jobs that are queued.
    func close() {
        state.withLock { $0.isClosed = true }
        for _ in 0..<count { arrived.signal() }
    }

    /// The next job; nil once the queue is closed and empty.
    private func next() -> Job? {
        while true {
            arrived.wait()
            let (job, isClosed) = state.withLock { ($0.jobs.popFirst()?.job, $0.isClosed) }
            // A dropped job has woken a thread as well, so the queue may be empty here.
            if job != nil || isClosed { return job }
        }
    }
}
