// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A thread pool for calls that block on the disk, so that neither the event loops nor Swift's own pool (a
/// thread per core) ever block.
///
/// The queue has no limit of its own: each job belongs to a request, and requests are admitted before.
///
/// **Isolation:** a `Monitor`.
final class DiskThreads: Sendable {
    private struct State: Sendable {
        var jobs: [(@Sendable () -> Void)?] = []
        var next = 0
        var isClosed = false

        mutating func take() -> (@Sendable () -> Void)? {
            guard next < jobs.count else { return nil }
            let job = jobs[next].take()
            next += 1
            if next == jobs.count {
                jobs.removeAll(keepingCapacity: next <= 1_024)
                next = 0
            }
            return job
        }
    }

    private let monitor: Monitor<State>
    private let threads: [WorkerThread]

    /// Runs work on a thread of this name, or throws.
    typealias Spawn =
        (_ name: String, _ work: @escaping @Sendable () -> Void) throws(SystemError) -> WorkerThread

    /// - Throws: if a thread cannot be started; then none is left.
    init(
        count: Int, name: String = "disk",
        spawn: Spawn = { name, work throws(SystemError) in try WorkerThread(name, work) }
    ) throws(SystemError) {
        let monitor = Monitor(State())
        self.monitor = monitor
        var threads: [WorkerThread] = []
        do throws(SystemError) {
            for _ in 0..<max(1, count) {
                threads.append(try spawn(name) { while let job = Self.next(monitor) { job() } })
            }
        } catch {
            // The cache is opened anew again and again, and nobody would end these.
            Self.end(threads, of: monitor)
            throw error
        }
        self.threads = threads
    }

    /// Queues a job. After `close` it runs at once on the calling thread, so that no caller waits for ever.
    func run(_ job: @escaping @Sendable () -> Void) {
        let isTaken = monitor.withLock { state in
            if !state.isClosed { state.jobs.append(job) }
            return !state.isClosed
        }
        if isTaken { monitor.wakeOne() } else { job() }
    }

    /// Returns once all queued jobs are done.
    func close() { Self.end(threads, of: monitor) }

    private static func end(_ threads: [WorkerThread], of monitor: Monitor<State>) {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
        for thread in threads { thread.join() }
    }

    private static func next(_ monitor: Monitor<State>) -> (@Sendable () -> Void)? {
        monitor.wait { state -> (@Sendable () -> Void)?? in
            if let job = state.take() { return .some(job) }
            return state.isClosed ? .some(nil) : nil
        }
    }
}
