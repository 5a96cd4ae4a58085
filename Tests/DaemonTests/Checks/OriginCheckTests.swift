// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import Testing

@Suite struct OriginCheckTests {
    @Test func `the words of a server move no cursor of who checks it`() {
        let finding = CheckFinding.obstacle("Redis: ERR \u{1B}[2J\r\nno.")
        #expect(finding.words == #"Redis: ERR \u001b[2J\u000d\u000ano."#)
    }
}
