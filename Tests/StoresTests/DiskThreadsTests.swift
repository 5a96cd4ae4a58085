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
}
