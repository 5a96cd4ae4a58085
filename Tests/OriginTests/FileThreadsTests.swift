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
        for _ in 0..<3 { #expect(ended.wait(timeout: .now() + 20) == .success) }
    }
}
