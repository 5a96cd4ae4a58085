// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("A crowd leaves the daemon the descriptors that it lives by", .endToEnd, .timeLimit(.minutes(3)))
struct DescriptorReserveTests {
    private static let limit = 320
    /// Of the reserve, which is 96 or so, two thirds. What came a moment ago and is about to be turned away, and a worker process
    /// that is started anew, may have the others.
    private static let free = 64
    private static let small = Pictures.gradient(60, 40)
    /// 3 MB as PNG without compression: more than the sockets of a client hold that reads nothing.
    private static let large = Pictures.flat(1_200, 900, [1, 2, 3])
    private static let largeOptions = "w=1100&output=png&l=0"

    private let origin = ScriptedOrigin { peer in
        if peer.target == "/large" { return peer.picture(Self.large) }
        if !peer.hangsUp(within: 20) { peer.picture(Self.small) }
    }
    private let daemon: DaemonUnderTest

    init() throws {
        daemon = try DaemonUnderTest(
            ["--cache-memory", "1MiB", "--server-threads", "2"], openFiles: Self.limit)
    }

    /// Clients of both listeners that never end their request, and those who read nothing of a file's three megabytes: as many as
    /// there are descriptors. Whoever is turned away may be reset.
    private func crowd() -> [Connection] {
        (0..<Self.limit).compactMap { number in
            let isAdmin = number % 4 == 0
            guard let stranger = try? Connection(port: isAdmin ? daemon.adminPort : daemon.port) else {
                return nil
            }
            if number % 4 == 1 {
                try? stranger.request(DaemonUnderTest.target(origin.url("/large"), Self.largeOptions))
            } else {
                try? stranger.send("GET / HTTP/1.1\r\nHost:")
            }
            return stranger
        }
    }

    @Test func `hits are answered, misses are answered or refused, and all is well once it has gone`() throws
    {
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        #expect(try daemon.get(origin.url("/large"), Self.largeOptions).status == 200)
        // Answered once, so that the daemon has taken their connections before the crowd comes.
        let guests = try (0..<12).map { _ in
            let guest = try Connection(port: daemon.port)
            try guest.request(DaemonUnderTest.target(origin.url("/held"), "w=30"))
            #expect(try guest.reply().status == 200)
            return guest
        }
        // Two, and a spare one.
        let first = try #require(daemon.decoders(of: 3))
        var counts: [Int: Int] = [:]
        var most = 0
        for round in 0..<24 {
            let strangers = crowd()
            for (number, guest) in guests.enumerated() {
                try guest.request(DaemonUnderTest.target(origin.url("/\(round)/\(number)"), "w=30"))
            }
            most = max(most, daemon.openDescriptors)
            if round == 12 { for decoder in first { kill(decoder, SIGKILL) } }
            for guest in guests {
                let reply = try guest.reply()
                counts[reply.status, default: 0] += 1
                #expect([200, 503].contains(reply.status), "\(reply.text)")
                try guest.request(DaemonUnderTest.target(origin.url("/held"), "w=30"))
                #expect(try guest.reply().status == 200)
            }
            most = max(most, daemon.openDescriptors)
            for stranger in strangers { stranger.close() }
        }
        #expect(most <= Self.limit - Self.free, "\(counts)")
        #expect(daemon.decoders(of: 3).map { Set($0).isDisjoint(with: first) } == true)
        for guest in guests { guest.close() }
        #expect(
            Patience.until {
                (try? daemon.metric("pictor_work_in_flight") == 0 && daemon.metric("pictor_connections") == 0)
                    ?? false
            })
        for number in 0..<40 {
            let reply = try daemon.get(origin.url("/23/\(number)"), "w=30")
            #expect(reply.status == 200, "\(number): \(reply.status) \(reply.text)")
        }
        #expect(try daemon.metric("pictor_origins_resting") == 0)
    }

    @Test(.enabled(if: ScriptedResolver.isPossible, "a name server at port 53 takes root"))
    func `lookups that go on after their clients have left are bounded, and take nothing from others`() throws
    {
        let resolver = try ScriptedResolver { name, _ in
            name.hasSuffix("good.test") ? ["127.0.0.1"] : ScriptedResolver.silence
        }
        let daemon = try DaemonUnderTest(
            ["--server-threads", "2", "--origin-connect-timeout", "5s"], resolver: resolver,
            openFiles: Self.limit)
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        #expect(try daemon.get(origin.url("/known", host: "www.good.test"), "w=30").status == 200)
        let before = daemon.openDescriptors
        // 8 in all: 2 for one site, 6 for names that never had an address.
        try leave(daemon, resolver, (0..<2).map { "a\($0).wildcard.test" })
        for number in 2..<6 {
            let reply = try daemon.get("/?url=http://a\(number).wildcard.test/x&w=30")
            #expect([503, 504].contains(reply.status), "\(reply.text)")
        }
        #expect(try daemon.get(origin.url("/other", host: "other-good.test"), "w=30").status == 200)
        for batch in 0..<2 { try leave(daemon, resolver, (0..<2).map { "a.dead\(batch)\($0).test" }) }
        // On a slow machine the first lookups may end meanwhile; then there is room for one more, which is too slow.
        var counts: [Int: Int] = [:]
        for number in 0..<20 {
            let reply = try daemon.get("/?url=http://b\(number).example\(number).test/x&w=30")
            counts[reply.status, default: 0] += 1
            #expect([503, 504].contains(reply.status), "\(reply.text)")
        }
        #expect(counts[503] ?? 0 >= 12, "\(counts)")
        #expect(daemon.openDescriptors <= before + 4 * 8 + 8)
        #expect(daemon.logLine(with: "too many lookups of names") != nil)
        // An address needs none, and what is held needs nobody. A name that had an address may be looked up again.
        #expect(try daemon.get(origin.url("/new"), "w=30").status == 200)
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        #expect(try daemon.get(origin.url("/new", host: "www.good.test"), "w=30").status == 200)
    }

    /// Clients that ask for these hosts, and leave once all are looked up.
    private func leave(_ daemon: DaemonUnderTest, _ resolver: ScriptedResolver, _ hosts: [String]) throws {
        let clients = try hosts.map { host in
            let client = try Connection(port: daemon.port)
            try client.request("/?url=http://\(host)/x&w=30")
            return client
        }
        #expect(Patience.until { Set(hosts).isSubset(of: resolver.names) })
        for client in clients { client.close() }
        #expect(try Patience.until { try daemon.metric("pictor_work_in_flight") == 0 })
    }
}
