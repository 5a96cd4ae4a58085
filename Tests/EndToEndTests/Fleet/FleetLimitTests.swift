// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Daemons that share Redis keep limits together", .endToEnd)
struct FleetLimitTests {
    private static let picture = Pictures.gradient(60, 30)

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    private func daemon(_ flags: String...) throws -> DaemonUnderTest { try daemon(flags) }

    private func daemon(_ flags: [String]) throws -> DaemonUnderTest {
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
        // The one who asks that has had nothing yet.
        let report = try nodes[0].order(
            "/admin/explain\(DaemonUnderTest.target(origin.url(), "w=1").drop { $0 != "?" })", method: "GET")
        #expect(report.text.contains("\"fleet_misses_left\":4"), "\(report.text)")
        // Also of requests that came before the node had Redis.
        let unanswered = try answers(nodes[1], "client", "unavailable")
        redis.kill()
        #expect(try Patience.until { try nodes[1].metric("pictor_fleet_connected") == 0 })
        for number in 0..<4 { #expect(try get(1, 300 + number, from: "127.0.0.6").status == 200) }
        #expect(try get(1, 304, from: "127.0.0.6").status == 429)
        #expect(try answers(nodes[1], "client", "unavailable") == unanswered + 4)
    }

    /// Asks for one picture after the other until the fleet has answered the node, which it does once it has Redis.
    private func hasRedis(_ daemon: DaemonUnderTest) throws -> Bool {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        var number = 0
        return try Patience.until {
            number += 1
            _ = try daemon.get(origin.url("/\(number)"), "output=raw")
            return try answers(daemon, "origin", "granted") > 0
        }
    }

    private func request(_ daemon: DaemonUnderTest, _ origin: ScriptedOrigin, _ path: String) throws
        -> Connection
    {
        let connection = try Connection(port: daemon.port)
        try connection.request(DaemonUnderTest.target(origin.url(path), "output=raw"))
        return connection
    }

    /// An origin that tells of each request, and holds its answer back.
    private static func origin(_ asked: Latch, until release: Latch) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            asked.signal()
            release.wait()
            peer.picture(picture)
        }
    }

    @Test(arguments: [SIGKILL, SIGTERM])
    func `an origin's fetches at two nodes are counted together, and a node that ends counts no more`(
        signal: Int32
    ) throws {
        let (asked, release) = (Latch(), Latch())
        let origin = Self.origin(asked, until: release)
        let flags = [
            "--fleet-origin-limits", "true", "--origin-maximum-fetches-per-host", "2",
            "--server-drain-timeout",
            "100ms",
        ]
        // Only a node that is killed leaves slots behind. The other time is longer than the second node waits, and within ten
        // times its own, beyond which a slot is of a clock that was set back.
        let time = signal == SIGKILL ? "5s" : "90s"
        let first = try daemon(flags + ["--fleet-lease-time", time, "--origin-first-byte-timeout", "2m"])
        let second = try daemon(
            flags + ["--origin-queue-timeout", "1m", "--origin-first-byte-timeout", "2m"])
        #expect(try hasRedis(first) && hasRedis(second))
        let held = try ["/a", "/b"].map { try request(first, origin, $0) }
        #expect(asked.wait(for: 2))
        let waiting = try request(second, origin, "/c")
        #expect(try Patience.until { try second.metric("pictor_requests_in_flight") == 1 })
        let report = try second.order(
            "/admin/explain\(DaemonUnderTest.target(origin.url("/c"), "output=raw").drop { $0 != "?" })",
            method: "GET")
        #expect(report.text.contains("\"fleet_fetches\":2"), "\(report.text)")
        #expect(asked.count == 2)
        if signal == SIGKILL { first.kill() } else { _ = first.stop() }
        #expect(asked.wait(for: 3))
        release.signal()
        #expect(try waiting.reply().status == 200)
        for connection in held { connection.close() }
    }

    @Test func `a fetch that waits too long for other nodes' is refused, and not without Redis`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = Self.origin(asked, until: release)
        let flags = [
            "--fleet-origin-limits", "true", "--origin-maximum-fetches-per-host", "1",
            "--origin-first-byte-timeout", "2m",
        ]
        let first = try daemon(flags)
        let second = try daemon(flags + ["--origin-queue-timeout", "2s"])
        #expect(try hasRedis(first) && hasRedis(second))
        let before = try ["unavailable", "refused"].map { try answers(second, "origin", $0) }
        let held = try request(first, origin, "/a")
        #expect(asked.wait())
        let reply = try second.get(origin.url("/b"), "output=raw")
        #expect(reply.status == 503 && reply["Retry-After"] != nil, "\(reply.text)")
        redis.kill()
        #expect(try Patience.until { try second.metric("pictor_fleet_connected") == 0 })
        let alone = try request(second, origin, "/c")
        #expect(asked.wait(for: 2))
        release.signal()
        #expect(try held.reply().status == 200)
        #expect(try alone.reply().status == 200)
        let after = try ["unavailable", "refused"].map { try answers(second, "origin", $0) }
        #expect(after == before.map { $0 + 1 })
    }
}
