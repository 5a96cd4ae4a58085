// SPDX-License-Identifier: Apache-2.0

import Clients
import Foundation
import HTTP1
import HTTPSemantics
import HTTPServer
import Kernel
import Synchronization

/// A signal that fires once; any number of tasks may wait for it, before or after.
final class Signal: Sendable {
    private let hasFired = Atomic<Bool>(false)

    func fire() { hasFired.store(true, ordering: .sequentiallyConsistent) }

    /// Throws if the waiting task is cancelled, as when its test's time is over.
    func wait() async throws {
        while !hasFired.load(ordering: .sequentiallyConsistent) {
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

/// On the loop: `/hit/N` with N bytes, `/big` with `bigLength`, `/hit304`, `/file` from a file, `/busy` with a 503. In a
/// task: `/stream/N` with N pieces of `pieceLength`, `/events` without end, `/gate` when the gate opens, `/later-busy` with a
/// 503, everything else with method, target and body.
final class TestHandler: RequestHandler {
    struct Completion: Equatable {
        var method: String
        var target: String
        var status: Int
        var bodyBytes: Int
        var tag: UInt16
    }

    let gate = Signal()
    /// Fires when a task has reached the gate.
    let arrived = Signal()
    /// Fires when the task was cancelled at the gate.
    let cancelled = Signal()
    let completions = Mutex<[Completion]>([])
    /// The clients of the completed exchanges.
    let peers = Mutex<[PeerAddress]>([])
    let file: Body?
    private let asText: Bool

    /// - Parameter asText: true to send the file as a `data:` URL.
    init(file: Body? = nil, asText: Bool = false) {
        self.file = file
        self.asText = asText
    }

    static let bigLength = 50_000_000
    static let big = ReadyAnswer(
        status: 200, fields: Fields(),
        body: .bytes(ImmutableBytes(count: bigLength) { (_) throws(Never) in }), tag: 4)

    static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) } }

    func cachedAnswer(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        tail.append("Age", 3)
        let target = String(decoding: request.target, as: UTF8.self)
        let fields = Fields([Fields.Field("X-Kind", "ready")])
        if target == "/hit304" { return ReadyAnswer(status: 304, fields: fields, body: nil, tag: 2) }
        if target == "/file", let file {
            let text = asText ? Base64Text(prefix: ImmutableBytes("data:,".utf8), of: file) : nil
            return ReadyAnswer(status: 200, fields: fields, body: file, text: text, tag: 3)
        }
        if target == "/big" { return Self.big }
        if target == "/busy" { return ReadyAnswer(status: 503, fields: fields, body: nil, tag: 5) }
        guard target.hasPrefix("/hit/"), let count = Int(target.dropFirst(5)) else { return nil }
        let body = Body.bytes(ImmutableBytes(Self.content(count)))
        return ReadyAnswer(status: 200, fields: fields, body: body, tag: 1)
    }

    static let pieceLength = 1000
    /// The number of pieces that were made.
    let pieces = Atomic<Int>(0)
    /// Fires when an awaited piece is no longer wanted.
    let pieceCancelled = Signal()

    private func stream(of target: String) -> StreamedBody? {
        if target == "/events" || target == "/flood" {
            let isSlow = target == "/events"
            return StreamedBody(isEndless: true) { [self] in
                if isSlow, pieces.load(ordering: .relaxed) >= 3 {
                    await withTaskCancellationHandler {
                        // Throws only if the task is cancelled, after which nothing is sent.
                        try? await gate.wait()
                    } onCancel: {
                        pieceCancelled.fire()
                    }
                }
                let number = pieces.add(1, ordering: .relaxed).newValue
                return ImmutableBytes(
                    isSlow ? Array("event \(number)\n".utf8) : Self.content(Self.pieceLength))
            }
        }
        guard target.hasPrefix("/stream/"), let count = Int(target.dropFirst(8)) else { return nil }
        return StreamedBody(isEndless: false) { [self] in
            let number = pieces.add(1, ordering: .relaxed).newValue
            if number > count { return nil }
            // Every third piece is empty.
            return ImmutableBytes(number % 3 == 0 ? [] : Self.content(Self.pieceLength))
        }
    }

    func respond(to request: Request) async -> Response {
        if let stream = stream(of: request.target) { return Response(status: 200, stream: stream, tag: 10) }
        if request.target.hasPrefix("/gate") {
            arrived.fire()
            await withTaskCancellationHandler {
                // Throws only if the task is cancelled, after which nothing is sent.
                try? await gate.wait()
            } onCancel: {
                cancelled.fire()
            }
        }
        if request.target == "/later-busy" { return Response(status: 503, tag: 6) }
        let part = request.target == "/part" ? 2..<5 : nil
        let text = "\(request.method) \(request.target) \(String(decoding: request.body, as: UTF8.self))"
        return Response(
            status: part == nil ? 200 : 206, fields: Fields([Fields.Field("X-Bad", "a\r\nEvil: b")]),
            body: .bytes(ImmutableBytes(Array(text.utf8))), part: part, tag: 9)
    }

    func tag(ofUnanswered request: Request) -> UInt16 { request.target == "/gate" ? 8 : 0 }

    func refusal(_ error: MessageError) -> Response {
        Response(status: error.status, body: .bytes(ImmutableBytes(Array("\(error)".utf8))), tag: 7)
    }

    func completed(_ exchange: borrowing ExchangeRecord) {
        let completion = Completion(
            method: String(decoding: exchange.method, as: UTF8.self),
            target: String(decoding: exchange.target, as: UTF8.self), status: exchange.status,
            bodyBytes: exchange.bodyBytes, tag: exchange.tag)
        completions.withLock { $0.append(completion) }
        let peer = exchange.peer
        peers.withLock { $0.append(peer) }
    }
}

/// Starts a server on a free port, runs `body` against it, drains.
func withServer(
    _ handler: TestHandler = TestHandler(), _ adjust: (inout HTTPServerConfiguration) -> Void = { _ in },
    body: (HTTPServer, ListenAddress) async throws -> Void
) async throws {
    var configuration = HTTPServerConfiguration(listeners: [.tcp(host: "127.0.0.1", port: 0)])
    configuration.tick = 10
    adjust(&configuration)
    let server = HTTPServer(configuration, handler: handler)
    try server.start()
    do {
        try await body(server, server.addresses[0])
    } catch {
        await server.drain(within: .zero)
        throw error
    }
    await server.drain(within: .zero)
}

/// A client whose request waits in a `TestHandler` until its gate opens.
func clientAtGate(_ address: ListenAddress) async throws -> Client {
    try await onThread {
        let client = try Client(address)
        try client.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n")
        return client
    }
}
