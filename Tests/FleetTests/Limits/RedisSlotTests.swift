// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import Glibc
import TestSupport
import Testing

@Suite("Slots in a real Redis", .timeLimit(.minutes(2)))
struct RedisSlotTests {
    private let pair: LinkedNodes
    private var redis: RedisServer { pair.redis }
    private var links: [RedisLink] { pair.links }

    init() throws {
        pair = try LinkedNodes()
        #expect(pair.connect())
    }

    private func nodes(_ time: Duration = .seconds(600), patience: Duration = .seconds(60)) -> (
        a: RedisSlots, b: RedisSlots
    ) {
        (
            RedisSlots(link: links[0], prefix: "test", time: time, patience: patience),
            RedisSlots(link: links[1], prefix: "test", time: time, patience: patience)
        )
    }

    private func token(_ found: RedisSlots.Found) throws -> String {
        guard case .taken(let token) = found else {
            Issue.record("\(found)")
            throw CancellationError()
        }
        return token
    }

    /// Asks again and again until there is a slot.
    private func wait(_ node: RedisSlots, most: Int) async throws {
        while case .full = await node.take("x", most: most) { try Task.checkCancellation() }
    }

    @Test func `two nodes share the slots, and one given back is there for both`() async throws {
        let (a, b) = nodes()
        let first = try token(await a.take("x", most: 3))
        _ = try token(await b.take("x", most: 3))
        _ = try token(await b.take("x", most: 3))
        #expect(await a.take("x", most: 3) == .full)
        #expect(await b.take("x", most: 3) == .full)
        _ = try token(await b.take("y", most: 3))
        #expect(await a.taken("x") == 3)
        a.release(first)
        try await wait(b, most: 3)
        #expect(await a.taken("x") == 3)
        #expect(a.count == 0 && b.count == 4)
    }

    @Test func `a crowd gets as many as there are`() async throws {
        let (a, b) = nodes()
        let taken = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask { await (number % 2 == 0 ? a : b).take("x", most: 5) != .full }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(taken == 5)
    }

    @Test func `the slots of a node that has died come back`() async throws {
        let (a, b) = nodes(.milliseconds(100))
        _ = try token(await a.take("x", most: 1))
        // The closed node renews no slots.
        try await wait(b, most: 1)
    }

    @Test func `slots last as long as their node says, beside those that last less`() async throws {
        let (a, _) = nodes()
        // If this time were less than a tenth of the other's, the other's slots would look as if the clock had been set back.
        let b = RedisSlots(link: links[1], prefix: "test", time: .seconds(100), patience: .seconds(60))
        _ = try token(await a.take("x", most: 2))
        _ = try token(await b.take("x", most: 2))
        #expect(await b.taken("x") == 2)
        #expect(try #require(try redis.millisecondsLeft(of: "{test}:slots:x")) > 600_000)
    }

    @Test func `slots of a node that died before Redis's clock was set back come back too`() async throws {
        let (a, b) = nodes()
        _ = try token(await a.take("x", most: 2))
        // The score is a time in the year 2255.
        _ = try redis.cli("ZADD", "{test}:slots:x", "9000000000000000", "dead")
        #expect(await a.taken("x") == 2)
        _ = try token(await b.take("x", most: 2))
        #expect(await b.take("x", most: 2) == .full)
    }

    /// Three seconds are long enough for commands beside it, and for a renewal that is late, on a machine with much else to do.
    @Test func `a slot is renewed while it is held`() async throws {
        let (a, b) = nodes(.seconds(3))
        _ = try token(await a.take("x", most: 1))
        // The key is never without an expiry by itself.
        _ = try redis.cli("PERSIST", "{test}:slots:x")
        a.start()
        let isRenewed = try Patience.until {
            try #require(try redis.millisecondsLeft(of: "{test}:slots:x")) != -1
        }
        #expect(isRenewed)
        await a.close()
        #expect(await b.taken("x") == 0)
    }

    @Test func `a slot that has become another's is not taken back by a renewal`() async throws {
        let (a, b) = nodes(.seconds(3))
        _ = try token(await a.take("x", most: 1))
        _ = try redis.cli("DEL", "{test}:slots:x")
        _ = try token(await b.take("x", most: 1))
        a.start()
        b.start()
        let ours = try redis.cli("ZRANGE", "{test}:slots:x", "0", "-1")
        // Several renewals by both nodes.
        let isRenewed = try Patience.until {
            try redis.cli("INFO", "commandstats")?.firstMatch(of: /cmdstat_pexpire:calls=(\d+)/)
                .flatMap { Int($0.1) }.map { $0 > 8 } == true
        }
        #expect(isRenewed)
        #expect(try redis.cli("ZRANGE", "{test}:slots:x", "0", "-1") == ours)
        await a.close()
        await b.close()
    }

    @Test func `what is no slot of ours is none`() async throws {
        let (a, _) = nodes()
        _ = try redis.cli("SET", "{test}:slots:x", "what")
        #expect(await a.take("x", most: 1) == .unavailable)
        #expect(await a.taken("x") == nil)
    }

    @Test func `without Redis there are no slots, and with it there are again`() async throws {
        let (a, _) = nodes()
        redis.kill()
        #expect(Patience.until { !links[0].isUp })
        #expect(await a.take("x", most: 1) == .unavailable)
        try redis.start()
        #expect(Patience.until { links[0].isUp })
        _ = try token(await a.take("x", most: 1))
        #expect(await a.take("x", most: 1) == .full)
    }

    @Test func `a Redis that does not answer is waited for shortly, and keeps no slot`() async throws {
        let (a, b) = nodes(patience: .milliseconds(50))
        redis.signal(SIGSTOP)
        #expect(await a.take("x", most: 1) == .unavailable)
        redis.signal(SIGCONT)
        // Redis had received the request.
        #expect(Patience.until { links[1].isUp })
        var found = RedisSlots.Found.full
        while found == .full || found == .unavailable {
            try Task.checkCancellation()
            found = await b.take("x", most: 1)
        }
    }
}
