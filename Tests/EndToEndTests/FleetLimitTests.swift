// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Daemons that share Redis keep limits together", .endToEnd)
struct FleetLimitTests {
    private static let picture = Pictures.gradient(60, 30)

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        // A machine that builds beside it may be slow.
        try DaemonUnderTest(
            [
                "--fleet-redis", redis.address, "--fleet-command-timeout", "60s", "--fleet-limit-timeout",
                "60s",
            ]
                + flags, environment: DaemonUnderTest.trusting)
    }

    private func answers(_ daemon: DaemonUnderTest, _ limit: String, _ result: String) throws -> Int {
        try daemon.metric("pictor_fleet_\(limit)_limits_total", "result=\"\(result)\"")
    }

    @Test func `a client's new pictures are counted at all nodes, and by each without Redis`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let nodes = try (0..<2).map { _ in
            try daemon("--fleet-client-limits", "true", "--limits-misses-per-client", "4/1h")
        }
        func get(_ node: Int, _ width: Int, from source: String = "127.0.0.5") throws -> Connection.Reply {
            try nodes[node].get(DaemonUnderTest.target(origin.url(), "w=\(width)"), from: source)
        }
        // Of another client each, until the node has Redis.
        for node in 0..<2 {
            var number = 10
            let isAnswered = try Patience.until {
                number += 1
                _ = try get(node, number, from: "127.0.1.\(number)")
                return try answers(nodes[node], "client", "granted") > 0
            }
            #expect(isAnswered)
        }
        for (number, node) in [0, 1, 1, 0].enumerated() {
            #expect(try get(node, 100 + number).status == 200)
        }
        for node in 0..<2 {
            let reply = try get(node, 200)
            #expect(reply.status == 429 && reply.text.contains("too_many_misses"), "\(reply.text)")
            #expect(Int(reply["Retry-After"] ?? "").map { (1...3600).contains($0) } == true)
        }
        // What is held is answered all the same, and asks nobody.
        let before = try answers(nodes[0], "client", "granted")
        #expect(try get(0, 100).status == 200)
        #expect(try answers(nodes[0], "client", "granted") == before)
        redis.kill()
        #expect(try Patience.until { try nodes[1].metric("pictor_fleet_connected") == 0 })
        for number in 0..<4 { #expect(try get(1, 300 + number, from: "127.0.0.6").status == 200) }
        #expect(try get(1, 304, from: "127.0.0.6").status == 429)
        #expect(try answers(nodes[1], "client", "unavailable") == 4)
    }
}
