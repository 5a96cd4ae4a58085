// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Dispatch
import Synchronization
import Testing

@Suite("Blocking calls of a shutdown", .timeLimit(.minutes(1)))
struct OwnThreadTests {
    @Test func `a call that does not return is waited for no longer than its limit`() async {
        let end = DispatchSemaphore(value: 0)
        await onOwnThread(atMost: .milliseconds(20)) { end.wait() }
        end.signal()
    }

    @Test func `a call that returns is waited for, and its limit is not`() async {
        let isDone = Atomic<Bool>(false)
        await onOwnThread(atMost: .seconds(3_600)) { isDone.store(true, ordering: .relaxed) }
        let hasRun = isDone.load(ordering: .relaxed)
        #expect(hasRun)
    }
}
