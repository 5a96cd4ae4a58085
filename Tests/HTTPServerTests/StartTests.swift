// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import HTTP1
import HTTPSemantics
import HTTPServer
import Kernel
import Synchronization
import Testing

/// Where a request's task begins: on the event loop, if its handler says that this is cheap.
@Suite("The beginning of a request", .timeLimit(.minutes(2)))
struct StartTests {
    @Test func `runs on the event loop where the handler allows it, for a few at once and short targets`()
        async throws
    {
        let handler = StartHandler(startsAtOnce: true)
        try await handler.serve { address in
            let client = try Client(address)
            for target in ["/a", "/b", "/" + String(repeating: "c", count: 3_000)] {
                try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receive().text == target)
            }
        }
        let (loop, starts) = (handler.loop, handler.starts.withLock { $0 })
        #expect(starts["/a"] == loop && starts["/b"] == loop)
        #expect(starts.count == 3 && starts.first { $0.key.count > 3_000 }?.value != loop)
    }

    @Test func `runs elsewhere where the handler does not say so`() async throws {
        let handler = StartHandler(startsAtOnce: false)
        try await handler.serve { address in
            let client = try Client(address)
            try client.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.receive().text == "/a")
        }
        #expect(handler.starts.withLock { $0["/a"] } != handler.loop)
    }

    @Test func `keeps no one waiting that waits itself`() async throws {
        let handler = StartHandler(startsAtOnce: true)
        try await handler.serve { address in
            let (first, second) = (try Client(address), try Client(address))
            try first.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
            try second.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try second.receive().text == "/a")
            handler.gate.fire()
            #expect(try first.receive().text == "/gate")
        }
    }

    @Test func `answers pipelined requests and a crowd of connections, each its own`() async throws {
        let handler = StartHandler(startsAtOnce: true)
        try await handler.serve { address in
            let clients = try (0..<40).map { _ in try Client(address) }
            for (number, client) in clients.enumerated() {
                try client.send(
                    (0..<5).map { "GET /\(number)/\($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            }
            for (number, client) in clients.enumerated() {
                for request in 0..<5 { #expect(try client.receive().text == "/\(number)/\(request)") }
            }
        }
        #expect(handler.starts.withLock { $0.count } == 200)
    }

    @Test func `comes after an answer at hand, which needs none`() async throws {
        let handler = StartHandler(startsAtOnce: true)
        try await handler.serve { address in
            let client = try Client(address)
            for target in ["/hand/a", "/b", "/hand/c"] {
                try client.send("GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try client.receive().text == target)
            }
            // Sent in one piece: these are more requests than may be answered at hand in one turn.
            let targets = (0..<20).map { $0 % 3 == 0 ? "/\($0)" : "/hand/\($0)" }
            try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for target in targets { #expect(try client.receive().text == target) }
            let long = "/hand/" + String(repeating: "c", count: 3_000)
            try client.send("GET \(long) HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.receive().text == long)
        }
        let starts = handler.starts.withLock { $0 }
        #expect(starts["/hand/a"] == nil && starts["/hand/c"] == nil && starts["/b"] == handler.loop)
        #expect(starts.contains { $0.key.count > 3_000 })
    }

    @Test func `is all that is asked for where the handler does not start at once`() async throws {
        let handler = StartHandler(startsAtOnce: false)
        try await handler.serve { address in
            let client = try Client(address)
            try client.send("GET /hand/a HTTP/1.1\r\nHost: x\r\n\r\n")
            #expect(try client.receive().text == "/hand/a")
        }
        #expect(handler.starts.withLock { $0["/hand/a"] } != nil)
    }

    @Test func `is cancelled when its client leaves`() async throws {
        let handler = StartHandler(startsAtOnce: true)
        try await handler.serve { address in
            let client = try Client(address)
            try client.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
            // The first request has started when the second one is answered.
            let other = try Client(address)
            try other.send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n")
            _ = try other.receive()
            client.leave()
        }
        try await handler.cancelled.wait()
    }
}

/// Answers with the target, and records on which thread it began.
private final class StartHandler: RequestHandler {
    let startsAtOnce: Bool
    let gate = Signal()
    let cancelled = Signal()
    /// The thread on which each target's request began.
    let starts = Mutex<[String: pthread_t]>([:])
    private let loopThread = Mutex<pthread_t?>(nil)

    init(startsAtOnce: Bool) { self.startsAtOnce = startsAtOnce }

    var loop: pthread_t? { loopThread.withLock { $0 } }

    func cachedAnswer(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        loopThread.withLock { $0 = pthread_self() }
        return nil
    }

    func answerAtHand(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        let target = Array(request.target)
        guard target.starts(with: "/hand/".utf8) else { return nil }
        return ReadyAnswer(status: 200, fields: Fields(), body: .bytes(ImmutableBytes(target)), tag: 0)
    }

    func respond(to request: Request) async -> Response {
        note(request.target)
        if request.target == "/gate" {
            await withTaskCancellationHandler {
                // Throws only if the task is cancelled, after which nothing is answered.
                try? await gate.wait()
            } onCancel: {
                cancelled.fire()
            }
        }
        return Response(status: 200, body: .bytes(ImmutableBytes(Array(request.target.utf8))))
    }

    private func note(_ target: String) { starts.withLock { $0[target] = pthread_self() } }

    func refusal(_ error: MessageError) -> Response { Response(status: error.status) }

    func completed(_ exchange: borrowing ExchangeRecord) {}

    /// Starts a server with one loop on a free port, runs `body` beside it, drains.
    func serve(_ body: @escaping @Sendable (ListenAddress) throws -> Void) async throws {
        var configuration = HTTPServerConfiguration(listeners: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.tick = 10
        configuration.loops = 1
        let server = HTTPServer(configuration, handler: self)
        try server.start()
        let address = server.addresses[0]
        let result = await Result { () async throws in try await onThread { try body(address) } }
        await server.drain(within: .seconds(2))
        try result.get()
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
