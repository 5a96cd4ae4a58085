// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("A failing origin is left alone until it is well again", .endToEnd, .timeLimit(.minutes(5)))
struct OriginHealthDaemonTests {
    private static let picture = Pictures.gradient(60, 40)
    /// Long enough to look at it, and without an end that a slow machine could miss.
    private static let long = [
        "--origin-rest-after", "3", "--origin-first-rest", "1h", "--origin-longest-rest", "1h",
    ]
    private static let short = ["--origin-rest-after", "3", "--origin-first-rest", "20ms"]

    /// Answers 503 while `isDown`, and pictures otherwise.
    private final class Server: Sendable {
        let isDown = Switch()
        let origin: ScriptedOrigin

        init(_ answer: @escaping @Sendable (Peer) -> Void = { $0.answer("503 Busy") }) {
            origin = ScriptedOrigin { [isDown] peer in
                if isDown.isOn { answer(peer) } else { peer.picture(OriginHealthDaemonTests.picture) }
            }
        }
    }

    @Test func `it goes down, is left alone, and comes back`() throws {
        let server = Server()
        let daemon = try DaemonUnderTest(Self.short)
        #expect(try daemon.get(server.origin.url("/before"), "w=30").status == 200)
        server.isDown.turn(on: true)
        for number in 1...3 { #expect(try daemon.get(server.origin.url("/\(number)")).status == 503) }
        #expect(daemon.logLine(with: "origin is left alone", "127.0.0.1:\(server.origin.port)") != nil)
        server.isDown.turn(on: false)
        // Whoever comes after the rest asks for all.
        #expect(try Patience.until { try daemon.get(server.origin.url("/after"), "w=30").status == 200 })
        #expect(daemon.logLine(with: "origin is well again", "127.0.0.1:\(server.origin.port)") != nil)
        #expect(try daemon.metric("pictor_origins_resting") == 0)
        #expect(try daemon.metric("pictor_origin_rests_total") == 1)
        #expect(try daemon.metric("pictor_origin_probes_total") >= 1)
    }

    @Test func `while it rests its URLs are refused at once, and other origins are not`() throws {
        let server = Server()
        let other = Server()
        let daemon = try DaemonUnderTest(Self.long)
        server.isDown.turn(on: true)
        for number in 1...3 { _ = try daemon.get(server.origin.url("/\(number)")) }
        server.isDown.turn(on: false)
        let asked = server.origin.heads.count
        let refusal = try daemon.get(server.origin.url("/other"), "w=30")
        #expect(refusal.status == 503)
        #expect(refusal.text.contains("\"error\":\"origin_resting\""), "\(refusal.text)")
        #expect((1800...3600).contains(Int(refusal["Retry-After"] ?? "") ?? 0))
        #expect(refusal["Cache-Control"] == "no-store")
        #expect(server.origin.heads.count == asked)
        #expect(try daemon.get(other.origin.url("/other"), "w=30").status == 200)
        #expect(try daemon.metric("pictor_origins_resting") == 1)
        #expect(try daemon.metric("pictor_origin_refusals_total") == 1)

        let target = DaemonUnderTest.target(server.origin.url("/other"), "w=30")
        let explained = try object(
            daemon.admin(target.replacing("/img?", with: "/admin/explain?")))
        let origin = try #require(explained["origin"] as? [String: Any])
        #expect(origin["state"] as? String == "resting" && origin["clients"] as? Int == 1)
        #expect((explained["forecast"] as? [String: Any])?["outcome"] as? String == "refused")
        let statistics = try object(daemon.admin("/admin/stats"))
        let origins = try #require(statistics["origins"] as? [String: Any])
        #expect(origins["resting_count"] as? Int == 1)
        let resting = try #require(origins["resting"] as? [[String: Any]])
        #expect(resting.first?["origin"] as? String == "http://127.0.0.1:\(server.origin.port)")
    }

    private func object(_ reply: Connection.Reply) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(reply.body)) as? [String: Any], "\(reply.text)")
    }

    @Test func `what is held is served stale while it rests`() throws {
        let down = Switch()
        let origin = ScriptedOrigin { peer in
            if down.isOn { peer.reset() } else { peer.picture(Self.picture, maxAge: 0) }
        }
        let daemon = try DaemonUnderTest(Self.long)
        #expect(try daemon.get(origin.url("/held"), "w=30").status == 200)
        down.turn(on: true)
        for number in 1...3 { #expect(try daemon.get(origin.url("/\(number)")).status == 502) }
        let asked = origin.heads.count
        for _ in 1...3 {
            let reply = try daemon.get(origin.url("/held"), "w=30")
            #expect(reply.status == 200)
            #expect(reply["Cache-Status"]?.contains("detail=stale") == true)
        }
        #expect(origin.heads.count == asked)
    }

    @Test func `nothing listens there: the connection is not tried again and again`() throws {
        let gone = try ReservedPort()
        let daemon = try DaemonUnderTest(Self.long)
        var statuses: [Int] = []
        for number in 1...5 {
            let url = SourceURL(
                scheme: .http, host: "127.0.0.1", port: gone.number, target: "/\(number)")
            statuses.append(try daemon.get(url).status)
        }
        #expect(statuses == [502, 502, 502, 503, 503])
        withExtendedLifetime(gone) {}
    }

    @Test func `neither a 429 nor a 503 with a pause is for more than its URL`() throws {
        let origin = ScriptedOrigin { peer in
            switch peer.target {
            case "/busy": peer.answer("503 Busy", fields: ["Retry-After: 200"])
            case "/limit": peer.answer("429 Too Many Requests", fields: ["Retry-After: 100"])
            default: peer.picture(Self.picture)
            }
        }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url("/busy")).status == 503)
        #expect(try daemon.get(origin.url("/limit")).status == 429)
        for target in ["/a", "/b", "/c"] {
            #expect(try daemon.get(origin.url(target), "w=30").status == 200)
        }
        for (target, status) in [("/busy", 503), ("/limit", 429)] {
            let again = try daemon.get(origin.url(target))
            #expect(again.status == status)
            #expect((1...200).contains(Int(again["Retry-After"] ?? "") ?? 0))
        }
        #expect(origin.heads.count == 5)
        #expect(try daemon.metric("pictor_origins_slowed") == 1)
        #expect(try daemon.metric("pictor_origins_resting") == 0)
    }

    @Test func `a stranger who names URLs that fail switches the host off for nobody else`() throws {
        let origin = ScriptedOrigin { peer in
            if peer.target.hasPrefix("/good") { return peer.picture(Self.picture) }
            peer.answer("500 Broken")
        }
        let daemon = try DaemonUnderTest(["--origin-first-rest", "1h", "--origin-longest-rest", "1h"])
        func get(_ target: String, from client: String) throws -> Int {
            try daemon.get(DaemonUnderTest.target(origin.url(target), "w=30"), from: client).status
        }
        for number in 1...30 { _ = try get("/bad/\(number)", from: "127.0.0.66") }
        #expect(origin.heads.count == 10)
        #expect(try get("/good/0", from: "127.0.0.66") == 503)
        #expect(try get("/good/1", from: "127.0.0.7") == 200)
        #expect(daemon.logLine(with: "origin is left alone", "the client whose requests failed") != nil)
        // Whoever found it well found it so for all.
        #expect(try get("/good/2", from: "127.0.0.66") == 200)
    }

    @Test func `what several clients find failing is left alone for all`() throws {
        let origin = ScriptedOrigin { $0.answer("500 Broken") }
        let daemon = try DaemonUnderTest(["--origin-first-rest", "1h", "--origin-longest-rest", "1h"])
        for number in 0..<10 {
            let target = DaemonUnderTest.target(origin.url("/\(number)"))
            #expect(try daemon.get(target, from: "127.0.0.\(5 + number % 3)").status == 502)
        }
        let refusal = try daemon.get(DaemonUnderTest.target(origin.url("/other")), from: "127.0.0.9")
        #expect(refusal.status == 503 && refusal.text.contains("origin_resting"))
        #expect(daemon.logLine(with: "origin is left alone", "everybody") != nil)
    }

    @Test func `after an outage the first new picture comes within the first rest, however long it lasted`()
        throws
    {
        let server = Server { $0.reset() }
        let daemon = try DaemonUnderTest([
            "--origin-rest-after", "3", "--origin-first-rest", "200ms", "--origin-longest-rest", "1h",
            "--negative-unreachable", "0s",
        ])
        server.isDown.turn(on: true)
        // Until a rest, of 400 s at least, is longer than a test's patience.
        #expect(
            try Patience.until {
                _ = try daemon.get(server.origin.url("/\(server.origin.heads.count)"))
                let listed = try daemon.admin("/admin/stats").text
                return listed.firstMatch(of: /"rests":([0-9]+),"retry/).flatMap { Int($0.1) } ?? 0 >= 13
            })
        server.isDown.turn(on: false)
        #expect(try Patience.until { try daemon.get(server.origin.url("/new"), "w=30").status == 200 })
    }

    @Test func `fetches beyond the rate wait, and all are answered`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest(["--origin-maximum-rate-per-host", "5"])
        let started = ContinuousClock.now
        let clients = try (0..<6).map { number in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(origin.url("/\(number)"), "w=30"))
            return connection
        }
        for client in clients { #expect(try client.reply().status == 200) }
        // Each after the first waited for a fifth of a second: less time cannot have passed, on whatever machine.
        #expect(started.duration(to: .now) >= .seconds(1))
        #expect(origin.heads.count == 6)
    }
}

/// On or off, from any thread.
private final class Switch: Sendable {
    private let state = Mutex(false)
    var isOn: Bool { state.withLock(\.self) }
    func turn(on: Bool) { state.withLock { $0 = on } }
}
