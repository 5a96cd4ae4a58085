// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Kernel
import Synchronization
import Testing

@Suite("The thread of alarms")
struct AlarmThreadTests {
    @Test func `each goes off once it is due, whatever was set before, or put off`() throws {
        let thread = try #require(AlarmThread.shared)
        let waits: [Int64] = [10_000, 0, 5_000, -1]
        let early = Mutex<[Int64]>([])
        let over = DispatchSemaphore(value: 0)
        thread.set(after: .max) { early.withLock { $0.append(.max) } }
        for wait in waits {
            let set = ContinuousClock.now
            thread.set(after: wait) {
                if ContinuousClock.now - set < .microseconds(wait) { early.withLock { $0.append(wait) } }
                over.signal()
            }
        }
        // The timer is set for the time that is left, and not for this alarm.
        thread.putOff(thread.set(after: 1_000) {})
        for _ in waits { #expect(over.wait(timeout: .now() + 60) == .success) }
        #expect(early.withLock(\.self).isEmpty)
    }
}
