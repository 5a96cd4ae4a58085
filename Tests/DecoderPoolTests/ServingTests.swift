// SPDX-License-Identifier: Apache-2.0

@testable import DecoderPool
@testable import DecoderProtocol
import Glibc
import ImageHeaders
import Kernel
import Recipes
import Testing

@Suite(.timeLimit(.minutes(2))) struct ServingTests {
    @Test func `a job's result comes back and its bytes are in the output`() async throws {
        let pool = try await startPool()
        let job = try job(.answer, input: "GIF89a ten")
        let result = try await pool.run(job)
        #expect(result.format == .gif)
        #expect(result.length == 10)
        #expect(result.encoding == 22)
        #expect(contents(of: job.output) == "GIF89a ten")
        await pool.shutDown()
    }

    @Test func `a job that waited for a process tells how long`() async throws {
        let pool = try await startPool { $0.processes = 1 }
        let held = try job(.hold)
        let busy = Task { try await pool.run(held) }
        #expect(await eventually { hasBegun(held) })
        let given = try job(.answer)
        let clock = SuspendingClock()
        let start = clock.now
        let waiting = Task { try await pool.runTellingWait(given).waited }
        #expect(await eventually { pool.status.waiting == 1 })
        let seen = clock.now
        // The job waits for some time.
        for _ in 0..<1_000 { #expect(pool.status.waiting == 1) }
        let freed = clock.now
        release(held)
        _ = try await busy.value
        let waited = try await waiting.value
        #expect(waited >= seen.duration(to: freed) && waited <= start.duration(to: clock.now))
        await pool.shutDown()
    }

    @Test(arguments: [
        (ImageFormat.svg, true), (.avif, true), (.heic, true), (.jxl, true), (.jpeg, false), (.png, false),
        // A page with a picture missing for lack of memory would not be reported as a failure.
        (.pdf, false),
    ])
    func `a picture whose file may code more than its header says has a bound beside its price`(
        format: ImageFormat, isBounded: Bool
    ) throws {
        var original = try job(.answer)
        original.header.format = format
        var marked = try job(.answer)
        marked.watermark = .init(input: original.input, length: 8, header: original.header)
        for order in [original, marked] {
            let most = order.account?.most
            #expect((most != nil) == isBounded)
            #expect(most.map { $0 > order.price } ?? true)
        }
    }

    @Test func `the engine that renditions are keyed by is the one that the first process named`()
        async throws
    {
        let started = try await startedDouble()
        #expect(started.handshake.engine == "double 1")
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
        let jobs = try (0..<4).map { _ in try job(.hold) }
        var answers: [Task<Rendered, any Error>] = []
        for job in jobs { answers.append(Task { try await pool.run(job) }) }
        #expect(await eventually { pool.status.waiting == 1 && jobs.count(where: hasBegun) == 3 })
        #expect(pool.status.busy == 3)
        // The spare is ready, yet the fourth job waits.
        #expect(await eventually { pool.status.processes == 4 })
        #expect(pool.status.waiting == 1)
        let last = try #require(jobs.first { !hasBegun($0) })
        for job in jobs where hasBegun(job) { release(job) }
        #expect(await eventually { hasBegun(last) })
        release(last)
        var processes = Set<Int>()
        for answer in answers { processes.insert(try await answer.value.decoding) }
        #expect(processes.count >= 3)
        await pool.shutDown()
    }

    @Test func `jobs that share an original do not move each other's place in it`() async throws {
        let pool = try await startPool()
        let first = try job(.answer, input: "GIF89a bytes")
        var second = try job(.answer)
        second.input = first.input
        second.inputLength = first.inputLength
        _ = try await pool.run(first)
        #expect(try await pool.run(second).length == 12)
        #expect(contents(of: second.output) == "GIF89a bytes")
        await pool.shutDown()
    }

    @Test func `waiting jobs are served first come first served`() async throws {
        let pool = try await startPool { $0.processes = 1 }
        let jobs = try (0..<5).map { _ in try job(.hold) }
        var answers: [Task<Rendered, any Error>] = []
        for (index, job) in jobs.enumerated() {
            answers.append(Task { try await pool.run(job) })
            #expect(await eventually { pool.status.busy == 1 && pool.status.waiting == index })
        }
        for (index, job) in jobs.enumerated() {
            #expect(await eventually { hasBegun(job) })
            #expect(!jobs.dropFirst(index + 1).contains(where: hasBegun))
            release(job)
            _ = try await answers[index].value
        }
        await pool.shutDown()
    }

    @Test func `beyond the queue's length a job is refused at once`() async throws {
        let pool = try await startPool {
            $0.processes = 1
            $0.queueLimit = 1
        }
        let held = try job(.hold)
        let busy = Task { try await pool.run(held) }
        #expect(await eventually { hasBegun(held) })
        let waiting = Task { try await pool.run(job(.answer)) }
        #expect(await eventually { pool.status.waiting == 1 })
        await #expect(throws: DecoderFailure.overloaded) { try await pool.run(job(.answer)) }
        release(held)
        _ = try await busy.value
        _ = try await waiting.value
        await pool.shutDown()
    }

    @Test func `a thousand jobs leak no descriptor, here or in the processes`() async throws {
        let pool = try await startPool()
        for _ in 0..<10 { _ = try await pool.run(job(.answer)) }
        let before = openDescriptors()
        let counts = try await withThrowingTaskGroup { group in
            for _ in 0..<4 {
                group.addTask {
                    var most = 0
                    for _ in 0..<250 { most = max(most, try await pool.run(job(.count)).decoding) }
                    return most
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        // In a process: 0 to 3, the job's two, and the folder that is being counted.
        #expect(counts.allSatisfy { $0 == 7 }, "\(counts)")
        // In this process other tests open and close descriptors at the same time, but a leak would be at
        // least a thousand.
        #expect(openDescriptors() < before + 500)
        await pool.shutDown()
    }

    private func openDescriptors() -> Int {
        guard let folder = opendir("/proc/self/fd") else { return 0 }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        return count
    }

    private func startedDouble() async throws -> (pool: DecoderPool, handshake: WireHandshake) {
        try await DecoderPool.start(WorkerPoolSettings(), of: double())
    }
}
