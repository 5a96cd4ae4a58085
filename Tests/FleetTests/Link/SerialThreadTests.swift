// SPDX-License-Identifier: Apache-2.0

import Dispatch
@testable import Fleet
import Pipeline
import Synchronization
import Testing
import TestSupport

@Suite("Calls to the fleet's files", .timeLimit(.minutes(1)))
struct SerialThreadTests {
    private let thread: SerialThread
    private let end = DispatchSemaphore(value: 0)
    private let done = Done()

    /// The numbers of the calls that were carried out, in their order.
    private final class Done: Sendable {
        let numbers = Mutex<[Int]>([])
    }

    init() throws { thread = try SerialThread("test-files") }

    private func call(_ number: Int) -> Task<Int?, Never> {
        Task.immediate { [thread, done] in
            await thread.perform {
                done.numbers.withLock { $0.append(number) }
                return number
            }
        }
    }

    /// A call that has begun and does not return before `end`.
    private func hangingCall() async -> Task<Int?, Never> {
        let began = OneShot<Void>()
        let call = Task.immediate { [thread, end] in
            await thread.perform {
                began.settle(())
                end.wait()
                return 0
            }
        }
        await began.value()
        return call
    }

    @Test func `nobody waits for one that hangs, nor for those behind it, and all are carried out, in order`()
        async
    {
        let hanging = await hangingCall()
        let behind = call(1)
        thread.giveUp()
        #expect(await hanging.value == nil)
        #expect(await behind.value == nil)
        #expect(await call(2).value == nil, "it comes while the first hangs")
        #expect(done.numbers.withLock { $0 } == [])
        end.signal()
        #expect(await Patience.eventually { done.numbers.withLock { $0.count } == 2 })
        #expect(await call(3).value == 3)
        #expect(done.numbers.withLock { $0 } == [1, 2, 3])
        thread.close()
    }

    @Test func `without one that hangs, nothing is given up`() async {
        #expect(await call(1).value == 1)
        thread.giveUp()
        #expect(await call(2).value == 2)
        thread.close()
    }
}
