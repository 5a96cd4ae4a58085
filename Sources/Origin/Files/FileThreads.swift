// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Kernel
internal import Synchronization

/// Threads for the calls that block on one folder's file system. Each folder has its own, so that one that hangs holds
/// up no other.
///
/// The queue has no limit of its own: each job belongs to a fetch, and fetches have permits.
///
/// **Isolation:** a `Mutex` guards the queue.
final class FileThreads: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: ArraySlice<Job> = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let arrived = DispatchSemaphore(value: 0)
    private let count: Int

    /// Two requests in four wait for a disk while two copy; more would only queue at the disk.
    static let usual = 4

    /// - Throws: if no thread can be started.
    static func start(_ count: Int = usual) throws(SystemError) -> FileThreads {
        let threads = FileThreads(count)
        for _ in 0..<count {
            // Never joined: one that hangs in a call would hold up the end of the process.
            try WorkerThread("files") { while let job = threads.next() { job() } }.detach()
        }
        return threads
    }

    private init(_ count: Int) { self.count = count }

    /// False after `close`; the job does not run then.
    func run(_ job: @escaping Job) -> Bool {
        let isTaken = state.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
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

    private func next() -> Job? {
        arrived.wait()
        return state.withLock { $0.jobs.popFirst() }
    }
}
