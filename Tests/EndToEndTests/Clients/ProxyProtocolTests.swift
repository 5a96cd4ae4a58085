// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("A proxy that knows no HTTP names its client first", .endToEnd, .timeLimit(.minutes(5)))
struct ProxyProtocolTests {
    private static let flags = ["--server-proxy-protocol", "true", "--server-trusted-proxies", "127.0.0.1"]
    private static let line = Array("PROXY TCP4 203.0.113.9 198.51.100.2 56324 443\r\n".utf8)
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10]
    private static let request = Array("GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n".utf8)

    private static func block(_ command: UInt8, _ kind: UInt8, _ payload: [UInt8]) -> [UInt8] {
        signature + [command, kind, UInt8(payload.count >> 8), UInt8(payload.count & 255)] + payload
    }

    private func peer(_ daemon: DaemonUnderTest, line number: Int) throws -> String {
        let line = try #require(daemon.accessLog(of: number)?[number - 1])
        return try #require(line.firstMatch(of: /"peer":"([^"]*)"/).map { String($0.1) })
    }

    @Test func `the client of a connection is whom its header names, for all of its requests`() throws {
        let daemon = try DaemonUnderTest(Self.flags)
        let four: [UInt8] = [203, 0, 113, 9, 198, 51, 100, 2, 0xDC, 0x04, 0x01, 0xBB]
        let extra: [UInt8] = [4, 0, 3, 0, 0, 0]
        let six: [UInt8] =
            [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 27) + [1, 0xDC, 0x04, 0x01, 0xBB]
        let table: [(header: [UInt8], peer: String)] = [
            (Self.line, "203.0.113.9:56324"), (Self.block(0x21, 0x11, four + extra), "203.0.113.9:56324"),
            (Self.block(0x21, 0x21, six), "[2001:db8::]:56324"), (Self.block(0x20, 0, []), "127.0.0.1:"),
            (Array("PROXY UNKNOWN\r\n".utf8), "127.0.0.1:"),
        ]
        var lines = 0
        for (header, name) in table {
            let connection = try Connection(port: daemon.port)
            // The header in the same piece as the first request, and the second request by itself.
            try connection.send(header + Self.request)
            #expect(try connection.reply().status == 404)
            try connection.send(Self.request)
            #expect(try connection.reply().status == 404)
            for _ in 1...2 {
                lines += 1
                #expect(try peer(daemon, line: lines).hasPrefix(name))
            }
        }
    }

    @Test func `a header may come byte by byte`() throws {
        let daemon = try DaemonUnderTest(Self.flags)
        let connection = try Connection(port: daemon.port)
        for byte in Self.line + Self.request { try connection.send([byte]) }
        #expect(try connection.reply().status == 404)
        #expect(try peer(daemon, line: 1) == "203.0.113.9:56324")
    }

    @Test func `a connection that begins otherwise is closed without a word`() throws {
        let daemon = try DaemonUnderTest(Self.flags)
        let starts: [[UInt8]] = [
            Self.request, Array("PROXY TCP4 6.6.6.6\r\n".utf8), Self.block(0x21, 0x41, []),
            Array("PROXY UNKNOWN \(String(repeating: "f", count: 120))".utf8),
        ]
        for start in starts {
            let connection = try Connection(port: daemon.port)
            try connection.send(start)
            #expect(try connection.isClosed(), "\(start)")
        }
        #expect(try daemon.metric("pictor_connections_unannounced_total") == starts.count)
        #expect(daemon.stop() == 0 && daemon.accessLog.isEmpty)
    }

    @Test func `a stranger's header counts for nothing, and neither does a stranger`() throws {
        let daemon = try DaemonUnderTest(Self.flags)
        let stranger = try Connection(port: daemon.port, from: "127.0.0.9")
        #expect(try stranger.isClosed())
        #expect(try daemon.metric("pictor_connections_unannounced_total") == 1)
    }

    @Test func `the time for a head begins with the connection, header or not`() throws {
        let daemon = try DaemonUnderTest(Self.flags + ["--server-head-timeout", "300ms"])
        for start in [[], Array(Self.line.dropLast(3)), Self.line] {
            let connection = try Connection(port: daemon.port)
            try connection.send(start)
            #expect(try connection.isClosed(), "\(start.count)")
        }
        // With the header from the start, however long we take to send it.
        let connection = try daemon.whileStopped {
            let connection = try Connection(port: daemon.port)
            try connection.send(Self.line + Array("GET / HTTP/1.1\r\n".utf8))
            return connection
        }
        #expect(try connection.reply().status == 408)
    }

    @Test func `a field of the client that the header names counts only if that is a trusted proxy as well`()
        throws
    {
        let daemon = try DaemonUnderTest([
            "--server-proxy-protocol", "true", "--server-trusted-proxies", "127.0.0.1,203.0.113.9",
            "--server-client-field", "x-forwarded-for",
        ])
        for (number, (client, peer)) in [("203.0.113.9", "192.0.2.7"), ("203.0.113.8", "203.0.113.8:56324")]
            .enumerated()
        {
            let connection = try Connection(port: daemon.port)
            try connection.send("PROXY TCP4 \(client) 198.51.100.2 56324 443\r\n")
            try connection.request("/nothing", fields: [("X-Forwarded-For", "192.0.2.7")])
            #expect(try connection.reply().status == 404)
            #expect(try self.peer(daemon, line: number + 1) == peer)
        }
    }
}
