// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Pipeline

@Suite("Work that nobody waits for is begun while its machine is idle", .timeLimit(.minutes(1)))
struct IdleQueueTests {
    /// The work done so far, and whether more may begin.
    private final class Machine: Sendable {
        private struct State {
            var isIdle = false
            var done: [Int] = []
        }

        private let state = Mutex(State())

        var done: [Int] { state.withLock(\.done) }
        var isIdle: Bool { state.withLock(\.isIdle) }
        func rest() { state.withLock { $0.isIdle = true } }
        func note(_ number: Int) { state.withLock { $0.done.append(number) } }
    }

    private let clock = HandMovedClock()
    private let machine = Machine()

    private func add(_ number: Int, to queue: IdleQueue<Int>) {
        queue.add(number, when: { [machine] in machine.isIdle && $0 == 0 }) { [machine] in
            machine.note(number)
        }
    }

    @Test func `all that waits is done in order, one after the other, once the machine is idle`() async throws
    {
        let queue = IdleQueue<Int>(clock)
        for number in 1...5 { add(number, to: queue) }
        #expect(queue.count == 5)
        clock.advance(seconds: 1)
        #expect(queue.count == 5, "it is busy")
        machine.rest()
        clock.advance(seconds: 1)
        try await until { machine.done.count == 5 }
        #expect(machine.done == [1, 2, 3, 4, 5])
        try await until { queue.count == 0 }
    }

    @Test func `the clock is asked for as long as something waits, and one time only`() async throws {
        let queue = IdleQueue<Int>(clock)
        for number in 1...5 { add(number, to: queue) }
        #expect(clock.alarms == 1)
        clock.advance(seconds: 1)
        #expect(clock.alarms == 1)
        machine.rest()
        clock.advance(seconds: 1)
        try await until { machine.done.count == 5 }
        clock.advance(seconds: 1)
        #expect(clock.alarms == 0)
    }

    @Test func `a key is in it once, and may come again after its work`() async throws {
        let queue = IdleQueue<Int>(clock)
        for _ in 1...3 { add(7, to: queue) }
        #expect(queue.count == 1)
        machine.rest()
        clock.advance(seconds: 1)
        try await until { machine.done == [7] }
        try await until { queue.count == 0 }
        add(7, to: queue)
        try await until { machine.done == [7, 7] }
    }

    @Test func `what comes to a full queue is left undone`() async throws {
        let queue = IdleQueue<Int>(clock, capacity: 2)
        for number in 1...3 { add(number, to: queue) }
        #expect(queue.count == 2)
        machine.rest()
        clock.advance(seconds: 1)
        try await until { machine.done.count == 2 }
        #expect(machine.done == [1, 2])
        add(3, to: queue)
        try await until { machine.done.count == 3 }
    }

    @Test func `once it is closed, what waits is dropped and what comes is not taken`() async throws {
        let queue = IdleQueue<Int>(clock)
        let gate = Gate()
        queue.add(1, when: { $0 == 0 }) { [machine] in
            _ = await gate.pass()
            machine.note(1)
        }
        for number in 2...5 { add(number, to: queue) }
        machine.rest()
        queue.close()
        #expect(queue.count == 1, "the one that is under way")
        add(6, to: queue)
        #expect(queue.count == 1)
        gate.open()
        try await until { queue.count == 0 }
        clock.advance(seconds: 1)
        #expect(machine.done == [1] && queue.count == 0 && clock.alarms == 0)
    }
}
