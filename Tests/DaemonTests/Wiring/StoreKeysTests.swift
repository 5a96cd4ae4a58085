// SPDX-License-Identifier: Apache-2.0

@testable import Daemon
import HTTPSemantics
import Logging
import Origin
import Synchronization
import Testing

@Suite("When the daemon asks the platform for keys again")
struct StoreKeysTests {
    private let keys = StoreKeys(logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    private let given = StoreCredentials(accessKey: "a", secretKey: "b")

    /// Takes the keys as just come, and waits.
    /// - Parameter refused: after so many seconds a store refuses them; nil if none does.
    /// - Returns: seconds until they are asked for again.
    private func wait(_ schedule: inout KeySchedule, refused: Int64?) async -> Int64 {
        let areOther = keys.credentials.replace(with: given)
        let pause = schedule.pause(
            afterKeysUntil: nil, now: Timestamp(seconds: 1_000), areOther: areOther)
        let waited = Mutex(Duration.zero)
        if refused == 0 { keys.credentials.noteRefusal("InvalidAccessKeyId") }
        let goesOn = await keys.rest(pause, &schedule) { [credentials = keys.credentials] piece in
            let seconds = waited.withLock { waited in
                waited += piece
                return waited.components.seconds
            }
            if seconds == refused { credentials.noteRefusal("InvalidAccessKeyId") }
        }
        #expect(goesOn)
        return waited.withLock { $0.components.seconds }
    }

    @Test func `without a refusal after a quarter of an hour, with one soon, and later each time`() async {
        var schedule = KeySchedule()
        var waits: [Int64] = []
        for refused in [nil, 60, 0, 0, 0, 0, 0, 0, nil, 0] as [Int64?] {
            let seconds = await wait(&schedule, refused: refused)
            waits.append(seconds)
        }
        #expect(waits == [900, 60, 60, 120, 240, 480, 900, 900, 900, 30])
    }
}
