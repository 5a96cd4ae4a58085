// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import Synchronization
import Testing

@testable import Pipeline

@Suite(.timeLimit(.minutes(1)))
struct SingleflightTests {
    private typealias Table = Singleflight<Int, String>

    //   the table                        the task
    //   start (before the cancellation)
    //   cancel                           sees that it was cancelled
    //
    //   cancel
    //   start                            never runs
    @Test func `work is cancelled whether the cancellation comes after its start or before`() async throws {
        let gate = Gate()
        let seen = OneShot<Bool>()
        let late = WorkControl(priority: .interactive)
        late.start { seen.settle(await gate.pass()) }
        try await until { gate.held == 1 }
        late.cancel()
        #expect(await seen.value() == false)

        let early = WorkControl(priority: .interactive)
        early.cancel()
        early.start { Issue.record("Cancelled work was started.") }
    }

    /// Repeats this a thousand times on real threads; work that missed its cancellation would spin until the time limit.
    @Test func `nor does it escape a cancellation that comes at the moment of its start`() async throws {
        let started = Atomic<Int>(0)
        let finished = Atomic<Int>(0)
        for _ in 0..<1000 {
            let control = WorkControl(priority: .interactive)
            async let start: Void = control.start {
                started.add(1, ordering: .relaxed)
                while !Task.isCancelled { await Task.yield() }
                finished.add(1, ordering: .relaxed)
            }
            async let cancel: Void = control.cancel()
            _ = await (start, cancel)
        }
        try await until { started.load(ordering: .relaxed) == finished.load(ordering: .relaxed) }
    }

    @Test func `a failed completion is shared, and the next one starts anew`() async throws {
        let table = Table()
        let gate = Gate()
        let starts = Atomic<Int>(0)
        let join: @Sendable () async -> Result<String, PipelineFailure> = {
            do throws(PipelineFailure) {
                let joined = try await table.join(1, priority: .interactive) {
                    (_) async throws(PipelineFailure) in
                    let number = starts.add(1, ordering: .relaxed).newValue
                    _ = await gate.pass()
                    guard number > 1 else { throw PipelineFailure(.unavailable(.picture)) }
                    return "completed"
                }
                return .success(joined.value)
            } catch { return .failure(error) }
        }
        let waiters = (0..<5).map { _ in TestTask { await join() } }
        try await until { table.waiting == 5 }
        gate.open()
        let failure = PipelineFailure(.unavailable(.picture))
        for waiter in waiters { #expect(await waiter.value == .failure(failure)) }
        #expect(await join() == .success("completed"))
        #expect(starts.load(ordering: .relaxed) == 2)
    }

    @Test
    func `the in-flight request has the highest priority of all who joined, and keeps it when they leave`()
        async throws
    {
        let table = Table()
        let gate = Gate()
        let priorities = Mutex<[LivePriority]>([])
        let join: @Sendable (Priority) async throws(PipelineFailure) -> String = { priority in
            try await table.join(1, priority: priority) { (live) async throws(PipelineFailure) in
                priorities.withLock { $0.append(live) }
                _ = await gate.pass()
                return "completed"
            }.value
        }
        let low = TestTask { try? await join(.refresh) }
        try await until { gate.held == 1 }
        let first = priorities.withLock(\.first)
        let live = try #require(first)
        #expect(live.value == .refresh)
        let high = TestTask { try? await join(.interactive) }
        try await until { table.waiting == 2 && live.value == .interactive }
        let middle = TestTask { try? await join(.prefetch) }
        try await until { table.waiting == 3 }
        high.cancel()
        #expect(await high.value == nil)
        #expect(live.value == .interactive)
        gate.open()
        #expect(await low.value == "completed")
        #expect(await middle.value == "completed")
    }

    /// Real threads, a few keys, and waiters that leave at random. Every piece of work yields a random number of times, so joins,
    /// leaves and completions meet in every order. A waiter that is left hanging runs into the time limit.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `however joins, leaves and completions interleave, everybody gets exactly one answer`(seed: UInt64)
        async throws
    {
        var random = SeededRandom(seed: seed)
        let table = Table()
        let started = Atomic<Int>(0)
        let finished = Atomic<Int>(0)
        var waiters: [(waiter: TestTask<Result<String, PipelineFailure>>, key: Int)] = []
        var cancelled = 0
        for _ in 0..<2000 {
            let key = Int.random(in: 0..<4, using: &random)
            let yields = Int.random(in: 0..<20, using: &random)
            let fails = Int.random(in: 0..<10, using: &random) == 0
            let work: Table.Work = { _ async throws(PipelineFailure) in
                started.add(1, ordering: .relaxed)
                defer { finished.add(1, ordering: .relaxed) }
                for _ in 0..<yields {
                    if Task.isCancelled { throw .cancelled }
                    await Task.yield()
                }
                guard !Task.isCancelled else { throw .cancelled }
                if fails { throw PipelineFailure(.unavailable(.picture)) }
                return "value \(key)"
            }
            let waiter = TestTask {
                do throws(PipelineFailure) {
                    return Result<String, PipelineFailure>.success(
                        try await table.join(key, priority: .interactive, work: work).value)
                } catch { return .failure(error) }
            }
            waiters.append((waiter, key))
            if Int.random(in: 0..<3, using: &random) == 0 {
                for _ in 0..<Int.random(in: 0..<4, using: &random) { await Task.yield() }
                waiters[Int.random(in: 0..<waiters.count, using: &random)].waiter.cancel()
                cancelled += 1
            }
        }
        var left = 0
        for (waiter, key) in waiters {
            switch await waiter.value {
            case .success(let value): #expect(value == "value \(key)")
            case .failure(.cancelled):
                // Only a waiter that was cancelled itself sees a cancellation.
                #expect(waiter.isCancelled, "seed \(seed)")
                left += 1
            case .failure(let failure): #expect(failure.reason == .unavailable(.picture))
            }
        }
        #expect(left <= cancelled, "seed \(seed)")
        #expect(table.waiting == 0 && table.count == 0, "seed \(seed)")
        try await until { started.load(ordering: .relaxed) == finished.load(ordering: .relaxed) }
    }
}
