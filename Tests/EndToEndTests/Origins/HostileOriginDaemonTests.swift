// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Whatever an origin does, its client gets a clear answer, and the others theirs", .endToEnd)
struct HostileOriginDaemonTests {
    private struct Row: Sendable {
        let name: String
        let status: Int
        let error: String
        let script: ScriptedOrigin.Script

        init(_ name: String, _ status: Int, _ error: String, _ script: @escaping ScriptedOrigin.Script) {
            (self.name, self.status, self.error, self.script) = (name, status, error, script)
        }
    }

    private static let picture = Pictures.gradient(60, 40)
    private static let head = "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n"

    private static let rows = [
        Row("sends ten bytes a second", 504, "origin_timeout") { peer in
            peer.send(head + "Content-Length: \(picture.count)\r\n\r\n")
            for byte in picture where !peer.hangsUp(within: 100) { peer.send([byte]) }
            peer.close()
        },
        Row("sends ten bytes of its head a second", 504, "origin_timeout") { peer in
            for byte in head.utf8 where !peer.hangsUp(within: 100) { peer.send([byte]) }
            peer.close()
        },
        Row("says nothing", 504, "origin_timeout") { $0.waitForHangup() },
        Row("stops in the middle", 504, "origin_timeout") { peer in
            peer.send(head + "Content-Length: \(picture.count)\r\n\r\n")
            peer.send(picture.prefix(1000))
            peer.waitForHangup()
        },
        Row("never ends", 413, "original_too_large") { peer in
            peer.send(head + "\r\n")
            while peer.send(picture) {}
            peer.close()
        },
        Row("never ends, in chunks", 413, "original_too_large") { peer in
            peer.send(head + "Transfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("1000\r\n".utf8) + [UInt8](repeating: 7, count: 4096) + Array("\r\n".utf8)
            while peer.send(chunk) {}
            peer.close()
        },
        Row("announces too much", 413, "original_too_large") { peer in
            peer.send(head + "Content-Length: 999999999999\r\n\r\n")
            peer.waitForHangup()
        },
        Row("resets before its answer", 502, "origin_broken_reply") { $0.reset() },
        Row("resets in the middle", 502, "origin_broken_reply") { peer in
            peer.send(head + "Content-Length: \(picture.count)\r\n\r\n")
            peer.send(picture.prefix(1000))
            peer.reset()
        },
        Row("sends less than it said", 502, "origin_broken_reply") { peer in
            peer.send(head + "Content-Length: \(picture.count)\r\n\r\n")
            peer.send(picture.dropLast(100))
            peer.close()
        },
        Row("said less than it sends", 422, "damaged_image") { peer in
            peer.send(head + "Content-Length: \(picture.count - 3000)\r\n\r\n")
            peer.send(picture)
            peer.close()
        },
        Row("ends before the last chunk", 502, "origin_broken_reply") { peer in
            peer.send(head + "Transfer-Encoding: chunked\r\n\r\n\(String(picture.count, radix: 16))\r\n")
            peer.send(picture)
            peer.close()
        },
        Row("speaks no HTTP", 502, "origin_broken_reply") { peer in
            peer.send("220 mail ready\r\n")
            peer.close()
        },
        Row("redirects to itself", 508, "too_many_redirects") { $0.redirect(to: $0.target) },
        Row("redirects on and on", 508, "too_many_redirects") { $0.redirect(to: $0.target + "x") },
        Row("redirects to a file", 400, "source_refused") { $0.redirect(to: "file:///etc/passwd") },
        Row("redirects to a refused address", 400, "source_refused") {
            $0.redirect(to: "http://127.0.0.2:\($0.port)/picture")
        },
        Row("redirects to the metadata of a cloud", 400, "source_refused") {
            $0.redirect(to: "http://169.254.169.254/latest/meta-data/")
        },
        Row("has no such picture", 404, "origin_status") { $0.answer("404 Not Found") },
        Row("wants to know who asks", 502, "origin_status") { $0.answer("401 Unauthorized") },
        Row("is broken", 502, "origin_status") { $0.answer("500 Oops") },
        Row("has too much to do", 503, "origin_status") {
            $0.answer("503 Busy", fields: ["Retry-After: 7"])
        },
    ]

    /// The flags let the daemon reach this origin and no other private address, and not leave the origin alone for what it does.
    private static let flags = [
        "--origin-allow-private", "false", "--origin-allow-networks", "127.0.0.1/32",
        "--origin-maximum-body", "1MiB", "--origin-maximum-fetches-per-host", "64", "--origin-rest-after",
        "0",
    ]
    /// No machine is so slow that another than the hanging origins would be late.
    private static let patient = [
        "--origin-first-byte-timeout", "10m", "--origin-idle-timeout", "10m", "--origin-timeout", "10m",
    ]
    private static let hasty = [
        "--origin-first-byte-timeout", "1s", "--origin-idle-timeout", "1s", "--origin-timeout", "3s",
    ]

    private static let origin = ScriptedOrigin { peer in
        let index = Int(peer.target.drop { !$0.isNumber }.prefix { $0.isNumber }) ?? 0
        rows[index].script(peer)
    }

    /// A client for each row, on connections of their own.
    private func clients(of daemon: DaemonUnderTest) throws -> [(row: Row, connection: Connection)] {
        try Self.rows.enumerated().map { index, row in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(Self.origin.url("/\(index)"), "w=30"))
            return (row, connection)
        }
    }

    private func expect(_ row: Row, _ connection: Connection, of daemon: DaemonUnderTest) throws {
        let reply = try connection.reply()
        let error = try JSONDecoder().decode(Refusal.self, from: Data(reply.body))
        #expect(reply.status == row.status, "an origin that \(row.name): \(reply.text)")
        #expect(
            error.error == row.error,
            "an origin that \(row.name): \(reply.text)\n\(daemon.log.joined(separator: "\n"))")
        #expect(error.code == reply.status)
        #expect(!reply.text.contains("127.0.0"), "an origin that \(row.name): \(reply.text)")
    }

    @Test func `all at once, each gets its status while the others are served`() throws {
        let good = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest(Self.flags + Self.patient)
        let clients = try clients(of: daemon)
        for width in 1...10 {
            #expect(try daemon.get(good.url("/\(width)"), "w=\(width)").status == 200)
        }
        for (row, connection) in clients where row.status != 504 { try expect(row, connection, of: daemon) }
        #expect(try daemon.get(good.url("/after"), "w=30").status == 200)
        #expect(daemon.cache.files(in: "incoming").isEmpty)
    }

    @Test func `each that goes on and on is given up at a deadline`() throws {
        let daemon = try DaemonUnderTest(Self.flags + Self.hasty)
        for (row, connection) in try clients(of: daemon) where row.status == 504 {
            try expect(row, connection, of: daemon)
        }
        #expect(daemon.cache.files(in: "incoming").isEmpty)
    }

    @Test func `an origin's wish to be left alone is passed on`() throws {
        let origin = ScriptedOrigin { $0.answer("503 Busy", fields: ["Retry-After: 70"]) }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(origin.url())["Retry-After"] == "70")
        // As far as it is not over.
        let later = try #require(try daemon.get(origin.url())["Retry-After"].flatMap(Int.init))
        #expect((1...70).contains(later))
        #expect(origin.heads.count == 1, "and it is left alone")
    }

    @Test func `an origin that nobody answers for is a 502`() throws {
        let port = try ReservedPort()
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(DaemonUnderTest.target("http://127.0.0.1:\(port.number)/a")).status == 502)
        withExtendedLifetime(port) {}
    }
}

/// The body of a refusal.
struct Refusal: Decodable {
    let status: String
    let code: Int
    let error: String
    let message: String
}
