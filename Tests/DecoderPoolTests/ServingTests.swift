// SPDX-License-Identifier: Apache-2.0

import ImageModel
import Kernel
import Synchronization
import Testing

@testable import DecoderPool

@Suite struct ServingTests {
    @Test func `a job's result comes back and its bytes are in the output`() async throws {
        let pool = try await startPool()
        let job = try job(.answer, input: "some bytes")
        let result = try await pool.run(job)
        #expect(result.format == .jpeg)
        #expect(result.length == 10)
        #expect(result.decoding == 11)
        #expect(result.encoding == 22)
        #expect(contents(of: job.output) == "some bytes")
        await pool.shutDown()
    }

    @Test func `the engine that renditions are keyed by is the one that the first process named`()
        async throws
    {
        let started = try await startedDouble()
        #expect(started.engine == "double 1")
        await started.pool.shutDown()
    }

    @Test func `a refusal comes back with its words`() async throws {
        let pool = try await startPool()
        await #expect(throws: DecoderFailure.refused(.damaged("bad bytes"))) {
            try await pool.run(job(.refuse))
        }
        #expect(pool.status.answered == 1)
        #expect(pool.status.crashes == 0)
        await pool.shutDown()
    }

    @Test func `jobs run at the same time, each on a process of its own, and no more than the pool has`()
        async throws
    {
        let pool = try await startPool { $0.processes = 3 }
        let most = Atomic(0)
        let processes = try await withThrowingTaskGroup { group in
            for _ in 0..<9 {
                group.addTask { try await pool.run(job(.nap, 100)).width }
            }
            group.addTask {
                // Samples until the naps are over; what it returns is no process.
                for _ in 0..<400 where pool.status.answered < 9 {
                    most.store(max(most.load(ordering: .relaxed), pool.status.busy), ordering: .relaxed)
                    try await Task.sleep(for: .milliseconds(5))
                }
                return 0
            }
            return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
        }
        #expect(processes.count >= 4)
        #expect(most.load(ordering: .relaxed) == 3)
        await pool.shutDown()
    }

    @Test func `jobs that share an original do not move each other's place in it`() async throws {
        let pool = try await startPool()
        let first = try job(.answer, input: "shared bytes")
        var second = try job(.answer)
        second.input = first.input
        second.inputLength = first.inputLength
        _ = try await pool.run(first)
        #expect(try await pool.run(second).length == 12)
        #expect(contents(of: second.output) == "shared bytes")
        await pool.shutDown()
    }

    @Test func `waiting jobs are served first come first served`() async throws {
        let pool = try await startPool { $0.processes = 1 }
        let order = Mutex<[Int]>([])
        try await withThrowingTaskGroup { group in
            group.addTask { _ = try await pool.run(job(.nap, 300)) }
            #expect(await eventually { pool.status.busy == 1 })
            for index in 0..<5 {
                group.addTask {
                    _ = try await pool.run(job(.answer))
                    order.withLock { $0.append(index) }
                }
                #expect(await eventually { pool.status.waiting == index + 1 })
            }
            try await group.waitForAll()
        }
        // Each answer resumes a task, and two tasks may come to the list in either order; so only the ends are sure.
        let seen = order.withLock { $0 }
        #expect(seen.count == 5)
        #expect(seen.prefix(2).contains(0))
        #expect(seen.suffix(2).contains(4))
        await pool.shutDown()
    }

    @Test func `beyond the queue's length a job is refused at once`() async throws {
        let pool = try await startPool {
            $0.processes = 1
            $0.queueLimit = 1
        }
        let busy = Task { try await pool.run(job(.nap, 300)) }
        #expect(await eventually { pool.status.busy == 1 })
        let waiting = Task { try await pool.run(job(.answer)) }
        #expect(await eventually { pool.status.waiting == 1 })
        await #expect(throws: DecoderFailure.overloaded) { try await pool.run(job(.answer)) }
        _ = try await busy.value
        _ = try await waiting.value
        await pool.shutDown()
    }

    @Test func `a thousand jobs leak no descriptor`() async throws {
        let pool = try await startPool()
        for _ in 0..<10 { _ = try await pool.run(job(.answer)) }
        let counts = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var most = 0
                    for _ in 0..<250 { most = max(most, try await pool.run(job(.count)).pages) }
                    return most
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // In the process: 0 to 3, the job's two, and the folder that is being counted.
        #expect(counts.allSatisfy { $0 == 7 }, "\(counts)")
        await pool.shutDown()
    }

    private func startedDouble() async throws -> (pool: DecoderPool, engine: String) {
        var settings = DecoderPoolSettings()
        settings.executable = doublePath
        settings.arguments = []
        return try await DecoderPool.start(settings)
    }
}
