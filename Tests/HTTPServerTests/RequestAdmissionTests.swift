// SPDX-License-Identifier: Apache-2.0

import HTTP1
import HTTPSemantics
import HTTPServer
import Kernel
import Synchronization
import Testing

/// Whether a client may make its request now.
@Suite("The admission of a request", .timeLimit(.minutes(2)))
struct RequestAdmissionTests {
    @Test func `is asked for once, also where earlier answers have to go out first`() async throws {
        let handler = CountingHandler()
        var configuration = HTTPServerConfiguration(listeners: [.tcp(host: "127.0.0.1", port: 0)])
        configuration.tick = 10
        let server = HTTPServer(configuration, handler: handler)
        try server.start()
        let address = server.addresses[0]
        try await onThread {
            // More than the client and the kernel take at once, and less than is sent before the next request is read.
            let client = try Client(address, receiveBuffer: 4_096)
            let targets = ["/large", "/task/1", "/large", "/task/2", "/task/3"]
            try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
            for target in targets {
                let answer = try client.receive()
                #expect(answer.content.count == (target == "/large" ? CountingHandler.length : target.count))
            }
            #expect(handler.asked.withLock(\.self) == targets)
        }
        await server.drain(within: .seconds(2))
    }
}

/// Refuses nothing, and records for which requests it was asked.
private final class CountingHandler: RequestHandler {
    static let length = 900_000
    private static let large = ReadyAnswer(
        status: 200, fields: Fields(),
        body: .bytes(ImmutableBytes(count: length) { (_) throws(Never) in }), tag: 0)

    /// The targets of these requests.
    let asked = Mutex<[String]>([])

    var mayRefuse: Bool { true }

    func refusal(
        of request: borrowing RequestView, ticks: Int64, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        let target = String(decoding: request.target, as: UTF8.self)
        asked.withLock { $0.append(target) }
        return nil
    }

    func cachedAnswer(
        _ request: borrowing RequestView, now: Timestamp, tail: inout FieldBuffer
    ) -> ReadyAnswer? {
        String(decoding: request.target, as: UTF8.self) == "/large" ? Self.large : nil
    }

    func respond(to request: Request) async -> Response {
        Response(status: 200, body: .bytes(ImmutableBytes(Array(request.target.utf8))))
    }

    func refusal(_ error: MessageError) -> Response { Response(status: error.status) }

    func completed(_ exchange: borrowing ExchangeRecord) {}
}
