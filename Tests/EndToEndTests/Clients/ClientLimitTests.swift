// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("One client has its share, and no more of it", .endToEnd, .timeLimit(.minutes(5)))
struct ClientLimitTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    /// Also that it is told as every refusal is.
    private func isRefused(_ reply: Connection.Reply, _ error: String) throws -> Bool {
        guard reply.status == 429 else { return false }
        let refusal = try JSONDecoder().decode(Refusal.self, from: Data(reply.body))
        #expect(refusal.error == error)
        #expect(refusal.code == 429)
        #expect(reply["Cache-Control"] == "no-store")
        #expect(reply["Content-Type"] == "application/json")
        #expect((1...3600).contains(Int(reply["Retry-After"] ?? "") ?? 0))
        return true
    }

    @Test func `requests beyond the rate are refused, hits among them, and the connection lives on`() throws {
        let daemon = try DaemonUnderTest(["--limits-requests-per-client", "3/1h"])
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        let connection = try Connection(port: daemon.port, from: "127.0.0.5")
        for _ in 1...3 {
            try connection.request(target)
            #expect(try connection.reply().status == 200)
        }
        for method in ["GET", "HEAD", "POST"] {
            try connection.request(target, method: method)
            let reply = try connection.reply(bodiless: method == "HEAD")
            #expect(reply.status == 429)
            // A token comes back after 20 minutes, of which some seconds may have passed.
            #expect((1000...1200).contains(Int(reply["Retry-After"] ?? "") ?? 0))
            if method == "GET" { #expect(try isRefused(reply, "too_many_requests")) }
        }
        // Somebody else is not concerned.
        #expect(try daemon.get(target, from: "127.0.0.6").status == 200)
        #expect(try daemon.metric("pictor_requests_limited_total", "limit=\"requests\"") == 3)
        let lines = try #require(daemon.accessLog(of: 7))
        #expect(lines.count { $0.contains("\"status\":429") && $0.contains("\"outcome\":\"refused\"") } == 3)
    }

    @Test func `a client that does not wait to be let in again is slowed down, and nobody beside it`() throws
    {
        let daemon = try DaemonUnderTest(["--limits-requests-per-client", "1/1h"])
        let connection = try Connection(port: daemon.port, from: "127.0.0.5")
        // In one piece, so that all are due at once: more than leave at once, and more than may.
        try connection.send(String(repeating: "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n", count: 54))
        let statuses = try (0..<54).map { _ in try connection.reply().status }
        #expect(statuses == [404] + Array(repeating: 429, count: 53))
        #expect(try daemon.metric("pictor_refusals_held_total") > 0)
        let picture = DaemonUnderTest.target(origin.url(), "w=30")
        #expect(try daemon.get(picture, from: "127.0.0.6").status == 200)
    }

    @Test func `a refused request's content is not taken for another request`() throws {
        let daemon = try DaemonUnderTest(["--limits-requests-per-client", "1/1h"])
        let connection = try Connection(port: daemon.port, from: "127.0.0.5")
        try connection.request("/nothing")
        _ = try connection.reply()
        try connection.request("/nothing", method: "POST", body: "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n")
        let reply = try connection.reply()
        #expect(try isRefused(reply, "too_many_requests"))
        #expect(reply["Connection"] == "close")
        #expect(try connection.isClosed())
    }

    @Test func `a token that has come back is good`() throws {
        let daemon = try DaemonUnderTest(["--limits-requests-per-client", "1/1s"])
        var reply = try daemon.get("/nothing")
        #expect(reply.status == 404)
        // Between two requests a second may have passed; one that comes in time for the last token is refused.
        let wasRefused = try Patience.until {
            reply = try daemon.get("/nothing")
            return try isRefused(reply, "too_many_requests")
        }
        #expect(wasRefused)
        #expect(reply["Retry-After"] == "1")
        #expect(try Patience.until { try daemon.get("/nothing").status == 404 })
    }

    @Test func `new pictures beyond the rate are refused, and those that are held are not`() throws {
        let daemon = try DaemonUnderTest(["--limits-misses-per-client", "2/1h"])
        func get(_ width: Int, from source: String = "127.0.0.5") throws -> Connection.Reply {
            try daemon.get(DaemonUnderTest.target(origin.url(), "w=\(width)"), from: source)
        }
        #expect(try get(10).status == 200)
        #expect(try get(20).status == 200)
        #expect(try isRefused(try get(30), "too_many_misses"))
        #expect(try get(10).status == 200)
        #expect(try get(20).status == 200)
        #expect(try get(30, from: "127.0.0.6").status == 200)
        #expect(try get(30).status == 200)
        // What cannot be understood is not made either.
        #expect(try daemon.get("/img?url=", from: "127.0.0.5").status == 400)
        #expect(try daemon.metric("pictor_requests_limited_total", "limit=\"misses\"") == 1)
        #expect(try daemon.metric("pictor_renders_total") == 3)
    }

    @Test func `connections of one address are counted, and of another one are not refused`() throws {
        let daemon = try DaemonUnderTest(["--limits-connections-per-client", "2"])
        func open(_ source: String) throws -> Connection {
            let connection = try Connection(port: daemon.port, from: source)
            try connection.request("/nothing")
            return connection
        }
        var held = [try open("127.0.0.5"), try open("127.0.0.5")]
        for connection in held { #expect(try connection.reply().status == 404) }
        let third = try open("127.0.0.5")
        #expect(try isRefused(try third.reply(), "too_many_connections"))
        #expect(try third.isClosed())
        #expect(try open("127.0.0.6").reply().status == 404)
        // Those that are there go on, and one that leaves makes room.
        try held[0].request("/nothing")
        #expect(try held[0].reply().status == 404)
        held.removeLast()
        #expect(try Patience.until { try open("127.0.0.5").reply().status == 404 })
        #expect(try daemon.metric("pictor_connections_limited_total") >= 1)
        // The admin listener is nobody's share.
        for _ in 1...5 { #expect(try daemon.admin("/health/live").status == 200) }
    }

    @Test func `who says nothing cannot take all connections`() throws {
        let daemon = try DaemonUnderTest([
            "--limits-connections-per-client", "8", "--server-maximum-connections", "20",
        ])
        let loris = try (1...60).map { _ in try Connection(port: daemon.port, from: "127.0.0.5") }
        #expect(try daemon.get("/nothing", from: "127.0.0.6").status == 404)
        #expect(try Patience.until { try daemon.metric("pictor_connections_limited_total") == 52 })
        withExtendedLifetime(loris) {}
    }

    @Test func `behind a proxy each client has a share of its own`() throws {
        let daemon = try DaemonUnderTest([
            "--server-trusted-proxies", "127.0.0.2", "--server-client-field", "x-forwarded-for",
            "--limits-requests-per-client", "2/1h", "--limits-connections-per-client", "1",
        ])
        let proxies = try (1...3).map { _ in try Connection(port: daemon.port, from: "127.0.0.2") }
        func ask(_ client: String, _ proxy: Int) throws -> Int {
            try proxies[proxy].request("/nothing", fields: [("X-Forwarded-For", client)])
            return try proxies[proxy].reply().status
        }
        #expect(
            try [ask("203.0.113.9", 0), ask("203.0.113.9", 1), ask("203.0.113.9", 2)] == [404, 404, 429])
        // What the client itself puts in front makes it nobody else.
        #expect(try ask("192.0.2.1, 203.0.113.9", 0) == 429)
        #expect(try ask("203.0.113.10", 0) == 404)
        // A network is one client, in IPv6.
        #expect(
            try [ask("2001:db8::1", 0), ask("2001:db8::2", 0), ask("2001:db8::3", 0)] == [404, 404, 429])
        #expect(try ask("2001:db8:0:1::1", 0) == 404)
    }

    @Test func `connections that a proxy opens for a client are that client's`() throws {
        let daemon = try DaemonUnderTest([
            "--server-proxy-protocol", "true", "--server-trusted-proxies", "127.0.0.1",
            "--limits-connections-per-client", "1",
        ])
        func open(_ client: String) throws -> Connection {
            let connection = try Connection(port: daemon.port)
            try connection.send("PROXY TCP4 \(client) 198.51.100.2 56324 443\r\n")
            try connection.request("/nothing")
            return connection
        }
        var first: Connection? = try open("203.0.113.9")
        #expect(try first?.reply().status == 404)
        let second = try open("203.0.113.9")
        #expect(try isRefused(try second.reply(), "too_many_connections"))
        #expect(try second.isClosed())
        #expect(try open("203.0.113.8").reply().status == 404)
        first = nil
        #expect(try Patience.until { try open("203.0.113.9").reply().status == 404 })
    }
}
