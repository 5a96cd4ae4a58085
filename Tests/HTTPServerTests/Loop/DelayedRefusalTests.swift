// SPDX-License-Identifier: Apache-2.0

import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

/// Clients that are told to come again later but do not wait.
@Suite(.timeLimit(.minutes(2)))
struct DelayedRefusalTests {
    // MARK: The rate

    @Test func `a few refusals leave at once`() {
        var limiter = RefusalLimiter(interval: 10, atOnce: 3, longest: 1000)
        #expect((0..<3).map { _ in limiter.hold(at: 5_000_000) } == [0, 0, 0])
        #expect(limiter.hold(at: 5_000_000) > 0)
    }

    @Test func `those beyond leave one interval after the other, and are held no longer than that`() {
        var limiter = RefusalLimiter(interval: 10, atOnce: 1, longest: 35)
        #expect(limiter.hold(at: 0) == 0)
        #expect((0..<5).map { _ in limiter.hold(at: 0) } == [10_000, 20_000, 30_000, 35_000, 35_000])
    }

    @Test func `after a quiet time none is held`() {
        var limiter = RefusalLimiter(interval: 10, atOnce: 1, longest: 1000)
        for _ in 0..<1000 { _ = limiter.hold(at: 0) }
        #expect(limiter.hold(at: 500_000) > 0)
        #expect(limiter.hold(at: 60_000_000) == 0)
    }

    @Test(arguments: [8, 64, 512])
    func `however many come again at once, no more leave than the interval allows`(clients: Int) {
        var limiter = RefusalLimiter(interval: 1, atOnce: 100, longest: 1000)
        var free = Array(repeating: Int64(0), count: clients)
        var left = 0
        // A refused client asks again in the same microsecond.
        while let first = free.indices.min(by: { free[$0] < free[$1] }), free[first] < 10_000_000 {
            let wait = limiter.hold(at: free[first])
            free[first] += max(wait, 1)
            left += 1
        }
        #expect(left <= 10_000 + 100 + clients)
    }

    // MARK: The server

    @Test func `a refusal too many is held, its connection alone, until its client leaves`() async throws {
        let handler = TestHandler()
        try await withServer(handler, Self.holding) { server, address in
            try await onThread {
                let (first, second, third) = try (Client(address), Client(address), Client(address))
                try first.send(Self.request("/busy"))
                #expect(try first.receive().status == 503)
                try second.send(Self.request("/busy"))
                #expect(Patience.until { server.counters.heldRefusals == 1 })
                // A cached answer, and an answer that is no refusal, are not delayed, also on the refused connection.
                for client in [first, third] {
                    for target in ["/hit/3", "/hit304", "/other"] {
                        try client.send(Self.request(target))
                        #expect(try client.receive().status != 503)
                    }
                }
                #expect(handler.refusals == 1)
                second.leave()
                #expect(Patience.until { handler.refusals == 2 })
                #expect(Patience.until { server.counters.open == 2 })
            }
        }
    }

    @Test(arguments: ["/busy", "/later-busy"])
    func `what is held leaves when its time has come, and what was sent behind it is answered`(
        target: String
    ) async throws {
        try await withServer(
            TestHandler(),
            {
                // The interval is longer than any time between two requests of the test.
                Self.holding(&$0)
                $0.longestHold = 50
            }
        ) { server, address in
            try await onThread {
                let client = try Client(address)
                try client.send(String(repeating: Self.request(target), count: 3) + Self.request("/hit/5"))
                let statuses = try (0..<4).map { _ in try client.receive().status }
                #expect(statuses == [503, 503, 503, 200])
            }
            #expect(server.counters.heldRefusals == 2)
        }
    }

    @Test func `no more than a quarter of all connections is held, even after others have left`() async throws
    {
        try await withServer(
            TestHandler(),
            { configuration in
                Self.holding(&configuration)
                configuration.maximumConnections = 8
            }
        ) { server, address in
            try await onThread {
                let (free, first, second) = try (Client(address), Client(address), Client(address))
                func isRefusedAtOnce() throws -> Bool {
                    try free.send(Self.request("/busy"))
                    return try free.receive().status == 503
                }
                #expect(try isRefusedAtOnce())
                for (number, client) in [first, second].enumerated() {
                    try client.send(Self.request("/busy"))
                    #expect(Patience.until { server.counters.heldRefusals == number + 1 })
                }
                #expect(try isRefusedAtOnce())
                first.leave()
                #expect(Patience.until { server.counters.open == 2 })
                try free.send(Self.request("/busy"))
                #expect(Patience.until { server.counters.heldRefusals == 3 })
            }
        }
    }

    @Test func `draining lets go what is held`() async throws {
        try await withServer(TestHandler(), Self.holding) { server, address in
            let client = try await onThread {
                let (first, client) = try (Client(address), Client(address))
                try first.send(Self.request("/busy"))
                _ = try first.receive()
                // A request sent before the drain was announced is answered too.
                try client.send(Self.request("/busy"))
                #expect(Patience.until { server.counters.heldRefusals == 1 })
                try client.send(Self.request("/hit/5"))
                return client
            }
            async let drained: Void = server.drain(within: .seconds(60))
            let (statuses, rest) = try await onThread {
                let end = try ([client.receive().status, client.receive().status], client.receiveEnd())
                client.leave()
                return end
            }
            #expect(statuses == [503, 200])
            #expect(rest.isEmpty)
            await drained
        }
    }

    /// The first refusal is sent at once, the others after a minute.
    private static func holding(_ configuration: inout HTTPServerConfiguration) {
        (configuration.refusalInterval, configuration.refusalsAtOnce) = (60_000, 1)
        configuration.longestHold = 60_000
    }

    private static func request(_ target: String) -> String { "GET \(target) HTTP/1.1\r\nHost: x\r\n\r\n" }
}

extension TestHandler {
    /// 503 answers that have ended, whether or not their clients got them.
    fileprivate var refusals: Int { completions.withLock { list in list.filter { $0.status == 503 }.count } }
}
