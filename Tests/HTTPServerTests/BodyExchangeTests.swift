// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTP1
import HTTPServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2)))
struct BodyExchangeTests {
    private func exchange(
        _ pieces: [String], keeps: Bool = true, answers: Int = 1
    ) async throws -> [Answer] {
        var result: [Answer] = []
        try await withServer(TestHandler(), { $0.keepsBodies = keeps }) { _, address in
            result = try await onThread {
                let client = try Client(address)
                for piece in pieces { try client.send(piece) }
                return try (0..<answers).map { _ in try client.receive() }
            }
        }
        return result
    }

    private let post = "POST /p HTTP/1.1\r\nHost: x\r\n"

    @Test func `a body reaches the handler without its framing`() async throws {
        let fixed = try await exchange([post + "Content-Length: 5\r\n\r\nhe", "llo"])
        #expect(fixed[0].text == "POST /p hello")
        let chunked = try await exchange([
            post + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3", ";a=b\r\nllo\r\n0\r\nX: y\r\n\r\n",
        ])
        #expect(chunked[0].text == "POST /p hello")
    }

    @Test func `a body that nobody wants is dropped, and the next request is answered`() async throws {
        let body = "GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
        let answers = try await exchange(
            [
                "GET /hit/1 HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)",
                "GET /hit/2 HTTP/1.1\r\nHost: x\r\n\r\n",
            ], keeps: false, answers: 2)
        #expect(answers.map(\.text)[0] == "GET /hit/1 ", "the body was neither kept nor taken for a request")
        #expect(answers[1].content == TestHandler.content(2))
    }

    @Test func `the last request's body is read as well`() async throws {
        let answers = try await exchange([post + "Connection: close\r\nContent-Length: 5\r\n\r\n", "hello"])
        #expect(answers[0].text == "POST /p hello")
    }

    @Test func `100 Continue is sent where the client waits for it, and only there`() async throws {
        let head = post + "Content-Length: 5\r\nExpect: 100-continue\r\n\r\n"
        try await withServer(TestHandler(), { $0.keepsBodies = true }) { _, address in
            try await onThread {
                let client = try Client(address)
                try client.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n" + head)
                #expect(try client.receive().content.count == 1)
                #expect(try client.receive().status == 100)
                try client.send("hello")
                #expect(try client.receive().text == "POST /p hello")
                try client.send(head + "hello")
                #expect(try client.receive().status == 200, "the body was already there")
            }
        }
    }

    @Test func `a body over the limit is refused before it is read`() async throws {
        let answers = try await exchange([
            post + "Content-Length: 65537\r\nExpect: 100-continue\r\n\r\n"
        ])
        #expect(answers[0].status == 413)
        #expect(answers[0].has("Connection: close"))
    }

    @Test func `a request whose body is at fault is refused by its name, and logged with its target`()
        async throws
    {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let (answer, rest) = try await onThread {
                let client = try Client(address)
                try client.send(
                    "HEAD /p HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine\r\nTransfer-Encoding: chunked\r\n\r\nx"
                )
                return (try client.receive(headOnly: true), try client.receiveEnd())
            }
            #expect(answer.status == 400)
            #expect(answer.has("X-Request-Id: mine"))
            #expect(rest.isEmpty, "an answer to HEAD has no content")
        }
        let completion = handler.completions.withLock { $0.last }
        #expect(completion?.method == "HEAD")
        #expect(completion?.target == "/p")
    }

    @Test(arguments: ["Expect: more", "Content-Length: 65537"])
    func `the refusal of a head has the name that the request gave itself`(field: String) async throws {
        let answers = try await exchange([post + "X-Request-Id: mine\r\n\(field)\r\n\r\n"])
        #expect(answers[0].status >= 400)
        #expect(answers[0].has("X-Request-Id: mine"))
    }

    @Test func `a whole head that is refused is logged for the client that its proxy names`() async throws {
        let handler = TestHandler()
        let request = post + "X-Forwarded-For: 203.0.113.9\r\nContent-Length: 65537\r\n\r\n"
        try await withServer(
            handler,
            {
                $0.clientRule = ClientRule(
                    proxies: TrustedProxies(["127.0.0.1"]) ?? TrustedProxies(), field: .xForwardedFor)
            }
        ) { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send(request)
                return try client.receive()
            }
            #expect(answer.status == 413)
        }
        #expect(handler.peers.withLock { $0.map(\.host) } == ["203.0.113.9"])
    }

    @Test(arguments: [
        ("G\r\n\r\n", 400), ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/3.0\r\n\r\n", 505),
        ("GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n", 417),
        ("GET /\(String(repeating: "a", count: 20_000)) HTTP/1.1\r\n", 414),
        ("GET / HTTP/1.1\r\nHost: x\r\nA: \(String(repeating: "a", count: 40_000))\r\n\r\n", 431),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: br\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
    ]) func `a faulty message gets its status and the connection's end`(text: String, status: Int)
        async throws
    {
        try await withServer { _, address in
            let (answer, rest) = try await onThread {
                let client = try Client(address)
                // The second request must neither be answered nor, as unread input, turn the close into a reset.
                try client.send(text + "GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                let answer = try client.receive()
                return (answer, try client.receiveEnd())
            }
            #expect(answer.status == status)
            #expect(answer.has("Connection: close"))
            #expect(rest.isEmpty)
        }
    }
}
