// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("Readiness tells of the public listener", .endToEnd)
struct StartReadinessTests {
    @Test func `a node that waits for what others have purged is alive, and not ready`() throws {
        let redis = try RedisServer()
        // It is connected, and never answered, so the start waits behind the admin listener.
        redis.signal(SIGSTOP)
        defer { redis.signal(SIGCONT) }
        let admin = try ReservedPort()
        let answers = Mutex<[String: Int]>([:])
        let over = Latch()
        Thread.detachNewThread {
            _ = Patience.until { (try? Connection(port: admin.number)) != nil }
            for path in ["/health/live", "/health/ready"] {
                let connection = try? Connection(port: admin.number)
                try? connection?.request(path)
                let reply = try? connection?.reply()
                answers.withLock { $0[path] = reply?.status }
            }
            over.signal()
            redis.signal(SIGCONT)
        }
        let daemon = try DaemonUnderTest([
            "--admin-listen", "127.0.0.1:\(admin.number)", "--fleet-redis", redis.address,
            "--fleet-catch-up-timeout", "1h",
        ])
        #expect(over.wait())
        #expect(answers.withLock { $0 } == ["/health/live": 200, "/health/ready": 503])
        #expect(try daemon.admin("/health/ready").status == 200)
    }
}
