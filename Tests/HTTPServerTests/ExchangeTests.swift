// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTP1
import HTTPServer
import Kernel
import Synchronization
import Testing

/// One connection, one or several requests, over real sockets.
@Suite(.timeLimit(.minutes(2)))
struct ExchangeTests {
    @Test func `a hit is answered with its static and its own fields`() async throws {
        try await withServer { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("GET /hit/5 HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receive()
            }
            #expect(answer.status == 200)
            #expect(answer.content == TestHandler.content(5))
            #expect(answer.has("X-Kind: ready") && answer.has("Age: 3") && answer.has("Content-Length: 5"))
            #expect(answer.head.contains("\r\nDate: "))
            #expect(!answer.head.contains("Connection:"))
        }
    }

    @Test func `what the cached answer appended is forgotten when a task answers`() async throws {
        try await withServer { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("GET /other HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receive()
            }
            #expect(answer.text == "GET /other ")
            #expect(!answer.head.contains("Age"))
            #expect(answer.has("X-Bad: a  Evil: b"), "no field is smuggled into an answer")
        }
    }

    @Test func `pipelined requests are answered in order, a hit behind a task too`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let answers = try await onThread {
                let client = try Client(address)
                let targets = ["/hit/1", "/gate", "/hit/2", "/a", "/hit304", "/hit/3"]
                try client.send(targets.map { "GET \($0) HTTP/1.1\r\nHost: x\r\n\r\n" }.joined())
                let first = try client.receive()
                handler.gate.fire()
                return try [first] + (1..<targets.count).map { _ in try client.receive() }
            }
            #expect(answers.map(\.status) == [200, 200, 200, 200, 304, 200])
            #expect(answers.map(\.content.count) == [1, 10, 2, 7, 0, 3])
        }
    }

    @Test func `many pipelined requests in one write are all answered`() async throws {
        try await withServer { _, address in
            let answers = try await onThread {
                let client = try Client(address)
                let request =
                    "GET /hit/20 HTTP/1.1\r\nHost: x\r\nCookie: \(String(repeating: "c", count: 100))\r\n\r\n"
                try client.send(String(repeating: request, count: 1000))
                return try (0..<1000).map { _ in try client.receive() }
            }
            #expect(answers.allSatisfy { $0.content == TestHandler.content(20) })
        }
    }

    @Test func `a request may come byte by byte`() async throws {
        try await withServer { _, address in
            let answers = try await onThread {
                let client = try Client(address)
                for _ in 0..<2 {
                    for byte in "GET /hit/3 HTTP/1.1\r\nHost: x\r\n\r\nPOST /p HTTP/1.1\r\nHost: x\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
                    { try client.send(String(byte)) }
                }
                return try (0..<4).map { _ in try client.receive() }
            }
            #expect(answers.map(\.content.count) == [3, 8, 3, 8])
        }
    }

    @Test(arguments: ["/hit/5", "/hit/500000", "/x"]) func `HEAD gets the length and no content`(
        target: String
    )
        async throws
    {
        try await withServer { _, address in
            let (head, get) = try await onThread {
                let client = try Client(address)
                try client.send("HEAD \(target) HTTP/1.1\r\nHost: x\r\n\r\n")
                let head = try client.receive(headOnly: true)
                try client.send("GET /hit/2 HTTP/1.1\r\nHost: x\r\n\r\n")
                return (head, try client.receive())
            }
            #expect(head.status == 200)
            #expect(head.has("Content-Length: \(target == "/x" ? 8 : Int(target.dropFirst(5)) ?? -1)"))
            #expect(get.content == TestHandler.content(2), "nothing of the first answer's content was sent")
        }
    }

    @Test func `a 304 has neither content nor length`() async throws {
        try await withServer { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("GET /hit304 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
                let answer = try client.receive()
                return (answer, try client.receiveEnd())
            }
            #expect(answer.0.status == 304)
            #expect(!answer.0.head.contains("Content-Length"))
            #expect(answer.1.isEmpty)
        }
    }

    @Test func `a part of a body is sent as 206 with its own length`() async throws {
        try await withServer { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("GET /part HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receive()
            }
            #expect(answer.status == 206)
            #expect(answer.text == "T /")
        }
    }

    @Test(arguments: [
        ("1.1", "close", true), ("1.1", "keep-alive", false), ("1.0", "", true), ("1.0", "keep-alive", false),
    ])
    func `the connection lives as long as both sides want`(version: String, option: String, closes: Bool)
        async throws
    {
        try await withServer { _, address in
            for target in ["/hit/4", "/x"] {
                let request = "GET \(target) HTTP/\(version)\r\nHost: x\r\nConnection: \(option)\r\n\r\n"
                let answer = try await onThread {
                    let client = try Client(address)
                    try client.send(request)
                    let answer = try client.receive()
                    if closes { #expect(try client.receiveEnd().isEmpty) }
                    if !closes {
                        try client.send(request)
                        _ = try client.receive()
                    }
                    return answer
                }
                #expect(answer.has("Connection: close") == closes)
                #expect(answer.has("Connection: keep-alive") == (version == "1.0" && !closes))
            }
        }
    }

    @Test func `nothing after the last request is answered`() async throws {
        try await withServer { _, address in
            let rest = try await onThread {
                let client = try Client(address)
                try client.send(
                    "GET /hit/1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\nGET /hit/2 HTTP/1.1\r\nHost: x\r\n\r\n"
                )
                _ = try client.receive()
                return try client.receiveEnd()
            }
            #expect(rest.isEmpty)
        }
    }

    @Test func `a client that shuts its side after the request still gets the answer`() async throws {
        try await withServer { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("GET /hit/300000 HTTP/1.1\r\nHost: x\r\n\r\n")
                client.shutDownSending()
                return try client.receive()
            }
            #expect(answer.content == TestHandler.content(300_000))
        }
    }

    //   client                             server
    //   asks                           ──▶
    //                                  ◀── the kernel has all of the answer, and our side is shut
    //   sends more, and shuts its side ──▶ reads that, and closes
    //   takes the rest
    @Test func `bytes behind the last request cost nothing of its answer`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { _, address in
            let (whole, got) = try await onThread {
                let request = "GET /hit/1000000 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                let first = try Client(address)
                try first.send(request)
                let whole = try first.receiveEnd().count
                let client = try Client(address, receiveBuffer: 4096)
                try client.send(request)
                var got = 0
                while handler.completions.withLock(\.count) < 2 { got += try client.take(4096) }
                client.shutDownSending(with: "more")
                return (whole, got + (try client.receiveEnd().count))
            }
            #expect(got == whole)
        }
    }

    @Test func `a large file arrives whole, through sendfile and a small window`() async throws {
        let content = TestHandler.content(6_000_000)
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
        try Data(content + [1, 2, 3]).write(to: URL(fileURLWithPath: path))
        let file = OwnedDescriptor(adopting: open(path, O_RDONLY))
        unlink(path)
        let handler = TestHandler(file: .file(file, length: content.count))
        try await withServer(handler) { _, address in
            let answers = try await onThread {
                let client = try Client(address, receiveBuffer: 4096)
                try client.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\nGET /hit/9 HTTP/1.1\r\nHost: x\r\n\r\n")
                return try [client.receive(), client.receive()]
            }
            #expect(answers[0].content == content)
            #expect(answers[1].content == TestHandler.content(9))
        }
    }

    @Test func `a file that was written to since its store verified it is not sent`() async throws {
        let path = NSTemporaryDirectory() + "pictor-\(UUID().uuidString)"
        let content = TestHandler.content(50_000)
        try Data(content).write(to: URL(fileURLWithPath: path))
        defer { unlink(path) }
        let descriptor = open(path, O_RDONLY)
        let state = try #require(FileState(descriptor))
        let told = Mutex<[String]>([])
        let file = OwnedDescriptor(adopting: descriptor, in: state) { _, error in
            told.withLock { $0.append("\(error)") }
        }
        let handler = TestHandler(file: .file(file, length: content.count))
        try await withServer(handler) { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receive()
            }
            #expect(answer.content == content)
            #expect(truncate(path, off_t(content.count - 1)) == 0)
            let rest = try await onThread {
                let client = try Client(address)
                try client.send("GET /file HTTP/1.1\r\nHost: x\r\n\r\n")
                return try client.receiveEnd()
            }
            #expect(rest.count < 1000)
            #expect(told.withLock { $0.count } == 1)
        }
    }

    @Test func `every exchange is told once, with what was sent`() async throws {
        let handler = TestHandler()
        try await withServer(handler) { server, address in
            try await onThread {
                let client = try Client(address)
                try client.send(
                    "GET /hit/70000 HTTP/1.1\r\nHost: x\r\n\r\nHEAD /hit/5 HTTP/1.1\r\nHost: x\r\n\r\n")
                try client.send("GET /x HTTP/1.1\r\nHost: x\r\n\r\nBAD\r\n")
                _ = try client.receiveEnd()
            }
            await server.drain(within: .seconds(10))
            typealias Completion = TestHandler.Completion
            #expect(
                handler.completions.withLock { $0 } == [
                    Completion(method: "GET", target: "/hit/70000", status: 200, bodyBytes: 70_000, tag: 1),
                    Completion(method: "HEAD", target: "/hit/5", status: 200, bodyBytes: 0, tag: 1),
                    Completion(method: "GET", target: "/x", status: 200, bodyBytes: 7, tag: 9),
                    Completion(method: "", target: "", status: 400, bodyBytes: 14, tag: 7),
                ])
        }
    }
}
