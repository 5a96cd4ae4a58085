// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// A thread pool for calls that block on the disk, so that neither the event loops nor Swift's own pool (a
/// thread per core) ever block.
///
/// The queue has no limit of its own, because each job belongs to a request, and the number of requests is limited.
///
/// A system call cannot be cancelled. If one hangs, its thread stays in it and is not replaced, so the number of threads is
/// limited. But callers stop waiting for it (`giveUp`), and nothing is queued behind it until `goOn`.
///
/// **Isolation:** a `Monitor` guards the state.
final class DiskThreads: Sendable {
    private struct Job: Sendable {
        /// The caller that can be answered without a result; nil if the job must not be given up.
        let answer: (any DiskWaiter)?
        let work: @Sendable () -> Void
    }

    /// A thread, and its present call.
    private struct Place: Sendable {
        var watch = CallWatch()
        var answer: (any DiskWaiter)?

        mutating func begin(_ answer: (any DiskWaiter)?) {
            watch.begin()
            self.answer = answer
        }

        mutating func end() {
            watch.end()
            answer = nil
        }
    }

    private struct State: Sendable {
        var jobs = FIFOQueue<Job>()
        var places: [Place]
        var isAway = false
        var isClosed = false
    }

    private let monitor: Monitor<State>
    private let threads: [WorkerThread]

    /// Runs work on a new thread of this name, or throws.
    typealias Spawn =
        (_ name: String, _ work: @escaping @Sendable () -> Void) throws(SystemError) -> WorkerThread

    /// - Throws: if a thread cannot be started; those that were started end.
    init(
        count: Int, name: String = "disk",
        spawn: Spawn = { name, work throws(SystemError) in try WorkerThread(name, work) }
    ) throws(SystemError) {
        let count = max(1, count)
        // Cannot trap: `count` is at least 1.
        let monitor = Monitor(State(places: Array(repeating: Place(), count: count)))
        self.monitor = monitor
        var threads: [WorkerThread] = []
        do throws(SystemError) {
            for place in 0..<count {
                threads.append(try spawn(name) { while let work = Self.next(monitor, place) { work() } })
            }
        } catch {
            // The cache tries to open again and again, and these threads would otherwise never end.
            Self.end(threads, of: monitor)
            throw error
        }
        self.threads = threads
    }

    /// Runs a blocking call; nil if the caller was freed from waiting for it.
    /// - Parameter late: gets a result that comes after that, on the thread that made the call.
    func call<Result: Sendable>(
        _ work: @escaping @Sendable () -> Result, late: @escaping @Sendable (Result) -> Void
    ) async -> Result? {
        await withCheckedContinuation { continuation in
            let answer = DiskAnswer<Result>(continuation)
            run(answer) {
                let result = work()
                if !answer.give(result) { late(result) }
            }
        }
    }

    /// Queues a job that must be done, for a pool that is never given up. After `close` it runs at once on the calling thread,
    /// so that no caller waits for ever.
    func run(_ work: @escaping @Sendable () -> Void) { run(nil, work) }

    private func run(_ answer: (any DiskWaiter)?, _ work: @escaping @Sendable () -> Void) {
        enum Fate { case queued, givenUp, alone }
        let fate: Fate = monitor.withLock { state in
            if state.isAway { return .givenUp }
            if state.isClosed { return .alone }
            state.jobs.append(Job(answer: answer, work: work))
            return .queued
        }
        switch fate {
        case .queued: monitor.wakeOne()
        case .givenUp: answer?.giveUp()
        case .alone: work()
        }
    }

    // MARK: A disk that hangs

    /// Milliseconds that the longest of the present calls has lasted, as far as the looks at it show.
    /// - Parameter now: milliseconds of a clock that never goes back.
    func longestCall(at now: Int) -> Int {
        monitor.withLock { state in
            state.places.indices.reduce(0) { longest, place in
                max(longest, state.places[place].watch.look(at: now))
            }
        }
    }

    /// Frees callers from waiting: those of queued calls, of calls that had lasted so many milliseconds at the last look, and
    /// until `goOn` those of all new calls.
    func giveUp(callsOf milliseconds: Int) {
        let (waiting, begun) = monitor.withLock { state in
            state.isAway = true
            let begun = state.places.filter { $0.watch.lasting >= milliseconds }.compactMap(\.answer)
            return (state.jobs.popAll(), begun)
        }
        for job in waiting { job.answer?.giveUp() }
        for answer in begun { answer.giveUp() }
    }

    /// Accepts calls again.
    func goOn() { monitor.withLock { $0.isAway = false } }

    // MARK: The end

    /// Ends the threads. Returns once all queued jobs are done.
    func close() { Self.end(threads, of: monitor) }

    private static func end(_ threads: [WorkerThread], of monitor: Monitor<State>) {
        monitor.withLock { $0.isClosed = true }
        monitor.wakeAll()
        for thread in threads { thread.join() }
    }

    /// The next job of a thread, which has finished its last one; nil at the end.
    private static func next(_ monitor: Monitor<State>, _ place: Int) -> (@Sendable () -> Void)? {
        monitor.wait { state -> (@Sendable () -> Void)?? in
            state.places[place].end()
            if let job = state.jobs.popFirst() {
                state.places[place].begin(job.answer)
                return .some(job.work)
            }
            return state.isClosed ? .some(nil) : nil
        }
    }
}
