// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite(
    "With few descriptors, what is wanting here is not held against an origin", .endToEnd,
    .timeLimit(.minutes(2)))
struct FewDescriptorsTests {
    private static let picture = Pictures.gradient(60, 40)

    @Test func `a crowd of new pictures is answered or told that this daemon cannot now`() throws {
        // 59 are open before the first client: workers, loops, the index; some 30 are left to clients, and 7 to requests.
        // Slow enough that many are under way.
        let origin = ScriptedOrigin { peer in
            if !peer.hangsUp(within: 50) { peer.picture(Self.picture) }
        }
        let daemon = try DaemonUnderTest(["--server-threads", "2"], openFiles: 120)
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        var counts: [String: Int] = [:]
        for round in 0..<4 {
            let clients = try (0..<40).map { number in
                let connection = try Connection(port: daemon.port)
                try connection.request(DaemonUnderTest.target(origin.url("/\(round)/\(number)"), "w=30"))
                return connection
            }
            for client in clients {
                // Who was turned away may see a reset.
                guard let reply = try? client.reply() else { continue }
                counts["\(reply.status)", default: 0] += 1
                #expect([200, 503].contains(reply.status), "\(reply.text)")
            }
        }
        #expect((counts["200"] ?? 0) > 0, "\(counts)")
        // Who was turned away with a reset may have left work behind, which holds descriptors.
        #expect(
            try Patience.until {
                try daemon.metric("pictor_work_in_flight") == 0 && daemon.metric("pictor_connections") == 0
            })
        // Nothing of it is remembered.
        for number in 0..<40 {
            let reply = try daemon.get(origin.url("/3/\(number)"), "w=30")
            #expect(reply.status == 200, "\(number): \(reply.status) \(reply.text)")
        }
        #expect(try daemon.metric("pictor_origins_resting") == 0)
    }

    @Test func `a limit too low for any client is told at the start, with the lowest that serves some`()
        throws
    {
        let log = #expect(throws: DaemonUnderTest.DidNotStart.self) {
            _ = try DaemonUnderTest(["--server-threads", "2"], openFiles: 64)
        }?.log
        #expect(log?.contains("the limit of open files, 64, leaves nothing for clients") == true)
        let check = try PictorCommand(["check", "--server-threads", "2"], openFiles: 64)
        #expect(
            check.status == 78 && check.error.contains("the limit of open files, 64, leaves nothing"),
            "\(check.error)")
        let least = try #require(log?.firstMatch(of: /([0-9]+) are the least/)).1
        let daemon = try DaemonUnderTest(["--server-threads", "2"], openFiles: Int(least))
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let clients = try (0..<3).map { _ in try Connection(port: daemon.port) }
        for (number, client) in clients.enumerated() {
            try client.request(DaemonUnderTest.target(origin.url("/\(number)"), "w=30"))
            #expect(try client.reply().status == 200)
        }
    }
}
