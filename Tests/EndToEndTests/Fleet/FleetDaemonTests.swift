// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Purges reach every node of a fleet", .endToEnd)
struct FleetDaemonTests {
    private static let picture = Pictures.gradient(60, 40)

    private let redis: RedisServer
    private let origin = ScriptedOrigin { peer in
        if peer.has("If-None-Match: \"1\"") {
            return peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
        }
        peer.picture(picture, fields: ["ETag: \"1\"", "Cache-Tag: shop"])
    }

    init() throws { redis = try RedisServer() }

    private func daemon(
        _ flags: String..., cache: TemporaryFolder? = nil, environment: [String: String] = [:]
    ) throws -> DaemonUnderTest {
        // A machine with much else to do may be late with anything.
        let daemon = try DaemonUnderTest(
            [
                "--fleet-redis", redis.address, "--fleet-command-timeout", "10s", "--fleet-catch-up-timeout",
                "60s",
            ] + flags, cache: cache,
            environment: DaemonUnderTest.trusting.merging(environment) { $1 })
        if flags.contains("--fleet-catch-up-timeout") { return daemon }
        // A start waits for the news of the others, and not for the connection by which its own are told.
        #expect(try Patience.until { try daemon.metric("pictor_fleet_connected") == 1 })
        return daemon
    }

    private func ask(_ daemon: DaemonUnderTest, _ target: String = "/a.png") throws -> Connection.Reply {
        let reply = try daemon.get(origin.url(target), "w=30")
        #expect(reply.status == 200, "\(reply.text)")
        return reply
    }

    /// Whether the origin is asked for it.
    private func asks(_ daemon: DaemonUnderTest, _ target: String = "/a.png") throws -> Bool {
        let before = origin.heads.count
        _ = try ask(daemon, target)
        return origin.heads.count > before
    }

    private func url(_ target: String = "/a.png") -> String { #"{"url":"\#(origin.url(target).absolute)"}"# }

    /// What the answer says of the fleet.
    private func purge(_ daemon: DaemonUnderTest, _ order: String) throws -> String? {
        let reply = try daemon.order("/admin/purge", order)
        #expect(reply.status == 200, "\(reply.text)")
        return reply.text.firstMatch(of: /"fleet":"([a-z]+)"/).map { String($0.1) }
    }

    /// What `GET /admin/stats` says of the fleet; nil where it says nothing.
    private func fleet(_ daemon: DaemonUnderTest) throws -> [String: Any]? {
        let reply = try daemon.order("/admin/stats", method: "GET")
        let report = try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any]
        return report?["fleet"] as? [String: Any]
    }

    private func received(_ daemon: DaemonUnderTest, _ count: Int) throws -> Bool {
        try Patience.until {
            try daemon.metric("pictor_fleet_purges_total", "direction=\"received\"") == count
        }
    }

    @Test(arguments: [false, true])
    func `a purge of a URL reaches what other nodes keep of it for fields of clients`(isSoft: Bool) throws {
        let folder = TemporaryFolder()
        let file = folder.path + "/origins.yaml"
        try "shop: {match: '\(origin.url("/").absolute)', pass: Cookie}".write(
            toFile: file, atomically: true, encoding: .utf8)
        let flags = ["--origin-profiles", file, "--cache-stale-while-revalidate", "0s"]
        let (one, other) = (
            try daemon(flags[0], flags[1], flags[2], flags[3]),
            try daemon(flags[0], flags[1], flags[2], flags[3])
        )
        func askOther(_ cookie: String?) throws {
            let fields = cookie.map { [("Cookie", $0)] } ?? []
            #expect(try other.get(origin.url("/a.png"), "w=30", fields: fields).status == 200)
        }
        for cookie in [nil, "s=anna", "s=ben"] { try askOther(cookie) }
        _ = try ask(one)
        #expect(origin.heads.count == 4)
        let order = #"{"url":"\#(origin.url("/a.png").absolute)","soft":\#(isSoft)}"#
        #expect(try purge(one, order) == "told" && received(other, 1))
        for cookie in [nil, "s=anna", "s=ben"] { try askOther(cookie) }
        #expect(origin.heads.count == 7)
    }

    @Test func `a node on a disk that can only be read carries out all that was purged`() throws {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here.")
        }
        let targets = ["/a.png", "/b.png"]
        let (a, b) = (try daemon(), try daemon(cache: disk.folder))
        for target in targets { #expect(try asks(b, target)) }
        #expect(b.stop() == 0)
        for target in targets { #expect(try purge(a, url(target)) == "told") }
        try #require(disk.setReadOnly(true))
        let again = try daemon(cache: disk.folder)
        for target in targets { #expect(try asks(again, target)) }
        #expect(try received(again, 2))
        // What is ordered there reaches the others as well.
        #expect(try asks(a) && !asks(a))
        let reply = try again.order("/admin/purge", url())
        #expect(reply.status == 503 && reply.text.contains("The other nodes: told"), "\(reply.text)")
        #expect(try received(a, 1) && asks(a))
        #expect(again.stop() == 0)
    }

    @Test(arguments: ["url", "prefix", "host", "tag", "all"])
    func `what one node purges no other serves`(word: String) throws {
        let (a, b, c) = (try daemon(), try daemon(), try daemon())
        for node in [a, b, c] {
            #expect(try asks(node))
            #expect(try !asks(node))
        }
        let url = origin.url("/a.png").absolute
        let order =
            switch word {
            case "url": #"{"url":"\#(url)"}"#
            case "prefix": #"{"prefix":"\#(url.dropLast(3))"}"#
            case "host": #"{"host":"127.0.0.1"}"#
            case "tag": #"{"tag":"shop"}"#
            default: #"{"all":true}"#
            }
        #expect(try purge(a, order) == "told")
        #expect(try received(b, 1) && received(c, 1))
        for node in [a, b, c] {
            #expect(try asks(node))
            #expect(try !asks(node))
        }
        #expect(try a.metric("pictor_fleet_purges_total", "direction=\"sent\"") == 1)
        #expect(try a.metric("pictor_fleet_purges_total", "direction=\"received\"") == 0)
        #expect(try b.metric("pictor_fleet_connected") == 1 && b.metric("pictor_fleet_gaps_total") == 0)
        let last = try #require(try redis.run(["XREVRANGE", "{pictor}:news", "+", "-", "COUNT", "1"]))
        #expect(
            try Patience.until {
                // The first line is the entry's name.
                let position = try fleet(b)?["position"] as? String
                return position != nil && position == last.split(separator: "\n").first.map(String.init)
            })
        #expect(try fleet(b)?["received"] as? Int == 1 && fleet(b)?["is_connected"] as? Bool == true)
        #expect(try (fleet(b)?["lag_seconds"] as? Int).map { $0 < 60 } == true)
    }

    @Test func `each node knows how many others there are`() throws {
        let (a, b) = (try daemon(), try daemon())
        for node in [b, a] { #expect(try Patience.until { try node.metric("pictor_peers") == 1 }) }
        #expect(try fleet(b)?["peers"] as? Int == 1)
        #expect(try b.metric("pictor_fleet_connects_total") >= 1)
    }

    @Test func `a soft purge makes the others ask before they go on, and a dry run tells nobody`() throws {
        let (a, b) = (try daemon(), try daemon("--cache-stale-while-revalidate", "0s"))
        _ = try (ask(a), ask(b))
        #expect(try purge(a, #"{"all":true,"dry_run":true}"#) == nil)
        #expect(try purge(a, #"{"all":true,"soft":true}"#) == "told")
        #expect(try received(b, 1))
        #expect(try ask(b)["Cache-Status"]?.contains("fwd-status=304") == true)
    }

    @Test func `a node that was away does not serve what was purged meanwhile`() throws {
        let a = try daemon()
        let cache = TemporaryFolder()
        let b = try daemon(cache: cache)
        for target in ["/a.png", "/b.png"] { _ = try (ask(a, target), ask(b, target)) }
        #expect(b.stop() == 0)
        #expect(try purge(a, url()) == "told")
        let again = try daemon(cache: cache)
        // The first request that it can have.
        #expect(try asks(again))
        #expect(try !asks(again, "/b.png"))
        again.kill()
        #expect(try purge(a, url("/b.png")) == "told")
        let last = try daemon(cache: cache)
        #expect(try asks(last, "/b.png"))
        #expect(try last.metric("pictor_fleet_gaps_total") == 0)
    }

    @Test func `without Redis each serves on, and what was purged is told as soon as it is back`() throws {
        let cache = TemporaryFolder()
        let (a, b) = (try daemon(cache: cache), try daemon())
        for target in ["/a.png", "/b.png"] { _ = try (ask(a, target), ask(b, target)) }
        redis.kill()
        #expect(b.logLine(with: "the fleet's Redis is away") != nil)
        #expect(try purge(a, url()) == "waiting")
        #expect(try a.metric("pictor_fleet_outbox") == 1)
        #expect(try fleet(a)?["outbox"] as? Int == 1 && fleet(a)?["is_connected"] as? Bool == false)
        let view = try a.command(["top", "--once"])
        let line = view.lines.first { $0.hasPrefix("fleet ") } ?? view.output
        #expect(line.contains("Redis is away") && line.contains("outbox 1"), "\(line)")
        #expect(try a.command(["doctor"]).output.contains("The fleet's Redis is away"))
        #expect(try asks(a) && !asks(b))
        #expect(a.stop() == 0)
        let again = try daemon("--fleet-catch-up-timeout", "100ms", cache: cache)
        #expect(again.logLine(with: "does not tell what was purged meanwhile") != nil)
        #expect(try purge(again, url("/b.png")) == "waiting")
        try redis.start()
        #expect(try received(b, 2))
        #expect(try asks(b) && asks(b, "/b.png"))
        #expect(b.logLine(with: "the fleet's Redis is back") != nil)
        #expect(try Patience.until { try again.metric("pictor_fleet_outbox") == 0 })
        #expect(b.log.count { $0.contains("Redis is away") } == 1)
    }

    @Test func `a Redis that stands still holds up no picture`() throws {
        let flags = ("--fleet-command-timeout", "300ms")
        let (a, b) = (try daemon(flags.0, flags.1), try daemon(flags.0, flags.1))
        _ = try (ask(a), ask(b))
        redis.signal(SIGSTOP)
        #expect(try purge(a, url()) == "waiting")
        #expect(try !asks(b) && asks(b, "/new.png"))
        #expect(a.logLine(with: "the fleet's Redis is away") != nil)
        redis.signal(SIGCONT)
        #expect(try received(b, 1))
        #expect(try asks(b))
    }

    @Test(arguments: ["FLUSHALL", "XTRIM {pictor}:news MAXLEN 1"])
    func `a node that was away for too long has everything confirmed before it serves it`(loss: String) throws
    {
        let a = try daemon()
        let cache = TemporaryFolder()
        let b = try daemon("--cache-stale-while-revalidate", "1h", cache: cache)
        _ = try (ask(a), ask(b))
        #expect(b.stop() == 0)
        for target in ["/x", "/y"] { #expect(try purge(a, url(target)) == "told") }
        try redis.run(loss.split(separator: " ").map(String.init))
        let again = try daemon("--cache-stale-while-revalidate", "1h", cache: cache)
        let confirmed = try ask(again)
        #expect(
            confirmed["Cache-Status"]?.contains("fwd-status=304") == true,
            "\(confirmed["Cache-Status"] ?? "")")
        #expect(try again.metric("pictor_fleet_gaps_total") == 1)
        #expect(again.logLine(with: "all that is held is confirmed anew") != nil)
        #expect(try !asks(again))
    }

    @Test func `a cache folder that was away does not bring back what was purged meanwhile`() throws {
        let (a, b) = (try daemon(), try daemon("--cache-stale-while-revalidate", "1h"))
        _ = try (ask(a), ask(b))
        let away = b.cache.path + "-away"
        defer { try? FileManager.default.removeItem(atPath: away) }
        #expect(rename(b.cache.path, away) == 0)
        #expect(try Patience.until { try b.metric("pictor_disk_reopened_total") == 1 })
        #expect(try purge(a, url()) == "told")
        #expect(try received(b, 1))
        // A new one may be made in between.
        #expect(
            Patience.until {
                try? FileManager.default.removeItem(atPath: b.cache.path)
                return rename(away, b.cache.path) == 0
            })
        #expect(b.logLine(with: "all that it holds is confirmed anew", "originals") != nil)
        // A slow daemon may find the folder in the middle of the exchange, and fetch anew what it does not find there.
        #expect(try asks(b))
    }

    @Test func `a password that Redis refuses is told, and pictures are served all the same`() throws {
        let locked = try RedisServer("--requirepass", "right")
        let b = try DaemonUnderTest(
            ["--fleet-redis", locked.address, "--fleet-catch-up-timeout", "100ms"],
            environment: ["PICTOR_FLEET_PASSWORD": "wrong-and-secret"])
        _ = try ask(b)
        #expect(b.logLine(with: "the fleet's Redis is away", "WRONGPASS") != nil)
        #expect(try b.metric("pictor_fleet_connected") == 0)
        #expect(!b.log.contains { $0.contains("wrong-and-secret") })
        let a = try DaemonUnderTest(
            ["--fleet-redis", locked.address, "--fleet-catch-up-timeout", "60s"],
            environment: ["PICTOR_FLEET_PASSWORD": "right"])
        #expect(try Patience.until { try a.metric("pictor_fleet_connected") == 1 })
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n\r\n", "*1000000000\r\n", "$999999999999\r\n", "+OK\r\n", ""])
    func `whatever answers in Redis's place, pictures are served`(answer: String) throws {
        let liar = try LyingServer(answer)
        let node = try DaemonUnderTest(
            [
                "--fleet-redis", liar.address, "--fleet-catch-up-timeout", "100ms", "--fleet-command-timeout",
                "100ms",
            ], environment: DaemonUnderTest.trusting)
        _ = try ask(node)
        #expect(try purge(node, url()) == "waiting")
        #expect(try asks(node))
        #expect(node.stop() == 0)
        liar.close()
    }

    @Test func `what another has purged is not read back from the store that they share`() throws {
        let store = StoreDouble()
        func sharing(_ cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
            try DaemonUnderTest(
                store.flags + [
                    "--fleet-redis", redis.address, "--fleet-command-timeout", "10s",
                    "--fleet-catch-up-timeout", "60s",
                ], cache: cache,
                environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
        }
        let (a, b) = (try sharing(), try sharing())
        #expect(try Patience.until { try a.metric("pictor_fleet_connected") == 1 })
        _ = try ask(a)
        #expect(
            try Patience.until { try a.metric("pictor_shared_store_queue") == 0 && store.objects.count == 2 })
        // The entry stays in the store.
        store.behaviour = .keeping
        #expect(try purge(a, #"{"host":"127.0.0.1"}"#) == "told")
        #expect(try received(b, 1))
        #expect(try asks(b) && store.objects.count == 2)
        #expect(try b.metric("pictor_shared_store_deletes_total") == 0)
        // Nor by a node that is new.
        _ = try purge(a, #"{"host":"127.0.0.1"}"#)
        #expect(try received(b, 2))
        let c = try sharing()
        #expect(try asks(c))
    }

    @Test func `alone, nothing is said of a fleet`() throws {
        let alone = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        _ = try ask(alone)
        #expect(try purge(alone, url()) == nil)
        #expect(try alone.metric("pictor_fleet_connected") == 0 && alone.metric("pictor_peers") == 0)
        #expect(try alone.metric("pictor_fleet_connects_total") == 0)
        #expect(alone.cache.files(in: "").allSatisfy { !$0.hasPrefix("fleet") })
    }
}
