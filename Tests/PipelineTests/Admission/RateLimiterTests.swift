// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Testing

/// No origin is asked more often than its rate allows; a fetch that is too early waits.
@Suite(.timeLimit(.minutes(1)))
struct RateLimiterTests {
    @Test(arguments: [0.5, 1, 7, 10, 100, 333.3])
    func `in no second more than the rate and a tenth of it begin`(rate: Double) {
        var limiter = RateLimiter(rate: rate)
        var begun: [Int64] = []
        var now: Int64 = 0
        while now < 20_000_000 {
            now = limiter.wait("a", now: now) ?? now
            limiter.begin("a", now: now)
            begun.append(now)
        }
        for (index, start) in begun.enumerated() {
            let within = begun[index...].prefix { $0 - start < 1_000_000 }.count
            #expect(Double(within) <= rate * 1.1 + 1)
        }
        #expect(abs(Double(begun.count) - 20 * rate) <= 1 + rate / 10 + 1)
    }

    @Test func `a quiet group costs nothing, and others do not wait for it`() {
        var limiter = RateLimiter(rate: 1)
        limiter.begin("a", now: 0)
        #expect(limiter.wait("a", now: 0) == 1_000_000)
        #expect(limiter.wait("b", now: 0) == nil)
        for number in 0..<10_000 { limiter.begin("\(number)", now: Int64(number) * 100_000) }
        #expect(limiter.count < 64)
        var free = RateLimiter(rate: 0)
        for _ in 0..<100 { free.begin("a", now: 0) }
        #expect(free.wait("a", now: 0) == nil && free.count == 0)
    }

    private static func client(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    /// The number of starts in a second.
    private static func begun(_ limiter: inout RateLimiter, _ group: String, from start: Int64) -> Int {
        var (now, count) = (start, 0)
        while now < start + 1_000_000 {
            now = max(now, limiter.wait(group, now: now) ?? now)
            if now >= start + 1_000_000 { break }
            limiter.begin(group, now: now)
            count += 1
            guard count < 1000 else { break }
        }
        return count
    }

    @Test func `a group that is slowed down is asked on, and as ever when its time is over`() {
        var limiter = RateLimiter(rate: 0)
        limiter.slowDown("a", for: 3, by: nil, now: 0)
        #expect((16...18).contains(Self.begun(&limiter, "a", from: 0)))
        #expect(Self.begun(&limiter, "b", from: 0) == 1000)
        #expect(Self.begun(&limiter, "a", from: 3_000_000) == 1000)
    }

    @Test func `one client slows it down once, several by and by, and nobody stops it`() {
        var limiter = RateLimiter(rate: 0)
        for second in 0..<100 {
            limiter.slowDown("a", for: 9999, by: Self.client(1), now: Int64(second) * 1_000_000)
        }
        #expect((16...18).contains(Self.begun(&limiter, "a", from: 100_000_000)))
        for second in 101..<200 {
            limiter.slowDown("a", for: 9999, by: Self.client(UInt32(second)), now: Int64(second) * 1_000_000)
        }
        #expect((4...5).contains(Self.begun(&limiter, "a", from: 200_000_000)))
        // The slow rate ends after a minute, however long a pause was asked for.
        #expect(Self.begun(&limiter, "a", from: 262_000_000) == 1000)
    }

    @Test func `a slower rate that was set stays, and few groups are remembered`() {
        var limiter = RateLimiter(rate: 2)
        limiter.slowDown("a", for: nil, by: nil, now: 0)
        #expect(Self.begun(&limiter, "a", from: 0) == 2)
        for number in 0..<5000 { limiter.slowDown("\(number)", for: number, by: nil, now: 0) }
        #expect(limiter.slowedCount(now: 0) <= 1024)
    }

    @Test(arguments: [1e-3, 1e-12, 1e-300, .leastNonzeroMagnitude, 1e300])
    func `a rate that is hardly one is a number still`(rate: Double) {
        var limiter = RateLimiter(rate: rate)
        for now in 0..<3 as Range<Int64> { limiter.begin("a", now: now) }
        #expect(limiter.wait("a", now: 3) ?? 0 <= 3 * 86_400_000_000)
        #expect((0...86_400 * 1_025).contains(limiter.seconds(for: 1_024, of: "a", now: 3)))
    }

    @Test func `the queue sets its alarm for who may begin next, and admits him then`() {
        var queue = AdmissionQueue(limits: AdmissionLimits(permits: 9, ratePerGroup: 2))
        func job(_ number: UInt64, group: String = "a", at time: Int64 = 0) -> AdmissionQueue.Job {
            AdmissionQueue.Job(
                number: number, group: group, cost: 0, priority: .interactive, arrived: time)
        }
        #expect(queue.arrive(job(1)) == [.admit(1)])
        #expect(queue.isFull(group: "a", now: 0))
        #expect(queue.arrive(job(2)) == [.setAlarm(500_000)])
        #expect(queue.arrive(job(3)) == [])
        // Another group is not delayed, and jobs without a group are never delayed.
        #expect(queue.arrive(job(4, group: "b")) == [.admit(4)])
        #expect(queue.arrive(job(5, group: "")) == [.admit(5)])
        #expect(queue.expire(now: 500_000) == [.admit(2), .setAlarm(1_000_000)])
        #expect(queue.finish(1, now: 600_000) == [])
        #expect(queue.expire(now: 1_000_000) == [.admit(3)])
        #expect(queue.waitingCount == 0)
        #expect(!queue.isFull(group: "a", now: 1_500_000))
    }

    @Test func `who would wait too long is refused, and told when`() async throws {
        let node = NodeUnderTest {
            $0.fetches = AdmissionLimits(permits: 9, ratePerGroup: 0.1, queueAge: 3_000_000)
        }
        try await node.answer("/0.jpg")
        // The alarm is set a moment after the job is in the queue.
        let alarms = node.clock.alarms
        let second = node.client(node.request("/1.jpg"))
        try await until { node.pipeline.fetches.waiting == 1 && node.clock.alarms > alarms }
        node.clock.advance(seconds: 3)
        #expect(await second.value.failure == .overloaded(retryAfter: 10))
        node.clock.advance(seconds: 7)
        #expect(try await node.answer("/1.jpg").body.content.hasPrefix("one"))
    }

    @Test func `requests above the rate wait and are answered, and a stale original does not wait`()
        async throws
    {
        let node = NodeUnderTest {
            $0.fetches = AdmissionLimits(permits: 9, ratePerGroup: 1)
            $0.caching.defaultStaleIfError = 1000
        }
        try await node.answer("/held.jpg")
        node.clock.advance(seconds: 60)
        // The first request that waits sets the alarm, a moment after it is in the queue.
        let alarms = node.clock.alarms
        var clients = (0..<2).map { node.client(node.request("/\($0).jpg")) }
        try await until { node.pipeline.fetches.waiting == 1 && node.clock.alarms > alarms }
        clients += (2..<4).map { node.client(node.request("/\($0).jpg")) }
        try await until { node.pipeline.fetches.waiting == 3 && node.origin.requests.count == 2 }
        #expect(try await node.answer("/held.jpg").outcome == .stale)
        // The refresh behind the stale answer waits as well.
        try await until { node.pipeline.fetches.waiting == 4 }
        for count in 3...6 {
            node.clock.advance(seconds: 1)
            try await until {
                node.origin.requests.count == count && node.pipeline.fetches.waiting == 6 - count
            }
        }
        for client in clients { #expect(try await client.value.get().body.content.hasPrefix("one")) }
    }
}
