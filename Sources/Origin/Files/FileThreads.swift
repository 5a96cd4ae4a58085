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
