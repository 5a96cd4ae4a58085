// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
@testable import Stores
import Synchronization
import Testing

@Suite("Threads for the disk")
struct DiskThreadsTests {
    @Test func `where one of them cannot be had, none is left`() {
        let shortage = SystemError("pthread_create", code: EAGAIN)
        let ended = Mutex(0)
        var started = 0
        #expect(throws: shortage) {
            _ = try DiskThreads(count: 4) { name, work throws(SystemError) in
                if started == 3 { throw shortage }
                started += 1
                return try WorkerThread(name) {
                    work()
                    ended.withLock { $0 += 1 }
                }
            }
        }
        #expect(ended.withLock(\.self) == 3)
    }

    @Test func `after the end a call runs where it is asked for, but not into a disk that hangs`()
        async throws
    {
        let threads = try DiskThreads(count: 1)
        threads.close()
        #expect(await threads.call({ 1 }, late: { _ in }) == 1)
        threads.giveUp(callsOf: 0)
        #expect(await threads.call({ 1 }, late: { _ in }) == nil)
        threads.goOn()
        #expect(await threads.call({ 1 }, late: { _ in }) == 1)
    }

    @Test func `a queue that is never empty takes room for what waits in it, and keeps its order`() {
        var queue = FIFOQueue<Int>()
        for number in 0..<3 { queue.append(number) }
        for number in 0..<100_000 {
            queue.append(number + 3)
            #expect(queue.popFirst() == number)
            #expect(queue.slotCount <= 2_048)
        }
        #expect(queue.popAll() == [100_000, 100_001, 100_002])
        #expect(queue.popFirst() == nil && queue.slotCount == 0)
    }

    @Test func `a long queue is worked off from the first to the last, also while others come`() {
        var queue = FIFOQueue<Int>()
        for number in 0..<5_000 { queue.append(number) }
        for number in 0..<5_000 {
            if number % 2 == 0 { queue.append(5_000 + number / 2) }
            #expect(queue.popFirst() == number)
        }
        #expect(queue.popAll() == Array(5_000..<7_500))
        queue.append(1)
        #expect(queue.popFirst() == 1 && queue.popFirst() == nil)
    }

    @Test func `a call has lasted since the first look that found it`() {
        var watch = CallWatch()
        #expect(watch.look(at: 5) == 0)
        watch.begin()
        #expect(watch.look(at: 10) == 0)
        #expect(watch.look(at: 35) == 25)
        watch.end()
        watch.begin()
        #expect(watch.lasting == 0)
        #expect(watch.look(at: 40) == 0, "another call")
        #expect(watch.look(at: 41) == 1)
        watch.end()
        #expect(watch.look(at: 90) == 0)
    }

    @Test func `of a call's time, what it was granted does not count`() {
        var watch = CallWatch()
        watch.begin(granted: 100)
        #expect(watch.look(at: 10) == 0)
        #expect(watch.look(at: 110) == 0)
        #expect(watch.look(at: 135) == 25)
        watch.end()
        watch.begin()
        #expect(watch.look(at: 140) == 0)
        #expect(watch.look(at: 141) == 1, "that was another call's")
    }
}
