// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTP1
import HTTPServer
import Testing

/// A message whose end could be seen in two places hides no second message: it is refused and the connection closed, or its body is
/// read to its one end.
@Suite(.timeLimit(.minutes(2)))
struct SmugglingTests {
    private static let hidden = "GET /hit/7 HTTP/1.1\r\nHost: x\r\n\r\n"

    /// Everything that the server answers to these bytes before it closes.
    private static func answers(to bytes: String) async throws -> String {
        var said = ""
        try await withServer(TestHandler(), { $0.bodyTimeout = 100 }) { _, address in
            said = try await onThread {
                let client = try Client(address)
                try client.send(bytes)
                return String(decoding: try client.receiveEnd(), as: UTF8.self)
            }
        }
        return said
    }

    @Test(arguments: [
        // RFC 9112 §6.1, §6.3: two lengths.
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Content-Length: 0\r\nContent-Length: 33\r\n\r\n", "Content-Length: 0, 33\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
        // §6.1: codings that are unknown or not last.
        "Transfer-Encoding: identity\r\n\r\n", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
        // §5.1, §5.2, §2.2: invalid names and lines.
        "Content-Length : 33\r\n\r\n", "X: y\r\n Content-Length: 33\r\n\r\n",
        "X: y\nContent-Length: 33\r\n\r\n",
        "X: y\rContent-Length: 33\r\n\r\n", "Transfer-Encoding\u{0}: chunked\r\n\r\n0\r\n\r\n",
        // §7.1: chunks with an invalid size or end.
        "Transfer-Encoding: chunked\r\n\r\n0x0\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n+0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0;\n\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\n\n", "Transfer-Encoding: chunked\r\n\r\n0 \r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
    ])
    func `is refused once, and what follows is not looked at`(fields: String) async throws {
        for method in ["POST", "GET"] {
            let said = try await Self.answers(
                to: "\(method) /task HTTP/1.1\r\nHost: x\r\n\(fields)\(Self.hidden)")
            #expect(["400", "413", "501"].contains { said.hasPrefix("HTTP/1.1 \($0) ") }, "\(said)")
            #expect(said.components(separatedBy: "HTTP/1.1 ").count == 2, "\(said)")
            #expect(said.contains("\r\nConnection: close\r\n"))
        }
    }

    @Test(arguments: ["GET", "HEAD", "POST"])
    func `is no body that is counted right`(method: String) async throws {
        for fields in [
            "Content-Length: \(Self.hidden.utf8.count)\r\n\r\n\(Self.hidden)",
            "Transfer-Encoding: chunked\r\n\r\n\(String(Self.hidden.utf8.count, radix: 16));a=\"b\"\r\n\(Self.hidden)\r\n0\r\nX: y\r\n\r\n",
        ] {
            let said = try await Self.answers(
                to: "\(method) /hit/3 HTTP/1.1\r\nHost: x\r\n\(fields)"
                    + "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            #expect(said.components(separatedBy: "HTTP/1.1 200").count == 3, "\(said)")
            #expect(said.hasSuffix("GET /last "), "\(said)")
        }
    }

    @Test(arguments: ["h2c", "websocket", "TLS/1.0"])
    func `offers of other protocols are passed over`(name: String) async throws {
        // RFC 9110 §7.8: a server may ignore the field.
        let said = try await Self.answers(
            to: "GET /hit/1 HTTP/1.1\r\nHost: x\r\nUpgrade: \(name)\r\nConnection: Upgrade, close\r\n\r\n")
        #expect(said.hasPrefix("HTTP/1.1 200 "))
        #expect(!said.lowercased().contains("upgrade"))
    }

    @Test func `a reset in the middle of an answer costs that connection only`() async throws {
        try await withServer { server, address in
            let after = try await onThread {
                let rude = try Client(address, receiveBuffer: 4096)
                try rude.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
                // The unread bytes turn the close into a reset.
                rude.leave()
                let client = try Client(address)
                try client.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receive()
            }
            #expect(after.status == 200)
        }
    }
}
