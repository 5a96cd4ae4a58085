// SPDX-License-Identifier: Apache-2.0

import Kernel
import SourceURLs
import TestSupport
import Testing

@testable import Origin

/// An origin whose first answer on a connection comes at once. A later answer begins with `start`, and is then given up.
private final class InterruptedOrigin: Sendable {
    let (asked, released) = (Latch(), Latch())
    let origin: ScriptedOrigin

    /// - Parameter rest: the rest of the answer, sent once `released`; nil for none.
    init(start: String, rest: [UInt8]?) {
        origin = ScriptedOrigin { [asked, released] peer in
            guard peer.target == "/later" else { return peer.answer(body: "abc".utf8) }
            peer.send(start)
            asked.signal()
            guard let rest else { return peer.waitForHangup() }
            released.wait()
            peer.send(rest)
        }
    }

    /// Fetches twice over one connection, and gives up the second fetch.
    func interrupt(_ downloader: Downloader) async throws {
        _ = try await downloader.fetch(origin.url())
        let fetch = Task { await downloader.failure(origin.url("/later")) }
        await Task.detached { [asked] in _ = asked.wait() }.value
        fetch.cancel()
        #expect(await fetch.value == .cancelled)
        #expect(origin.accepted == 1 && downloader.counters.active == 0)
    }
}

@Suite(
    "A fetch that is given up ends with its answer where others came over its connection",
    .timeLimit(.minutes(2)))
struct AbandonedTransferTests {
    private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"

    /// Only the number of bytes limits an abandoned answer here, because on a busy machine time would.
    private static func patient(_ configuration: inout OriginConfiguration) {
        configuration.abandonedTime = .seconds(3_600)
    }

    @Test(arguments: [
        ("", Array((head + "hello").utf8)), (head, Array("hello".utf8)), (head + "he", Array("llo".utf8)),
    ])
    func `the next fetch has its connection, and nothing is forgotten`(start: String, rest: [UInt8])
        async throws
    {
        let interrupted = InterruptedOrigin(start: start, rest: rest)
        try await withDownloader(Self.patient) { downloader in
            try await interrupted.interrupt(downloader)
            interrupted.released.signal()
            // Three bytes of the first answer, and all of the second.
            #expect(await Patience.eventually { downloader.counters.bodyBytes == 8 })
            let reply = try await downloader.fetch(interrupted.origin.url())
            #expect(reply.payload?.length == 3)
            #expect(downloader.counters.connections == 1 && downloader.counters.forgotten == 0)
        }
        #expect(interrupted.origin.accepted == 1)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2000000\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe",
        "",
    ])
    func `an answer that is long, or does not come, is cut`(start: String) async throws {
        let interrupted = InterruptedOrigin(start: start, rest: nil)
        try await withDownloader { downloader in
            try await interrupted.interrupt(downloader)
            // Ends only when the client hangs up.
            for await _ in interrupted.origin.hangups { break }
        }
    }

    @Test func `an answer that turns out to be long is cut`() async throws {
        let other = ScriptedOrigin { $0.answer() }
        let piece = [UInt8](repeating: 7, count: AbandonedTransfer.bytes / 4)
        let chunk = Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Array("\r\n".utf8)
        let interrupted = InterruptedOrigin(
            start: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            rest: Array(repeatElement(chunk, count: 8).joined()))
        try await withDownloader(Self.patient) { downloader in
            try await interrupted.interrupt(downloader)
            // The thread carries out its commands in order, so it knows that the other fetch was given up.
            _ = try await downloader.fetch(other.url())
            interrupted.released.signal()
            for await _ in interrupted.origin.hangups { break }
            // libcurl hands over up to 64 KiB at once.
            #expect(downloader.counters.bodyBytes <= 3 + AbandonedTransfer.bytes + (64 << 10))
        }
    }

    @Test func `a fetch that waits for a connection takes it`() async throws {
        let interrupted = InterruptedOrigin(start: "", rest: nil)
        try await withDownloader {
            Self.patient(&$0)
            $0.connectionsPerHost = 1
        } _: { downloader in
            try await interrupted.interrupt(downloader)
            let reply = try await downloader.fetch(interrupted.origin.url())
            #expect(reply.payload?.length == 3 && downloader.counters.connections == 2)
        }
    }

    @Test func `it ends with the downloader`() async throws {
        let interrupted = InterruptedOrigin(start: "", rest: nil)
        var configuration = try OriginConfiguration.loopback()
        Self.patient(&configuration)
        let downloader = Downloader(configuration, makeFile: temporaryFile, now: wallClock)
        try downloader.start()
        try await interrupted.interrupt(downloader)
        downloader.shutdown()
        #expect(interrupted.origin.clientSockets == 0)
    }
}
