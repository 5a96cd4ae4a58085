// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `An origin over TLS` {
    /// Runs `body` with a server over TLS, and with a downloader that trusts its certificate.
    private func withServer<Server, Value>(
        _ start: (ServerCertificate) throws -> Server, _ body: (Server, Downloader) async throws -> Value
    ) async throws -> Value {
        let folder = TemporaryFolder()
        let files = try ServerCertificate(in: folder.path)
        let server = try start(files)
        let certificate = Array(try Data(contentsOf: URL(filePath: files.certificate)))
        let authorities = try AuthorityBundle(certificate)
        return try await withDownloader({ $0.authorities = authorities }) { try await body(server, $0) }
    }

    /// HTTP/2 numbers its streams, so there is no watch for an excess answer.
    @Test func `that speaks HTTP/1.1 is watched for excess, whatever its status line says`() async throws {
        let answer = "HTTP/2 200 \r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n"
        try await withServer({ try SecureServer($0, ["-alpn", "http/1.1"], input: answer) }) {
            server, downloader in
            let reply = try await downloader.fetch(
                SourceURL(scheme: .https, host: "127.0.0.1", port: server.port, target: "/"))
            #expect(try reply.read() == Array("abc".utf8))
            #expect(downloader.counters.outOfStep == 1)
        }
    }

    @Test(arguments: [MultiplexingServer.Manner.saysGoodbye, .hangsUp])
    func `that ends a connection of HTTP/2 with a request is asked over another`(
        manner: MultiplexingServer.Manner
    ) async throws {
        try await withServer({ try MultiplexingServer($0, manner) }) { server, downloader in
            for _ in 0..<2 {
                let reply = try await downloader.fetch(server.url)
                #expect(try reply.read() == Array("whole".utf8))
            }
            #expect(downloader.counters.connections == 2)
        }
    }

    /// Fetches eight pictures at once over a connection that is open already.
    /// - Returns: the number of all connections.
    private func fetchEight(
        _ manner: MultiplexingServer.Manner
    ) async throws -> (connections: Int, failures: Int) {
        try await withServer({ try MultiplexingServer($0, manner) }) { server, downloader in
            let url = server.url
            _ = try await downloader.fetch(url)
            let fetches = (0..<8).map { _ in Task { try await downloader.fetch(url).read() } }
            var failures = 0
            for fetch in fetches where await (try? fetch.value) != Array("whole".utf8) { failures += 1 }
            return (downloader.counters.connections, failures)
        }
    }

    /// Where libcurl hears of the end between the turns of two requests, the later ones try the old connection once more, and then
    /// dial by themselves.
    @Test func `that ends HTTP/2 under many requests is dialled for them together`() async throws {
        var counts: [Int] = []
        repeat {
            let (connections, failures) = try await fetchEight(.hangsUpOnMany)
            #expect(failures == 0)
            counts.append(connections)
        } while counts.count < 5 && counts.allSatisfy({ $0 >= 9 })
        #expect(counts.contains { $0 < 9 })
    }

    /// The server ends the second connection, which a request may have dialled for itself alone, as above. Such a request fails.
    @Test(arguments: [MultiplexingServer.Manner.hangsUpOnManyTwice, .breaksOffOnMany])
    func `that ends the next connection too is dialled for each request`(
        manner: MultiplexingServer.Manner
    ) async throws {
        var failures: [Int] = []
        repeat {
            failures.append(try await fetchEight(manner).failures)
        } while failures.count < 5 && failures.last != 0
        #expect(failures.last == 0, "\(failures)")
    }

    @Test(arguments: [MultiplexingServer.Manner.turnsAway, .refusesStream])
    func `that does not process a new connection's first request is asked over another`(
        manner: MultiplexingServer.Manner
    ) async throws {
        try await withServer({ try MultiplexingServer($0, manner) }) { server, downloader in
            let reply = try await downloader.fetch(server.url)
            #expect(try reply.read() == Array("whole".utf8))
            #expect(downloader.counters.connections == 2)
        }
    }

    @Test func `that processes no request is soon asked no more`() async throws {
        try await withServer({ try MultiplexingServer($0, .turnsAllAway) }) { server, downloader in
            #expect(await downloader.failure(server.url) != nil)
            // Later versions of libcurl repeat such a request themselves, five times at most.
            #expect((2...6).contains(downloader.counters.connections))
        }
    }

    @Test(
        arguments: [
            ("recveived GOAWAY, error=0, last_stream=0\n", true),
            ("received GOAWAY, error=11, last_stream=0", true),
            ("received GOAWAY, error=0, last_stream=1\n", false),
            ("received GOAWAY, error=0, last_stream=05", false),
            ("REFUSED_STREAM, retrying a fresh connect\n", true),
            ("h2h3 [:path: /?last_stream=0]", false), ("last_stream", false),
        ])
    func `does not process a request, of which libcurl's words tell`(words: String, isTold: Bool) {
        let found = Array(words.utf8).withUnsafeBytes { LibcurlNotice($0) }
        #expect(found.map { "\($0)" } == (isTold ? "unprocessed" : nil))
    }

    @Test func `that does not answer a handshake holds up no further fetch`() async throws {
        try await withServer({ try MultiplexingServer($0, .hangs) }) { server, downloader in
            let url = server.url
            let first = Task { await downloader.failure(url) }
            #expect(await Patience.eventually { downloader.counters.connections == 1 })
            let reply = try await downloader.fetch(url)
            #expect(try reply.read() == Array("whole".utf8))
            first.cancel()
            #expect(await first.value == .cancelled)
        }
    }

    @Test func `that sends one more answer while its connection ends is out of step`() async throws {
        try await withServer({ try MultiplexingServer($0, .goesOn) }) { server, downloader in
            for _ in 0..<2 { _ = try await downloader.fetch(server.url) }
            #expect(await Patience.eventually { downloader.counters.outOfStep == 1 })
        }
    }

    @Test(arguments: ["-tls1_2", "-tls1_3"])
    func `that demands a certificate makes no connection without one`(version: String) async throws {
        try await withServer({ files in
            let demands = ["-HTTP", "-Verify", "1", "-verify_return_error", "-CAfile", files.certificate]
            return try SecureServer(files, demands + [version])
        }) { server, downloader in
            let url = SourceURL(scheme: .https, host: "127.0.0.1", port: server.port, target: "/")
            let failure = await downloader.failedDownload(url)
            #expect(failure?.reason == .tls)
            // Behind the handshake, other URLs may need no certificate.
            #expect(failure?.dependsOnURL == (version == "-tls1_3"))
        }
    }

    @Test(
        arguments: [
            ("TLSv1.3 (IN), TLS alert, close notify (256):", "closeNotify"),
            ("TLSv1.2 (IN), TLS alert, close notify (512):", "closeNotify"),
            ("TLSv1.3 (IN), TLS alert, unknown (628):", "fatalAlert"),
            ("TLSv1.2 (IN), TLS alert, handshake failure (552):", "fatalAlert"),
            ("TLSv1.2 (IN), TLS alert, no renegotiation (356):", nil),
            ("TLSv1.3 (OUT), TLS alert, unknown CA (560):", nil),
            ("TLSv1.3 (IN), TLS handshake, Finished (20):", nil), ("TLSv1.3 (IN), TLS alert, ", nil),
            ("TLSv1.3 (IN), TLS alert, unknown (999999):", nil),
        ] as [(String, String?)])
    func `ends TLS by an alert, of which libcurl's words tell`(words: String, notice: String?) {
        let found = Array(words.utf8).withUnsafeBytes { LibcurlNotice($0) }
        #expect(found.map { "\($0)" } == notice)
    }

    /// RFC 9112 §9.8.
    @Test(arguments: [MultiplexingServer.Manner.ends, .isCut, .isCutAsHTTP2])
    func `whose answer tells no length has sent the whole if TLS was ended as well`(
        manner: MultiplexingServer.Manner
    ) async throws {
        try await withServer({ try MultiplexingServer($0, manner) }) { server, downloader in
            let failure = await downloader.failure(server.url)
            #expect(failure == (manner == .ends ? nil : .brokenReply(.cutShort)))
        }
    }

    @Test func `whose answer over HTTP/2 breaks off is not taken for whole`() async throws {
        try await withServer({ try MultiplexingServer($0, .breaksOff) }) { server, downloader in
            let url = server.url
            // Whether libcurl notices depends on how the frames arrive.
            for _ in 0..<5 {
                let fetches = (0..<3).map { _ in Task { try? await downloader.fetch(url).read() } }
                for fetch in fetches { #expect(await fetch.value != Array("half".utf8)) }
            }
        }
    }
}
