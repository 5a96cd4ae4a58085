// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct `A hostile origin` {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"

    @Test func `that sends a byte now and then is cut off`() async throws {
        let origin = ScriptedOrigin {
            $0.send(Self.head)
            while $0.send("x"), !$0.hangsUp(within: 20) {}
            $0.close()
        }
        let failure = try await withDownloader {
            $0.idleTimeout = .milliseconds(300)
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .timedOut(.idle))
    }

    @Test func `that stops in the middle is cut off`() async throws {
        let origin = ScriptedOrigin {
            $0.send(Self.head + String(repeating: "x", count: 50_000))
            $0.waitForHangup()
        }
        let failure = try await withDownloader {
            $0.idleTimeout = .milliseconds(200)
            $0.minimumRate = 0
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .timedOut(.idle))
    }

    @Test func `that never ends is cut off by the body limit`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            while $0.send("1000\r\n" + String(repeating: "x", count: 4096) + "\r\n") {}
            $0.close()
        }
        let failure = try await withDownloader {
            $0.bodyLimit = 1_000_000
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .tooLarge(limit: 1_000_000))
    }

    @Test func `that never ends, and is slow, is cut off by the total deadline`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\n\r\n")
            while $0.send(pattern(100)), !$0.hangsUp(within: 10) {}
            $0.close()
        }
        let failure = try await withDownloader {
            $0.totalTimeout = .milliseconds(300)
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .timedOut(.total))
    }

    @Test func `that announces too much is left before the body`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 1000001\r\n\r\n")
            $0.waitForHangup()
        }
        let failure = try await withDownloader {
            $0.bodyLimit = 1_000_000
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .tooLarge(limit: 1_000_000))
    }

    @Test func `may send as much as the limit and not a byte more`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\n\r\n")
            $0.send(pattern($0.target == "/fits" ? 1000 : 1001))
            $0.close()
        }
        try await withDownloader {
            $0.bodyLimit = 1000
        } _: {
            let reply = try await $0.fetch(origin.url("/fits"))
            #expect(reply.payload?.length == 1000)
            #expect(await $0.failure(origin.url("/more")) == .tooLarge(limit: 1000))
        }
    }

    @Test func `that resets before its head is told as cut short`() async throws {
        let origin = ScriptedOrigin { $0.reset() }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.cutShort))
    }

    @Test func `that resets in the body is told as cut short`() async throws {
        let origin = ScriptedOrigin {
            $0.send(Self.head + "abc")
            $0.reset()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.cutShort))
    }

    @Test func `that sends less than it announced is told as cut short`() async throws {
        let origin = ScriptedOrigin {
            $0.send(Self.head + "abc")
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.cutShort))
    }

    @Test(arguments: ["HTTP/1.1  200 OK", "http/1.1 200 OK"])
    func `whose status line libcurl alone can read is told so`(line: String) async throws {
        let origin = ScriptedOrigin {
            $0.send("\(line)\r\nContent-Length: 3\r\n\r\nabc")
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.statusLine))
    }

    @Test func `that ends within a chunk is told as cut short`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc")
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.cutShort))
    }

    @Test func `that sends more than it announced is believed at its word`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n")
            $0.waitForHangup()
        }
        try await withDownloader {
            let reply = try await $0.fetch(origin.url())
            #expect(try reply.read() == Array("abc".utf8))
            // The excess answers no other request, because the connection is not used again.
            let next = try await $0.fetch(origin.url())
            #expect(next.payload?.length == 3)
        }
        #expect(origin.accepted == 2)
    }

    @Test(arguments: [true, false])
    func `that sends more than it announced is told of, and is not where nobody reads that`(isRead: Bool)
        async throws
    {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n")
            $0.waitForHangup()
        }
        var configuration = try OriginConfiguration.loopback()
        configuration.tellsDesyncs = isRead
        let downloader = Downloader(configuration, makeFile: temporaryFile, now: wallClock)
        try downloader.start()
        for _ in 1...3 { _ = try await downloader.fetch(origin.url()) }
        #expect(downloader.counters.outOfStep == 3)
        downloader.shutdown()
        var told = 0
        for await _ in downloader.desyncs { told += 1 }
        #expect(told == (isRead ? 3 : 0))
    }

    @Test func `that sends more than it announced leaves its answers in doubt until they are forgotten`()
        async throws
    {
        let origin = ScriptedOrigin {
            guard $0.predecessors > 0 else { return $0.answer(body: "abc".utf8) }
            $0.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 200 OK\r\n\r\n")
            $0.waitForHangup()
        }
        let downloader = Downloader(try .loopback(), makeFile: temporaryFile, now: wallClock)
        try downloader.start()
        let (first, second) = (origin.url("/1"), origin.url("/2"))
        for url in [first, second] { _ = try await downloader.fetch(url) }
        downloader.shutdown()
        // The first answer of a connection is always certain.
        #expect(!downloader.unproven.contains(OriginalKey(url: first.absolute)))
        #expect(downloader.unproven.contains(OriginalKey(url: second.absolute)))
        for await desync in downloader.desyncs { downloader.unproven.remove(Array(desync.forgotten)) }
        #expect(!downloader.unproven.contains(OriginalKey(url: second.absolute)))
    }

    @Test func `that is slow with its head is cut off`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\n")
            while $0.send("X: y\r\n"), !$0.hangsUp(within: 20) {}
            $0.close()
        }
        let failure = try await withDownloader {
            $0.firstByteTimeout = .milliseconds(200)
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .timedOut(.firstByte))
    }

    @Test func `that says nothing at all is cut off`() async throws {
        let origin = ScriptedOrigin { $0.waitForHangup() }
        let failure = try await withDownloader {
            $0.firstByteTimeout = .milliseconds(100)
        } _: {
            await $0.failure(origin.url())
        }
        #expect(failure == .timedOut(.firstByte))
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{0}\u{1}\u{2}\u{3}\r\n\r\n", "HTTP/1.1 nonsense\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA\rB: c\r\n\r\n",
    ])
    func `that does not speak HTTP is told as malformed`(greeting: String) async throws {
        let origin = ScriptedOrigin {
            $0.send(greeting)
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.malformed))
    }

    @Test(arguments: ["X: \(String(repeating: "y", count: 9000))\r\n", "X: y\r\n"])
    func `that sends a head without end is left`(line: String) async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\n")
            while $0.send(line) {}
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.headTooLarge))
    }

    @Test func `that sends interim responses without end is left`() async throws {
        let origin = ScriptedOrigin {
            while $0.send("HTTP/1.1 102 Processing\r\n\r\n") {}
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.headTooLarge))
    }

    @Test func `that sends trailers without end is left`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n")
            while $0.send("X: y\r\n") {}
            $0.close()
        }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.headTooLarge))
    }

    /// RFC 9112 §6.1.
    @Test func `that sends chunks in HTTP/1.0 gets no second request over the connection`() async throws {
        let origin = ScriptedOrigin {
            $0.send("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n")
            $0.send("3\r\nabc\r\n0\r\n\r\n")
        }
        try await withDownloader { downloader in
            for _ in 1...2 {
                let reply = try await downloader.fetch(origin.url())
                #expect(try reply.read() == Array("abc".utf8))
            }
        }
        #expect(origin.accepted == 2)
    }

    @Test(arguments: ["identity, Compress", "gzip, gzip", "br, zstd"])
    func `that compresses in a way that is not taken is told so`(coding: String) async throws {
        let origin = ScriptedOrigin { $0.answer(fields: ["Content-Encoding: \(coding)"], body: "abc".utf8) }
        let failure = try await withDownloader { await $0.failure(origin.url()) }
        #expect(failure == .brokenReply(.contentCoding))
    }

    @Test(
        arguments: [("gzip", ContentCoding.gzip), ("utf-8", nil), ("identity", nil)]
            as [(String, ContentCoding?)])
    func `that compresses in another way is told of with the bytes`(
        coding: String, applied: ContentCoding?
    ) async throws {
        let origin = ScriptedOrigin { $0.answer(fields: ["Content-Encoding: \(coding)"], body: "abc".utf8) }
        let reply = try await withDownloader { try await $0.fetch(Download(url: origin.url())) }
        #expect(reply.payload?.coding == applied)
        #expect(reply.payload?.length == 3)
    }

    @Test func `that does not listen cannot be connected to`() async throws {
        let port = try ReservedPort()
        let url = SourceURL(scheme: .http, host: "127.0.0.1", port: port.number, target: "/")
        let failure = try await withDownloader { await $0.failure(url) }
        #expect(failure == .cannotConnect)
        withExtendedLifetime(port) {}
    }

    @Test func `that has no name is told so`() async throws {
        // A label may have at most 63 bytes (RFC 1035 §2.3.4), so the look-up fails without asking a server.
        let host = String(repeating: "a", count: 64) + ".example"
        let url = SourceURL(scheme: .http, host: host, port: 80, target: "/")
        let failure = try await withDownloader { await $0.failure(url) }
        #expect(failure == .nameNotResolved)
    }

    @Test func `that speaks no TLS is told so`() async throws {
        let origin = ScriptedOrigin(greeting: "HTTP/1.1 400 Bad Request\r\n\r\n") { _ in }
        let url = SourceURL(scheme: .https, host: "127.0.0.1", port: origin.port, target: "/")
        let failure = try await withDownloader { await $0.failure(url) }
        #expect(failure == .tls)
    }

    @Test func `that never finishes the TLS handshake is cut off`() async throws {
        let origin = ScriptedOrigin { $0.close() }
        let url = SourceURL(scheme: .https, host: "127.0.0.1", port: origin.port, target: "/")
        let failure = try await withDownloader {
            $0.connectTimeout = .milliseconds(300)
        } _: {
            await $0.failure(url)
        }
        // The script waits for a head that a TLS handshake never ends.
        #expect(failure == .timedOut(.connect))
    }
}
