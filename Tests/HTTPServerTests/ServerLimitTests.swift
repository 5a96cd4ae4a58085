// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTP1
import HTTPServer
import Synchronization
import TestSupport
import Testing

/// Deadlines and bounds, with small numbers.
@Suite(.timeLimit(.minutes(2)))
struct ServerLimitTests {
    @Test func `a head that trickles in does not move its deadline`() async throws {
        // The head has begun before the connection is accepted, because a connection without any bytes is closed without an answer.
        let (listener, address) = try listeningSocket()
        let client = try Client(address)
        try client.send("GET / HTTP/1.1\r\nHost: x\r\n")
        try await withServer(
            TestHandler(), { ($0.listeners, $0.headTimeout) = ([.inherited(descriptor: listener)], 300) }
        ) { server, _ in
            let answer = try await onThread {
                // With a byte every 20 ms a head with this name would outlast any deadline that moves.
                let trickle = Thread {
                    while (try? client.send("a")) != nil { usleep(20_000) }
                }
                trickle.start()
                return try client.receive()
            }
            #expect(answer.status == 408)
            #expect(server.counters.timedOut == 1)
        }
    }

    @Test func `a body that does not come ends with 408`() async throws {
        try await withServer(TestHandler(), { $0.bodyTimeout = 50 }) { _, address in
            let answer = try await onThread {
                let client = try Client(address)
                try client.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabc")
                return try client.receive()
            }
            #expect(answer.status == 408)
        }
    }

    @Test func `an idle connection is closed without a word`() async throws {
        try await withServer(TestHandler(), { $0.idleTimeout = 50 }) { server, address in
            let rest = try await onThread {
                let client = try Client(address)
                try client.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.receive()
                return try client.receiveEnd()
            }
            #expect(rest.isEmpty)
            #expect(server.counters.timedOut == 0)
        }
    }

    @Test func `a connection is idle behind an empty line, which begins no request`() async throws {
        // The request is sent before the connection is accepted, because a new connection has only `headTimeout` for its first.
        let (listener, address) = try listeningSocket()
        let client = try Client(address)
        let request = "GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n\r\n"
        try client.send(request)
        try await withServer(
            TestHandler(),
            {
                ($0.listeners, $0.headTimeout, $0.idleTimeout) = (
                    [.inherited(descriptor: listener)], 100, 2_000
                )
            }
        ) { server, _ in
            let rest = try await onThread {
                #expect(try client.receive().status == 200)
                try client.send(request)
                #expect(try client.receive().status == 200)
                return try client.receiveEnd()
            }
            #expect(rest.isEmpty)
            #expect(server.counters.timedOut == 0)
        }
    }

    @Test func `a connection that never asks is closed after the head's time`() async throws {
        try await withServer(TestHandler(), { $0.headTimeout = 50 }) { _, address in
            let rest = try await onThread { try Client(address).receiveEnd() }
            #expect(rest.isEmpty)
        }
    }

    @Test func `a client that does not read is given up`() async throws {
        let handler = TestHandler()
        try await withServer(handler, { $0.progressTimeout = 100 }) { server, address in
            let got = try await onThread {
                let client = try Client(address, receiveBuffer: 4096)
                try client.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try client.receive()
                try client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(Patience.until { server.counters.open == 0 })
                return try client.receiveEnd().count
            }
            #expect(got < TestHandler.bigLength)
            #expect(server.counters.timedOut == 1)
            #expect(await Patience.eventually { handler.completions.withLock { $0.last?.tag == 4 } })
            let completion = handler.completions.withLock { $0.last }
            #expect(
                (completion?.bodyBytes ?? 0) < TestHandler.bigLength, "the log tells what was really sent")
        }
    }

    @Test func `a client that takes a little now and then is given up as well`() async throws {
        let handler = TestHandler()
        try await withServer(
            handler,
            {
                $0.progressTimeout = 200
                $0.progressBytes = 1 << 20
            }
        ) { server, address in
            let got = try await onThread {
                let client = try Client(address, receiveBuffer: 4096)
                try client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
                var got = 0
                // Often enough for some progress in each period.
                let isOver = try Patience.until {
                    got += try client.take(1000)
                    return server.counters.timedOut == 1
                }
                #expect(isOver)
                return got
            }
            #expect(got < TestHandler.bigLength)
            #expect(Patience.until { handler.completions.withLock { $0.last?.tag == 4 } })
        }
    }

    @Test func `the kernel holds little of an answer that is not read`() async throws {
        let handler = TestHandler()
        try await withServer(handler, { $0.progressTimeout = 100 }) { server, address in
            try await onThread {
                let client = try Client(address, receiveBuffer: 4096)
                try client.send("GET /big HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(Patience.until { server.counters.timedOut == 1 })
                #expect(Patience.until { handler.completions.withLock { !$0.isEmpty } })
            }
            let taken = handler.completions.withLock { $0.last?.bodyBytes ?? .max }
            // The server's bound, a packet of loopback beyond it, and the client's own buffer.
            #expect(taken < 400_000, "\(taken) bytes")
        }
    }

    @Test func `connections that are due in one moment are all closed, and others are served meanwhile`()
        async throws
    {
        // All heads have begun before the first connection is accepted, however long connecting takes.
        let (listener, address) = try listeningSocket()
        let other = try Client(address)
        try other.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
        let slow = try (0..<100).map { _ in try Client(address) }
        for client in slow { try client.send("GET / HTTP/1.1\r\n") }
        try await withServer(
            TestHandler(),
            {
                $0.listeners = [.inherited(descriptor: listener)]
                ($0.headTimeout, $0.idleTimeout) = (300, 60_000)
            }
        ) { server, _ in
            try await onThread {
                _ = try other.receive()
                for client in slow { #expect(try client.receive().status == 408) }
                #expect(server.counters.timedOut == 100)
                try other.send("GET /hit/2 HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try other.receive().content.count == 2)
            }
        }
    }

    @Test func `one connection too many gets a 503`() async throws {
        let handler = TestHandler()
        try await withServer(handler, { $0.maximumConnections = 2 }) { server, address in
            let answer = try await onThread {
                let held = try [Client(address), Client(address)]
                for client in held {
                    try client.send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                    _ = try client.receive()
                }
                let answer = try Client(address).receive()
                try held[0].send("GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n")
                _ = try held[0].receive()
                return answer
            }
            #expect(answer.status == 503)
            #expect(server.counters.turnedAway == 1)
            let bytes = answer.content.count
            #expect(bytes > 0)
            #expect(
                Patience.until {
                    handler.completions.withLock { $0.first { $0.status == 503 }?.bodyBytes == bytes }
                })
        }
    }

    @Test func `a connection closes after its share of requests`() async throws {
        try await withServer(TestHandler(), { $0.requestsPerConnection = 2 }) { _, address in
            let answers = try await onThread {
                let client = try Client(address)
                try client.send(String(repeating: "GET /hit/1 HTTP/1.1\r\nHost: x\r\n\r\n", count: 3))
                let answers = try [client.receive(), client.receive()]
                #expect(try client.receiveEnd().isEmpty)
                return answers
            }
            #expect(answers.map { $0.has("Connection: close") } == [false, true])
        }
    }

    @Test func `many connections are served side by side by several loops`() async throws {
        try await withServer(TestHandler(), { $0.loops = 2 }) { server, address in
            try await onThread {
                let clients = try (0..<200).map { _ in try Client(address) }
                for round in 1...3 {
                    for client in clients { try client.send("GET /hit/\(round) HTTP/1.1\r\nHost: x\r\n\r\n") }
                    for client in clients { #expect(try client.receive().content.count == round) }
                }
                #expect(server.counters.open == 200)
            }
        }
    }

    /// In a process of its own, because the limit of descriptors applies to the process.
    @Test func `out of descriptors, the server waits and goes on when some are free`() async {
        await #expect(processExitsWith: .success) {
            let (listener, address) = try listeningSocket()
            // Sleeps once first, because libdispatch opens its timer's descriptor then, and crashes if it cannot.
            try await Task.sleep(for: .milliseconds(1))
            // The clients wait in the kernel's queue; the server then has room for about five of them.
            var clients = try (0..<30).map { _ in try Client(address) }
            let next = dup(listener)
            close(next)
            var limit = rlimit(rlim_cur: rlim_t(next) + 8, rlim_max: rlim_t(next) + 8)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            let configuration = HTTPServerConfiguration(listeners: [.inherited(descriptor: listener)])
            let server = HTTPServer(configuration, handler: TestHandler())
            try server.start()
            guard Patience.until({ server.counters.turnedAway > 0 }) else { exit(3) }
            guard Patience.until({ (1..<10).contains(server.counters.open) }) else { exit(1) }
            clients.removeFirst(20)
            let last = clients[9]
            clients = []
            try last.send("GET /hit/7 HTTP/1.1\r\nHost: x\r\n\r\n")
            exit(try await onThread { try last.receive().content.count } == 7 ? 0 : 2)
        }
    }
}
