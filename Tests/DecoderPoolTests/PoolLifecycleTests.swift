// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import Kernel
import Recipes
import Testing

@Suite(.timeLimit(.minutes(2))) struct PoolLifecycleTests {
    @Test func `a job cancelled while it waits never starts`() async throws {
        let pool = try await startPool { $0.processes = 1 }
        let held = try job(.hold)
        let busy = Task { try await pool.run(held) }
        #expect(await eventually { hasBegun(held) })
        let given = try job(.answer)
        let waiting = Task { try await pool.run(given) }
        #expect(await eventually { pool.status.waiting == 1 })
        waiting.cancel()
        #expect(await waiting.result == .failure(.cancelled))
        #expect(pool.status.waiting == 0)
        release(held)
        _ = try await busy.value
        _ = try await pool.run(job(.answer))
        #expect(contents(of: given.output).isEmpty)
        #expect(pool.status.answered == 2)
        await pool.shutDown()
    }

    @Test func `a job of a task that was cancelled before it came is not begun`() async throws {
        let pool = try await startPool()
        let given = try job(.answer)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await pool.run(given)
        }
        #expect(await task.result == .failure(.cancelled))
        await pool.shutDown()
        #expect(pool.status.answered == 0)
        #expect(contents(of: given.output).isEmpty)
    }

    @Test func `a running job that nobody waits for is answered at once, and killed if it would go on`()
        async throws
    {
        let pool = try await startPool()
        let given = try job(.hang)
        let running = Task { try await pool.run(given) }
        #expect(await eventually { hasBegun(given) })
        running.cancel()
        #expect(await running.result == .failure(.cancelled))
        #expect(await eventually { pool.status.abandoned == 1 && pool.status.busy == 0 })
        _ = try await pool.run(job(.answer))
        await pool.shutDown()
    }

    @Test func `a running job that nobody waits for may end, and its process lives on`() async throws {
        let pool = try await startPool { $0.cancelGrace = .seconds(20) }
        let given = try job(.hold)
        let running = Task { try await pool.run(given) }
        #expect(await eventually { hasBegun(given) })
        running.cancel()
        #expect(await running.result == .failure(.cancelled))
        release(given)
        #expect(await eventually { pool.status.answered == 1 && pool.status.busy == 0 })
        #expect(pool.status.abandoned == 0)
        await pool.shutDown()
    }

    @Test func `a process is replaced after its number of jobs, and no job notices`() async throws {
        let pool = try await startPool { $0.recycleAfter = 10 }
        for round in 1...5 {
            #expect(await eventually { pool.status.processes == 3 })
            for _ in 0..<10 { _ = try await pool.run(job(.answer)) }
            #expect(pool.status.recycled == round)
        }
        #expect(pool.status.answered == 50)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test func `processes that are replaced after every job keep no job waiting`() async throws {
        let pool = try await startPool { $0.recycleAfter = 1 }
        #expect(await eventually { pool.status.processes == 3 })
        let jobs = try await withThrowingTaskGroup { group in
            for _ in 0..<2 {
                group.addTask {
                    var jobs = 0
                    // Until two were recycled, because no process is replaced while another is being started.
                    while jobs < 50 || pool.status.recycled < 2 {
                        _ = try await pool.run(job(.answer))
                        jobs += 1
                    }
                    return jobs
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(pool.status.answered == jobs)
        #expect(pool.status.waits == 0)
        await pool.shutDown()
    }

    @Test func `a process that has grown too large is replaced`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) { $0.recycleAbove = 1 }
        #expect(await eventually { pool.status.processes == 3 })
        _ = try await pool.run(job(.answer))
        #expect(pool.status.recycled == 1)
        await pool.shutDown()
        #expect(events.ends(.recycled) == [.exited(0)])
    }

    @Test func `what a job took is told with its price, and counted`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        for behaviour in [Behaviour.answer, .refuse] { _ = try? await pool.run(job(behaviour)) }
        await pool.shutDown()
        let memories = events.memories
        #expect(memories.map(\.price) == [1_000, 1_000])
        #expect(pool.status.priced == 2_000)
        #expect(pool.status.peaks == memories.map(\.peak).reduce(0, +))
        #expect(pool.status.pricesExceeded == memories.count { $0.peak > 1_000 })
    }

    @Test func `shutting down leaves no process, and none has to be killed`() async throws {
        let events = Events()
        let pool = try await startPool(report: events)
        #expect(await eventually { pool.status.processes == 3 })
        await pool.shutDown()
        #expect(events.ends(.shutDown) == [.exited(0), .exited(0), .exited(0)])
        // Neither alive nor a zombie: the kernel does not know these processes.
        for process in events.processes { #expect(kill(process, 0) == -1) }
        await #expect(throws: DecoderFailure.unavailable("shutting down")) {
            try await pool.run(job(.answer))
        }
    }

    @Test func `a process that does not leave when the pool shuts down is killed`() async throws {
        let events = Events()
        let pool = try await startPool(["stay-when-closed"], report: events) {
            $0.shutdownGrace = .milliseconds(100)
        }
        #expect(await eventually { pool.status.processes == 3 })
        await pool.shutDown()
        #expect(
            events.ends(.shutDown) == [
                .killed(signal: SIGKILL), .killed(signal: SIGKILL), .killed(signal: SIGKILL),
            ])
        for process in events.processes { #expect(kill(process, 0) == -1) }
    }

    @Test func `shutting down lets a running job end`() async throws {
        let pool = try await startPool { $0.shutdownGrace = .seconds(20) }
        let given = try job(.hold)
        let running = Task { try await pool.run(given) }
        #expect(await eventually { hasBegun(given) })
        let closing = Task { await pool.shutDown() }
        #expect(await eventually { pool.status.processes == 1 })
        release(given)
        #expect(try await running.value.length == 8)
        await closing.value
    }

    @Test func `shutting down does not let a running job go on for ever`() async throws {
        let pool = try await startPool { $0.shutdownGrace = .milliseconds(100) }
        let given = try job(.hang)
        let running = Task { try await pool.run(given) }
        #expect(await eventually { hasBegun(given) })
        await pool.shutDown()
        #expect(await running.result == .failure(.unavailable("shutting down")))
    }

    @Test func `a job whose process is killed while the pool shuts down is answered`() async throws {
        let events = Events()
        let pool = try await startPool(report: events) { $0.processes = 1 }
        let given = try job(.hold)
        let running = Task { try await pool.run(given) }
        #expect(await eventually { hasBegun(given) })
        let closing = Task { await pool.shutDown() }
        // The spare has left, so no process can take the job over.
        #expect(await eventually { pool.status.processes == 1 })
        let busy = try #require(pool.workers.first { $0.state == .busy }?.process)
        #expect(kill(busy, SIGKILL) == 0)
        #expect(await running.result == .failure(.unavailable("shutting down")))
        await closing.value
        #expect(pool.status.waiting == 0)
    }

    @Test func `a job that comes back to a process about to leave is not lost`() throws {
        var state = PoolState<DecoderJob>(processes: 2, spares: 0, queueLimit: 2)
        let socket = try WireSocket.pair().0
        for supervisor in 0..<2 {
            state.handshake(supervisor, WireHandshake(engine: "", process: 1, jail: []), over: socket)
        }
        _ = try state.submit(JobTicket(id: 7, job: job(.answer)))
        var given = state.assign()
        let first = try #require(given.first).supervisor
        let waiting = state.close()
        #expect(waiting.isEmpty)
        // The other process has been told to leave, and counts as ready until it has left.
        state.lostInnocent(first, .killed)
        given = state.assign()
        let second = try #require(given.first).supervisor
        #expect(second != first)
        let afterOne = state.ended(second)
        #expect(!afterOne.isLast && afterOne.stranded.isEmpty)
        let afterBoth = state.ended(first)
        #expect(afterBoth.isLast)
        #expect(afterBoth.stranded.map(\.id) == [7])
    }

    @Test func `a pool whose program is not there does not open`() async throws {
        await #expect(throws: DecoderFailure.self) {
            var program = WorkerProgram()
            program.executable = "/nowhere/pictor"
            _ = try await startPool(of: Zygote(program))
        }
    }

    @Test(arguments: ["leave-before-handshake", "never-handshake"])
    func `a pool whose processes send no handshake does not open`(word: String) async throws {
        let events = Events()
        await #expect(throws: DecoderFailure.self) {
            _ = try await startPool([word], report: events) { $0.startDeadline = .milliseconds(50) }
        }
        #expect(events.failedStarts >= 3)
    }

    @Test func `processes that die idle again and again are started ever more slowly`() async throws {
        let start = SuspendingClock.now
        let pool = try await startPool(["leave-after-handshake"])
        #expect(await eventually { pool.status.idleDeaths >= 10 })
        // Of ten deaths in three places, one place has at least four: the start, an immediate one, and those
        // after 100 and 200 ms.
        #expect(SuspendingClock.now - start >= .milliseconds(300))
        await pool.shutDown()
    }

    @Test func `the first replacement comes at once, and the pauses double up to ten seconds`() {
        var restarts = Restarts()
        #expect(restarts.pauseAfterFailure() == .zero)
        #expect(
            (0..<3).map { _ in restarts.pauseAfterFailure() } == [
                .milliseconds(100), .milliseconds(200), .milliseconds(400),
            ])
        for _ in 0..<100 { _ = restarts.pauseAfterFailure() }
        #expect(restarts.pauseAfterFailure() == .seconds(10))
        restarts.recordSuccess()
        #expect(restarts.pauseAfterFailure() == .zero)
    }
}

extension Result where Success == Rendered, Failure == any Error {
    /// Compares failures; a success never equals anything here.
    static func == (a: Self, b: Result<Rendered, DecoderFailure>) -> Bool {
        guard case .failure(let error as DecoderFailure) = a, case .failure(let wanted) = b else {
            return false
        }
        return error == wanted
    }
}
