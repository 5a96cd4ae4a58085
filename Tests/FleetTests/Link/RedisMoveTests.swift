// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Fleet
import Synchronization
import TestSupport
import Testing

@Suite("Commands while a link connects", .timeLimit(.minutes(2)))
struct RedisMoveTests {
    @Test func `commands meanwhile wait for it, and no longer than they want to`() async throws {
        let isAsked = Atomic(false)
        let awake = DispatchSemaphore(value: 0)
        let next = try LyingServer { piece in
            isAsked.store(true, ordering: .relaxed)
            _ = awake.wait(timeout: .now() + 60)
            awake.signal()
            // One answer to each command.
            return String(repeating: "+PONG\r\n", count: piece.count { $0 == "*" })
        }
        let first = try LyingServer { [port = next.port] piece in
            piece.contains("PING") ? "+PONG\r\n" : "-MOVED 1 127.0.0.1:\(port)\r\n"
        }
        defer { for server in [first, next] { server.close() } }
        var configuration = RedisConfiguration([first.address].compactMap(RedisAddress.init))
        // A machine that also builds may be slow.
        (configuration.commandTimeout, configuration.connectTimeout) = (.seconds(60), .seconds(60))
        let link = try RedisLink(configuration, name: "fleet-test") { _ in }
        try link.start()
        async let moved = link.send(["SET", "k", "v"], within: .seconds(60), waits: true)
        let isMoving = Patience.until { isAsked.load(ordering: .relaxed) }
        #expect(isMoving)
        await #expect(throws: RedisFailure.timedOut) {
            try await link.send(["GET", "k"], within: .milliseconds(1))
        }
        async let later = link.send(["GET", "k"], within: .seconds(60))
        awake.signal()
        #expect(try await moved.string == "PONG")
        #expect(try await later.string == "PONG")
        #expect(link.connects == 2)
        link.close()
    }

    @Test func `a command that waits for a connection waits no longer than it wants to for a silent node`()
        async throws
    {
        let silent = try LyingServer("")
        defer { silent.close() }
        var configuration = RedisConfiguration([silent.address].compactMap(RedisAddress.init))
        // Longer than the test may take.
        configuration.commandTimeout = .seconds(180)
        let link = try RedisLink(configuration, name: "fleet-test") { _ in }
        try link.start()
        await #expect(throws: RedisFailure.timedOut) {
            try await link.send(["GET", "k"], within: .milliseconds(1), waits: true)
        }
        #expect(link.connects == 0)
        link.close()
    }
}
