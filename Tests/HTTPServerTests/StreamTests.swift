// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTP1
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Bodies that are made while they are sent.
@Suite(.timeLimit(.minutes(2)))
struct StreamTests {
    private static let piece = TestHandler.content(TestHandler.pieceLength)
    /// Five pieces, of which the third is empty.
    private static let chunks = Array(
        repeating: Array("3e8\r\n".utf8) + piece + Array("\r\n".utf8), count: 4
    ).flatMap { $0 }

    @Test func `pieces go out as chunks, and the connection lives on`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let (answer, next) = try await onThread {
                let client = try Client(address)
                try client.send(
                    "GET /stream/5 HTTP/1.1\r\nHost: x\r\n\r\nGET /hit/7 HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try client.receiveChunks()
                return (answer, try client.receive())
            }
            #expect(answer.status == 200)
            #expect(answer.has("Transfer-Encoding: chunked"))
            #expect(!answer.head.contains("Content-Length"))
            #expect(answer.content == Self.chunks + Array("0\r\n\r\n".utf8), "an empty piece is no chunk")
            #expect(next.content == TestHandler.content(7), "what was sent behind it is answered after it")
            let completion = TestHandler.Completion(
                method: "GET", target: "/stream/5", status: 200, bodyBytes: 4000, tag: 10)
            #expect(Patience.until { handler.completions.withLock { $0.first == completion } })
        }
    }

    @Test func `to HTTP 1.0 the end of the connection is the end`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let bytes = try await onThread {
                let client = try Client(address)
                try client.send("GET /stream/5 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                return try client.receiveEnd()
            }
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(text.contains("\r\nConnection: close\r\n"))
            #expect(!text.contains("Transfer-Encoding") && !text.contains("Content-Length"))
            #expect(Array(bytes.suffix(4000)) == (0..<4).flatMap { _ in Self.piece })
            #expect(Patience.until { handler.completions.withLock { $0.first?.bodyBytes == 4000 } })
        }
    }

    @Test func `a HEAD asks for no piece`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let (head, next) = try await onThread {
                let client = try Client(address)
                try client.send(
                    "HEAD /events HTTP/1.1\r\nHost: x\r\n\r\nGET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                return (try client.receive(headOnly: true), try client.receive())
            }
            #expect(head.status == 200)
            #expect(next.content.count == 1)
            #expect(handler.pieces.load(ordering: .relaxed) == 0)
        }
    }

    @Test func `an endless stream ends at a drain, with its last chunk`() async throws {
        let handler = TestHandler()
        // The client stays connected.
        try await withServer(handler, { $0.lingerTimeout = 50 }) { server, address in
            let client = try Client(address)
            try client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await onThread { try client.receive(until: "event 3\n\r\n") }
            async let drained: Void = server.drain(within: .seconds(60))
            let rest = try await onThread { try client.receiveEnd() }
            await drained
            #expect(String(decoding: rest, as: UTF8.self) == "0\r\n\r\n")
            let completion = handler.completions.withLock { $0.first }
            #expect(completion?.bodyBytes == 24)
            try await handler.pieceCancelled.wait()
        }
    }

    @Test func `who leaves is not waited for, and what he got is told`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { server, address in
            let client = try Client(address)
            try client.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try await onThread { try client.receive(until: "event 3\n\r\n") }
            client.leave()
            try await handler.pieceCancelled.wait()
            #expect(Patience.until { server.counters.open == 0 })
            let completion = TestHandler.Completion(
                method: "GET", target: "/events", status: 200, bodyBytes: 24, tag: 10)
            #expect(handler.completions.withLock { $0 } == [completion])
        }
    }

    @Test func `who stops reading gets no more pieces made, and is given up`() async throws {
        let handler = TestHandler()
        try await withServer(handler, { ($0.progressTimeout, $0.streamBuffer) = (100, 16_384) }) {
            server, address in
            let client = try Client(address, receiveBuffer: 4096)
            try client.send("GET /flood HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(Patience.until { server.counters.timedOut == 1 && server.counters.open == 0 })
            let made = handler.pieces.load(ordering: .relaxed)
            #expect(made < 200, "the kernel's buffers, and one piece: \(made)")
            let told = handler.completions.withLock { $0.first?.bodyBytes } ?? 0
            #expect((1...made * TestHandler.pieceLength).contains(told))
            client.leave()
        }
    }

    @Test func `a slow reader gets every byte in order`() async throws {
        let handler = TestHandler()
        try await withServer(handler, { $0.streamBuffer = 4096 }) { _, address in
            let content = try await onThread {
                let client = try Client(address, receiveBuffer: 4096)
                try client.send("GET /stream/600 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                return try client.receiveChunks().content
            }
            let expected = (0..<400).flatMap { _ in Array("3e8\r\n".utf8) + Self.piece + Array("\r\n".utf8) }
            #expect(content == expected + Array("0\r\n\r\n".utf8))
        }
    }
}
