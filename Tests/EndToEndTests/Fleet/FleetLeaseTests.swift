// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Daemons that share Redis and a store do a piece of work once", .endToEnd)
struct FleetLeaseTests {
    private static let picture = Pictures.gradient(60, 30)
    private static let widths = [10, 20, 30]

    private let store = StoreDouble()
    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    /// - Parameter timeout: a machine that builds beside it may be slow.
    private func daemon(
        _ flags: String..., wait: String = "2m", timeout: String = "4m"
    ) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            store.flags + [
                "--fleet-redis", redis.address, "--fleet-lease-wait", wait, "--fleet-command-timeout",
                timeout, "--origin-first-byte-timeout",
                "2m", "--origin-timeout", "3m",
            ] + flags, environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
    }

    /// An origin that lets nobody's request go on before it is released.
    private func gatedOrigin(_ asked: Latch, _ release: Latch) -> ScriptedOrigin {
        ScriptedOrigin { peer in
            asked.signal()
            release.wait()
            peer.picture(Self.picture)
        }
    }

    private func request(
        _ daemon: DaemonUnderTest, _ origin: ScriptedOrigin, width: Int = 30
    ) throws -> Connection {
        let connection = try Connection(port: daemon.port)
        try connection.request(DaemonUnderTest.target(origin.url(), "w=\(width)"))
        return connection
    }

    private func leases(_ daemon: DaemonUnderTest, _ result: String) throws -> Int {
        try daemon.metric("pictor_fleet_leases_total", "result=\"\(result)\"")
    }

    private func isBusy(_ daemon: DaemonUnderTest, _ count: Int) throws -> Bool {
        try Patience.until { try daemon.metric("pictor_requests_in_flight") == count }
    }

    /// Waits until the daemon gets leases; it has led one then.
    private func hasRedis(_ daemon: DaemonUnderTest) throws -> Bool {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        var number = 0
        return try Patience.until {
            number += 1
            _ = try daemon.get(origin.url("/\(daemon.port)/\(number)"), "output=raw")
            return try leases(daemon, "led") == 1
        }
    }

    @Test func `300 clients at three nodes cost one fetch and three renderings of a cold picture`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = gatedOrigin(asked, release)
        let nodes = try (0..<3).map { _ in try daemon() }
        for node in nodes { #expect(try hasRedis(node)) }
        let crowd = try (0..<300).map { number in
            let width = Self.widths[number / 3 % 3]
            return (width, try request(nodes[number % 3], origin, width: width))
        }
        for node in nodes { #expect(try isBusy(node, 100)) }
        release.signal()
        var bodies: [Int: Set<[UInt8]>] = [:]
        var tags: [Int: Set<String>] = [:]
        for (width, connection) in crowd {
            let reply = try connection.reply()
            #expect(reply.status == 200, "\(reply.text)")
            bodies[width, default: []].insert(reply.body)
            tags[width, default: []].insert(reply["ETag"] ?? "")
        }
        for width in Self.widths {
            #expect(bodies[width]?.count == 1 && tags[width]?.count == 1, "one picture for \(width)")
        }
        #expect(origin.heads.count == 1)
        #expect(try nodes.map { try $0.metric("pictor_renders_total") }.reduce(0, +) == 3)
        #expect(try nodes.map { try leases($0, "led") }.reduce(0, +) == 3 + 4)
        for result in ["expired", "unshared", "unavailable"] {
            #expect(try nodes.map { try leases($0, result) }.reduce(0, +) == 0, "\(result)")
        }
    }

    @Test func `explain names the node whose lease it is`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = gatedOrigin(asked, release)
        let (first, second) = (try daemon(), try daemon())
        #expect(try hasRedis(first) && hasRedis(second))
        func holder() throws -> String? {
            let target = DaemonUnderTest.target(origin.url(), "w=30")
            let query = target.drop { $0 != "?" }
            let reply = try second.order("/admin/explain\(query)", method: "GET")
            let object = try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any]
            return (object?["forecast"] as? [String: Any])?["lease_holder"] as? String
        }
        #expect(try holder() == nil)
        let client = try request(first, origin)
        #expect(asked.wait())
        #expect(try holder() != nil)
        release.signal()
        #expect(try client.reply().status == 200)
        #expect(try Patience.until { try holder() == nil })
    }

    @Test func `a leader that is killed costs its followers the lease's time`() throws {
        let asked = Latch()
        let origin = ScriptedOrigin { peer in
            asked.signal()
            if asked.count == 1 { return peer.waitForHangup() }
            peer.picture(Self.picture)
        }
        let (first, second) = (
            try daemon("--fleet-lease-time", "5s"), try daemon("--fleet-lease-time", "5s")
        )
        #expect(try hasRedis(first) && hasRedis(second))
        let client = try request(first, origin)
        #expect(asked.wait())
        let follower = try request(second, origin)
        #expect(try isBusy(second, 1))
        first.kill()
        #expect(try follower.reply().status == 200)
        #expect(origin.heads.count == 2)
        #expect(try leases(second, "led") == 1 + 2 && leases(second, "expired") == 0)
        client.close()
    }

    @Test(arguments: [SIGKILL, SIGSTOP])
    func `a Redis that is gone frees those who wait`(signal: Int32) throws {
        let (asked, release) = (Latch(), Latch())
        let origin = gatedOrigin(asked, release)
        let (first, second) = (try daemon(timeout: "4s"), try daemon(timeout: "4s"))
        #expect(try hasRedis(first) && hasRedis(second))
        let client = try request(first, origin)
        #expect(asked.wait())
        let follower = try request(second, origin)
        #expect(try isBusy(second, 1))
        let before = try leases(second, "unavailable")
        if signal == SIGKILL { redis.kill() } else { redis.signal(signal) }
        // The follower asks for itself.
        #expect(asked.wait(for: 2))
        release.signal()
        #expect(try client.reply().status == 200)
        #expect(try follower.reply().status == 200)
        #expect(try leases(second, "unavailable") > before)
        // What comes now is made as without a fleet.
        let later = try second.get(origin.url("/later"), "w=20")
        #expect(later.status == 200)
        if signal == SIGSTOP { redis.signal(SIGCONT) }
    }

    @Test func `a store that takes nothing frees those who wait`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = gatedOrigin(asked, release)
        let (first, second) = (try daemon(), try daemon())
        #expect(try hasRedis(first) && hasRedis(second))
        store.behaviour = .full
        let client = try request(first, origin)
        #expect(asked.wait())
        let follower = try request(second, origin)
        #expect(try isBusy(second, 1))
        release.signal()
        #expect(try client.reply().status == 200)
        #expect(try follower.reply().status == 200)
        #expect(origin.heads.count == 2)
        // Where the first one is done with the picture sooner than the second one asks, there is no second lease to wait for.
        #expect(try (1...2).contains(leases(second, "unshared")))
        #expect(try leases(second, "expired") == 0)
    }

    @Test func `a leader that takes too long is not waited for any longer`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = gatedOrigin(asked, release)
        let (first, second) = (try daemon(), try daemon(wait: "100ms"))
        #expect(try hasRedis(first) && hasRedis(second))
        let client = try request(first, origin)
        #expect(asked.wait())
        let follower = try request(second, origin)
        #expect(asked.wait(for: 2))
        #expect(try leases(second, "expired") == 1)
        release.signal()
        #expect(try client.reply().status == 200)
        #expect(try follower.reply().status == 200)
    }

    @Test func `a daemon that ends gives its leases back`() throws {
        let (asked, release) = (Latch(), Latch())
        let origin = gatedOrigin(asked, release)
        let first = try daemon("--server-drain-timeout", "100ms", "--fleet-lease-time", "1h")
        let second = try daemon()
        #expect(try hasRedis(first) && hasRedis(second))
        let client = try request(first, origin)
        #expect(asked.wait())
        let follower = try request(second, origin)
        #expect(try isBusy(second, 1))
        _ = first.stop()
        client.close()
        #expect(asked.wait(for: 2))
        release.signal()
        #expect(try follower.reply().status == 200)
        #expect(try leases(second, "led") > 1)
    }
}
