// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

@Suite("However many ask at once, an original is fetched once and a rendition made once", .endToEnd)
struct CoalescingDaemonTests {
    /// An origin whose answer waits until it is let go.
    private struct DaemonAndOrigin {
        let asked = Latch()
        let release = Latch()
        let origin: ScriptedOrigin
        let daemon: DaemonUnderTest

        init(_ picture: [UInt8]) throws {
            origin = ScriptedOrigin { [asked, release] peer in
                asked.signal()
                release.wait()
                peer.picture(picture)
            }
            daemon = try DaemonUnderTest(["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        }

        func underWay(_ count: Int) throws -> Bool {
            try Patience.until { try daemon.metric("pictor_requests_in_flight") == count }
        }
    }

    private static let widths = [10, 20, 30]

    /// Connections on which each width was asked for in turn.
    private func crowd(_ count: Int, at pair: DaemonAndOrigin) throws -> [(
        width: Int, connection: Connection
    )] {
        try (0..<count).map { index in
            let width = Self.widths[index % Self.widths.count]
            let connection = try Connection(port: pair.daemon.port)
            try connection.request(DaemonUnderTest.target(pair.origin.url(), "w=\(width)"))
            return (width, connection)
        }
    }

    @Test func `300 requests for one cold URL in three sizes cost one fetch and three renderings`() throws {
        let pair = try DaemonAndOrigin(Pictures.gradient(60, 30))
        let crowd = try crowd(300, at: pair)
        #expect(try pair.underWay(300))
        pair.release.signal()

        var bodies: [Int: Set<[UInt8]>] = [:]
        for (width, connection) in crowd {
            let reply = try connection.reply()
            #expect(reply.status == 200)
            bodies[width, default: []].insert(reply.body)
        }
        for width in Self.widths {
            let bodies = try #require(bodies[width])
            #expect(bodies.count == 1, "one picture for \(width)")
            let header = try ImageHeader.parse(try #require(bodies.first))
            #expect([header.width, header.height] == [width, width / 2])
        }
        #expect(pair.origin.heads.count == 1)
        #expect(try pair.daemon.metric("pictor_renders_total") == 3)
        #expect(try pair.daemon.metric("pictor_origin_fetches_total") == 1)
    }

    @Test func `a client that leaves disturbs nobody`() throws {
        let pair = try DaemonAndOrigin(Pictures.gradient(60, 30))
        let crowd = try crowd(12, at: pair)
        #expect(try pair.underWay(12))
        // The first is the one who made the daemon ask.
        crowd[0].connection.close()
        crowd[7].connection.close()
        #expect(try pair.underWay(10))
        pair.release.signal()

        for (index, client) in crowd.enumerated() where index != 0 && index != 7 {
            #expect(try client.connection.reply().status == 200)
        }
        #expect(pair.origin.heads.count == 1)
    }

    @Test func `when all have left, the transfer is cancelled at the origin`() throws {
        let hungUp = Latch()
        let begun = Latch()
        let origin = ScriptedOrigin { peer in
            peer.send("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 100000\r\n\r\n\u{89}PNG")
            begun.signal()
            peer.waitForHangup()
            hungUp.signal()
        }
        let daemon = try DaemonUnderTest(["--origin-idle-timeout", "2m", "--origin-timeout", "3m"])
        let clients = try (0..<5).map { index in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(origin.url(), "w=\(10 + index)"))
            return connection
        }
        #expect(begun.wait())
        #expect(try Patience.until { try daemon.metric("pictor_requests_in_flight") == 5 })
        for client in clients.dropLast() { client.close() }
        #expect(try Patience.until { try daemon.metric("pictor_requests_in_flight") == 1 })
        #expect(hungUp.count == 0, "one is still waiting")

        clients.last?.close()
        #expect(hungUp.wait())
        #expect(try Patience.until { try daemon.metric("pictor_work_in_flight") == 0 })
    }

    @Test func `a failure is shared by those who waited and does not outlive them for long`() throws {
        let asked = Latch()
        let release = Latch()
        let origin = ScriptedOrigin { peer in
            asked.signal()
            release.wait()
            peer.answer("404 Not Found", body: "no".utf8)
        }
        let daemon = try DaemonUnderTest(["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        let clients = try (0..<30).map { _ in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(origin.url()))
            return connection
        }
        #expect(try Patience.until { try daemon.metric("pictor_requests_in_flight") == 30 })
        release.signal()
        for client in clients { #expect(try client.reply().status == 404) }
        #expect(asked.count == 1)
        // Then it is known for a while, and says for how long.
        let known = try daemon.get(origin.url())
        let granted = try #require(known["Cache-Control"]?.firstMatch(of: /^public, max-age=([0-9]+)$/))
        // Less where the machine took its time.
        #expect((30...60).contains(Int(granted.1) ?? 0), "\(granted.0)")
        #expect(asked.count == 1)
    }
}
