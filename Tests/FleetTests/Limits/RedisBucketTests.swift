// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import Glibc
import TestSupport
import Testing

/// The rates are so slow that no token comes back while a test runs.
@Suite("Token buckets in a real Redis", .timeLimit(.minutes(2)))
struct RedisBucketTests {
    private static let hour: Int64 = 3_600_000_000

    private let pair: LinkedNodes
    private var redis: RedisServer { pair.redis }
    private var links: [RedisLink] { pair.links }

    init() throws {
        pair = try LinkedNodes()
        #expect(pair.connect())
    }

    private func nodes(patience: Duration = .seconds(60)) -> (a: RedisBuckets, b: RedisBuckets) {
        (
            RedisBuckets(link: links[0], prefix: "test", patience: patience),
            RedisBuckets(link: links[1], prefix: "test", patience: patience)
        )
    }

    /// Takes from a bucket of four tokens, to which one token comes back per hour.
    private func take(_ node: RedisBuckets, _ count: Int = 1, areSpent: Bool = false) async
        -> RedisBuckets.Found
    {
        await node.take(count, from: "x", interval: Self.hour, whole: 4 * Self.hour, areSpent: areSpent)
    }

    /// The number of missing tokens, rounded up; nil if no tokens were taken.
    private func missing(_ found: RedisBuckets.Found) -> Int64? {
        if case .taken(let fullIn) = found { (fullIn + Self.hour - 1) / Self.hour } else { nil }
    }

    private func isEmpty(_ found: RedisBuckets.Found) -> Bool {
        if case .empty = found { true } else { false }
    }

    @Test func `two nodes take from one bucket`() async throws {
        let (a, b) = nodes()
        #expect(missing(await take(a, 2)) == 2)
        #expect(missing(await take(b)) == 3)
        #expect(isEmpty(await take(b, 2)))
        #expect(missing(await take(a)) == 4)
        #expect(isEmpty(await take(a)))
        #expect(isEmpty(await take(b)))
        #expect(a.counters.statistics == LimitStatistics(granted: 2, refused: 1))
        #expect(b.counters.statistics == LimitStatistics(granted: 1, refused: 2))
    }

    @Test func `a crowd gets as many tokens as there are`() async throws {
        let (a, b) = nodes()
        let granted = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<40 {
                group.addTask { missing(await take(number % 2 == 0 ? a : b)) != nil }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(granted == 4)
    }

    @Test func `tokens put back are there for all, and no more than a bucket holds`() async throws {
        let (a, b) = nodes()
        #expect(missing(await take(a, 4)) == 4)
        #expect(missing(await take(a, -1, areSpent: true)) == 3)
        #expect(missing(await take(b)) == 4)
        _ = await take(b, -100, areSpent: true)
        #expect(missing(await take(a, 4)) == 4)
        #expect(isEmpty(await take(a)))
    }

    /// Without the debt, each node would grant as many tokens as come back.
    @Test func `what is spent from an empty bucket is a debt, of eight buckets at most`() async throws {
        let (a, b) = nodes()
        #expect(missing(await take(a, 4, areSpent: true)) == 4)
        #expect(missing(await take(b, 6, areSpent: true)) == 10)
        #expect(isEmpty(await take(a)))
        #expect(missing(await take(a, 100, areSpent: true)) == 32)
        #expect(missing(await take(b, 1, areSpent: true)) == 32)
    }

    @Test func `a token comes back with time, and a full bucket leaves nothing behind`() async throws {
        let (a, _) = nodes()
        let found = await a.take(1, from: "x", interval: 1000, whole: 1000)
        #expect(found != .unavailable)
        #expect(try Patience.until { try redis.cli("EXISTS", "{test}:rate:x")?.hasPrefix("0") == true })
        #expect(await a.take(1, from: "x", interval: 1000, whole: 1000) != .unavailable)
        _ = await take(a)
        // At most one hour, the time that the bucket needs, in milliseconds.
        let left = try redis.millisecondsLeft(of: "{test}:rate:x")
        #expect((1...3_600_002).contains(try #require(left)))
    }

    @Test func `a time that is too far away counts as an empty bucket`() async throws {
        let (a, _) = nodes()
        _ = try redis.cli("SET", "{test}:rate:x", "9999999999999999")
        #expect(await take(a) == .empty(fullIn: 4 * Self.hour))
    }

    @Test(arguments: [["SET", "nan"], ["SET", "-inf"], ["LPUSH", "what"]])
    func `what is no bucket of ours stops nobody for longer than a bucket`(words: [String]) async throws {
        let (a, _) = nodes()
        _ = try redis.run([words[0], "{test}:rate:x", words[1]])
        // Any answer will do, as long as nothing traps.
        _ = await take(a)
        _ = await a.fullIn("x")
        _ = try redis.cli("DEL", "{test}:rate:x")
        #expect(missing(await take(a)) == 1)
    }

    @Test func `without Redis there is no answer, and with it there is again`() async throws {
        let (a, _) = nodes()
        #expect(missing(await take(a, 3)) == 3)
        redis.kill()
        #expect(Patience.until { !links[0].isUp })
        #expect(await take(a) == .unavailable)
        try redis.start()
        #expect(Patience.until { links[0].isUp })
        // The tokens that had been taken count.
        #expect(missing(await take(a)) == 4)
        #expect(a.counters.statistics.unavailable == 1)
    }

    @Test func `a Redis that does not answer is waited for shortly`() async throws {
        let (a, _) = nodes(patience: .milliseconds(20))
        redis.signal(SIGSTOP)
        #expect(await take(a) == .unavailable)
        redis.signal(SIGCONT)
    }
}
