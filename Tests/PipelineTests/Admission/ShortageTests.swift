// SPDX-License-Identifier: Apache-2.0

import Clients
import Foundation
@testable import Pipeline
import Synchronization
import Testing

@Suite("What is told of those that wait for permits", .timeLimit(.minutes(1)))
struct ShortageTests {
    //   one thread        another
    //   a job waits
    //   tells of 1 ┐
    //              │      gives its permit back: nobody waits
    //              └ ─ ─▶ tells of 0
    @Test func `what is told last is what there is`() async throws {
        let told = Mutex<[Int]>([])
        let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
        let admission = Admission(limits: AdmissionLimits(permits: 1), environment: HandMovedClock()) {
            shortage in
            let work = meanwhile.withLock { $0.take() }
            work?()
            told.withLock { $0.append(shortage) }
        }
        let first = try await admission.enter(group: "a", priority: LivePriority(.interactive))
        meanwhile.withLock {
            $0 = {
                let hasLeft = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    admission.leave(first)
                    hasLeft.signal()
                }
                _ = hasLeft.wait(timeout: .now() + 20)
            }
        }
        let second = try await admission.enter(
            group: "b", priority: LivePriority(.interactive),
            account: PermitAccount(client: Asker(nil), site: .domain("b.test")))
        #expect(told.withLock(\.self) == [1, 0])
        admission.leave(second)
    }
}
