// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Origin

@Suite(.timeLimit(.minutes(2))) struct `A connection that is handed on` {
    /// libcurl gives a connection to a waiting fetch in the same turn in which the previous answer is complete, and reports that
    /// answer afterwards.
    @Test func `gives nobody the excess of the answer before`() async throws {
        let (arrivals, arrival) = AsyncStream<Void>.makeStream()
        let mayAnswer = Latch()
        let origin = ScriptedOrigin { peer in
            guard peer.target == "/more" else { return peer.answer(body: "abc".utf8) }
            arrival.yield()
            mayAnswer.wait()
            // Longer than libcurl's buffer, so that libcurl reads exactly to the end and the excess stays in the socket.
            let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n".utf8)
            peer.send(head + pattern(200_000) + Array("excess\r\n".utf8))
        }
        let other = ScriptedOrigin { $0.answer(body: "abc".utf8) }
        try await withDownloader {
            $0.connectionsPerHost = 1
        } _: { downloader in
            let more = Task { try await downloader.fetch(origin.url("/more")) }
            for await _ in arrivals { break }
            let next = Task { try await downloader.fetch(origin.url("/next")) }
            #expect(await Patience.eventually { downloader.counters.fetches == 2 })
            // Once this is answered, the fetches that were begun before it are waiting for the connection.
            _ = try await downloader.fetch(other.url())
            mayAnswer.signal()
            #expect(try await more.value.payload?.length == 200_000)
            #expect(try await next.value.read() == Array("abc".utf8))
        }
    }

    @Test(arguments: [
        ("Connection #0 to host a.example left intact", true),
        ("Connection #12 to host " + String(repeating: "a", count: 230), true),
        ("Connection #1 isn't open enough, can't reuse", false),
        ("Closing connection 1", false),
    ]) func `is known by libcurl's words`(words: String, isKept: Bool) {
        let isTold = Array(words.utf8).withUnsafeBytes { LibcurlNotice($0) == .keptConnection }
        #expect(isTold == isKept)
    }
}
