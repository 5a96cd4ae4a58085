// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite(
    "With few descriptors, what is wanting here is not held against an origin", .endToEnd,
    .timeLimit(.minutes(2)))
struct FewDescriptorsTests {
    private static let picture = Pictures.gradient(60, 40)

    @Test func `a crowd of new pictures is answered or told that this daemon cannot now`() throws {
        // 55 are open before the first client: workers, loops, the index; 25 are left to clients, and 20 to requests.
        // Slow enough that many are under way.
        let origin = ScriptedOrigin { peer in
            if !peer.hangsUp(within: 50) { peer.picture(Self.picture) }
        }
        let daemon = try DaemonUnderTest(openFiles: 160)
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
}
