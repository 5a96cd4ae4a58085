// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import Glibc
import TestSupport
import Testing

@Suite("Leases in a real Redis", .timeLimit(.minutes(2)))
struct RedisLeaseTests {
    private let pair: LinkedNodes
    private var redis: RedisServer { pair.redis }
    private var links: [RedisLink] { pair.links }

    init() throws {
        pair = try LinkedNodes()
        #expect(pair.connect())
    }

    /// Two connected nodes.
    private func nodes(_ time: Duration = .seconds(600), patience: Duration = .seconds(60)) throws
        -> (
            a: RedisLeases, b: RedisLeases
        )
    {
        (
            RedisLeases(link: links[0], prefix: "test", node: "a", time: time, patience: patience),
            RedisLeases(link: links[1], prefix: "test", node: "b", time: time, patience: patience)
        )
    }

    private func token(_ found: RedisLeases.Found) throws -> String {
        guard case .taken(let token) = found else {
            Issue.record("\(found)")
            throw CancellationError()
        }
        return token
    }

    /// Repeats the request until the answer is of that kind, because a lease is given back in the background.
    private func ask(
        _ node: RedisLeases, over word: String? = nil, until isMeant: (RedisLeases.Found) -> Bool
    ) async throws -> RedisLeases.Found {
        while true {
            try Task.checkCancellation()
            let found = await node.take("x", over: word)
            if isMeant(found) { return found }
        }
    }

    @Test func `one has it, and the others hear that`() async throws {
        let (a, b) = try nodes()
        _ = try token(await a.take("x", over: nil))
        #expect(await b.take("x", over: nil) == .held)
        #expect(await a.take("x", over: nil) == .own)
        #expect(await b.holder(of: "x") == "a")
        _ = try token(await b.take("y", over: nil))
        #expect(a.count == 1 && b.count == 1)
        #expect(try redis.cli("EXISTS", "{test}:lease:x")?.hasPrefix("1") == true)
    }

    @Test func `a lease given back is free`() async throws {
        let (a, b) = try nodes()
        let token = try token(await a.take("x", over: nil))
        a.release("x", token: token, leaving: .none)
        _ = try await ask(b) { if case .taken = $0 { true } else { false } }
        #expect(await a.holder(of: "x") == "b" && a.count == 0)
    }

    @Test func `the word that is left is told, and is as good as none to one who has looked it up`()
        async throws
    {
        let (a, b) = try nodes()
        let token = try token(await a.take("x", over: nil))
        a.release("x", token: token, leaving: .done)
        let found = try await ask(b) { if case .done = $0 { true } else { false } }
        guard case .done(let word) = found else {
            Issue.record("\(found)")
            return
        }
        #expect(await b.take("x", over: nil) == found)
        #expect(await b.holder(of: "x") == nil)
        _ = try self.token(await b.take("x", over: word))
        // The second node with that marker comes too late.
        #expect(await a.take("x", over: word) == .held)
    }

    @Test func `a result for nobody else is told`() async throws {
        let (a, b) = try nodes()
        let token = try token(await a.take("x", over: nil))
        a.release("x", token: token, leaving: .nothingToShare)
        #expect(try await ask(b) { $0 == .nothingToShare } == .nothingToShare)
    }

    @Test func `what has become another's is not given back by the one before`() async throws {
        let (a, b) = try nodes()
        let first = try token(await a.take("x", over: nil))
        // As if the lease had expired.
        _ = try redis.cli("DEL", "{test}:lease:x")
        _ = try token(await b.take("x", over: nil))
        a.release("x", token: first, leaving: .done)
        // This command follows the release on the same connection.
        #expect(try await ask(a) { $0 == .held } == .held)
        #expect(await a.holder(of: "x") == "b")
    }

    @Test func `a lease that is not renewed ends by itself`() async throws {
        let (a, b) = try nodes(.milliseconds(50))
        _ = try token(await a.take("x", over: nil))
        _ = try await ask(b) { if case .taken = $0 { true } else { false } }
    }

    @Test func `a lease is renewed while it is held`() async throws {
        // Long enough for a command beside it, and for a renewal that is late, on a machine with much else to do.
        let (a, _) = try nodes(.seconds(3))
        _ = try token(await a.take("x", over: nil))
        // Longer than the node ever makes it.
        _ = try redis.cli("PEXPIRE", "{test}:lease:x", "3600000")
        a.start()
        let isRenewed = try Patience.until {
            try #require(try redis.millisecondsLeft(of: "{test}:lease:x")) <= 3_000
        }
        #expect(isRenewed)
        await a.close()
        #expect(await a.holder(of: "x") == nil && a.count == 0)
    }

    @Test func `what is no lease of ours is none`() async throws {
        let (a, _) = try nodes()
        _ = try redis.cli("SET", "{test}:lease:x", "what")
        #expect(await a.take("x", over: nil) == .unavailable)
        _ = try redis.cli("DEL", "{test}:lease:x")
        _ = try redis.cli("LPUSH", "{test}:lease:x", "what")
        #expect(await a.take("x", over: nil) == .unavailable)
    }

    @Test func `without Redis there are no leases`() async throws {
        let (a, _) = try nodes()
        redis.kill()
        #expect(Patience.until { !links[0].isUp })
        #expect(await a.take("x", over: nil) == .unavailable)
        #expect(await a.holder(of: "x") == nil)
    }

    /// A node with long leases and long patience, on a link that gives up a silent Redis after 3 s.
    private func patientNode() throws -> (RedisLink, RedisLeases) {
        let address = try #require(RedisAddress(redis.address))
        var configuration = RedisConfiguration([address])
        configuration.commandTimeout = .seconds(3)
        let link = try RedisLink(configuration, name: "lease-test") { _ in }
        try link.start()
        #expect(Patience.until { link.isUp })
        let leases = RedisLeases(
            link: link, prefix: "test", node: "a", time: .seconds(600), patience: .seconds(60))
        return (link, leases)
    }

    /// Sends commands that get no answer, until the link gives up the connection.
    private func lose(_ link: RedisLink) async throws {
        while link.isUp {
            try Task.checkCancellation()
            _ = try? await link.send(["PING"])
        }
    }

    @Test func `a lease whose question was lost with the connection is given back`() async throws {
        let (link, leases) = try patientNode()
        redis.signal(SIGSTOP)
        // The command is on its way when the call returns.
        let question = Task.immediate { await leases.take("x", over: nil) }
        // The request has time left; these commands have not, and end the connection that they share with it.
        try await lose(link)
        #expect(await question.value == .unavailable)
        redis.signal(SIGCONT)
        // Redis has received the request and the release, in this order.
        let isAsked = try Patience.until {
            try redis.cli("INFO", "commandstats")?.contains("cmdstat_eval:calls=2,") == true
        }
        #expect(isAsked)
        #expect(try redis.cli("EXISTS", "{test}:lease:x")?.hasPrefix("0") == true)
        link.close()
    }

    @Test func `a lease given back while there is no connection is free once there is one`() async throws {
        let (link, leases) = try patientNode()
        let token = try token(await leases.take("x", over: nil))
        redis.signal(SIGSTOP)
        try await lose(link)
        leases.release("x", token: token, leaving: .none)
        redis.signal(SIGCONT)
        let isFree = try Patience.until {
            try redis.cli("EXISTS", "{test}:lease:x")?.hasPrefix("0") == true
        }
        #expect(isFree && leases.count == 0)
        link.close()
    }

    @Test func `a Redis that does not answer is waited for shortly`() async throws {
        let (a, _) = try nodes(patience: .milliseconds(50))
        redis.signal(SIGSTOP)
        #expect(await a.take("x", over: nil) == .unavailable)
        redis.signal(SIGCONT)
    }
}
