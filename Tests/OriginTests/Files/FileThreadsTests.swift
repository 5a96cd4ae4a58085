// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import Kernel
@testable import Origin
import Testing

@Suite("Threads for a folder")
struct FileThreadsTests {
    @Test func `where one of them cannot be had, none is left`() {
        let shortage = SystemError("pthread_create", code: EAGAIN)
        let ended = DispatchSemaphore(value: 0)
        var started = 0
        #expect(throws: shortage) {
            _ = try FileThreads.start(4) { work throws(SystemError) in
                if started == 3 { throw shortage }
                started += 1
                try WorkerThread("files") {
                    work()
                    ended.signal()
                }.detach()
            }
        }
        for _ in 0..<3 { #expect(ended.wait(timeout: .now() + 60) == .success) }
    }

    @Test func `that hang gather no jobs that nobody wants any more, and do the others`() throws {
        let threads = try FileThreads.start(1)
        let (mayGoOn, began) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        #expect(
            threads.run {
                began.signal()
                mayGoOn.wait()
            })
        #expect(began.wait(timeout: .now() + 60) == .success)
        let done = DispatchSemaphore(value: 0)
        for number in 0..<10_000 {
            let isWanted = number % 1_000 == 0
            #expect(threads.run(unless: { !isWanted }) { if isWanted { done.signal() } })
        }
        #expect(threads.waiting <= FileThreads.smallestSweep)
        mayGoOn.signal()
        for _ in 0..<10 { #expect(done.wait(timeout: .now() + 60) == .success) }
        threads.close()
    }

    @Test func `end after their queue, also where jobs of it were dropped`() throws {
        let ended = DispatchSemaphore(value: 0)
        let threads = try FileThreads.start(2) { work throws(SystemError) in
            try WorkerThread("files") {
                work()
                ended.signal()
            }.detach()
        }
        for _ in 0..<1_000 { #expect(threads.run(unless: { true }) {}) }
        threads.close()
        for _ in 0..<2 { #expect(ended.wait(timeout: .now() + 60) == .success) }
    }
}
