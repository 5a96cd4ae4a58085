// SPDX-License-Identifier: Apache-2.0

import Fleet
import FleetSupport
import Synchronization
import TestSupport
import Testing

@Suite("The nodes of a fleet are counted in a real Redis", .timeLimit(.minutes(2)))
struct FleetPeersTests {
    /// A clock that the test moves by hand.
    private final class Clock: Sendable {
        private let time = Mutex<Int64>(0)
        var ticks: Int64 { time.withLock { $0 } }
        func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
    }

    private let pair: LinkedNodes
    private let clock = Clock()
    private var redis: RedisServer { pair.redis }

    init() throws {
        pair = try LinkedNodes()
        #expect(pair.connect())
    }

    private func node(_ name: String, time: Duration = .seconds(600)) -> FleetPeers {
        FleetPeers(
            link: pair.links[name == "a" ? 0 : 1], prefix: "test", node: name, time: time,
            patience: .seconds(60), ticks: { [clock] in clock.ticks })
    }

    @Test func `a node alone has no peers, and three have two each`() async {
        let (a, b, c) = (node("a"), node("b"), node("c"))
        #expect(a.count == 0)
        await a.tell()
        #expect(a.count == 0)
        for peers in [b, c, a] { await peers.tell() }
        #expect(a.count == 2 && c.count == 2)
        // A node counts itself only once, even after a restart.
        await node("b").tell()
        await a.tell()
        #expect(a.count == 2)
    }

    @Test func `a node is counted by a new name from the next time on`() async throws {
        let (a, b) = (node("a"), node("a"))
        for peers in [b, a] { await peers.tell() }
        #expect(a.count == 0)
        b.rename(to: "b")
        for peers in [b, a] { await peers.tell() }
        #expect(a.count == 1 && b.count == 1)
    }

    @Test func `a node that says nothing any more is no peer after a while`() async throws {
        let (a, b) = (node("a"), node("b", time: .milliseconds(100)))
        await b.tell()
        repeat {
            try Task.checkCancellation()
            await a.tell()
        } while a.count > 0
    }

    @Test func `nodes of before a clock was set back are forgotten`() async throws {
        let a = node("a")
        // The score is a time in the year 2255.
        _ = try redis.cli("ZADD", "{test}:peers", "9000000000000000", "dead")
        await a.tell()
        #expect(a.count == 0)
    }

    @Test func `the key ends by itself`() async throws {
        await node("a").tell()
        #expect(try redis.millisecondsLeft(of: "{test}:peers").map { (1...600_000).contains($0) } == true)
    }

    @Test func `without Redis the last count holds no longer than the nodes would`() async {
        let (a, b) = (node("a"), node("b"))
        for peers in [b, a] { await peers.tell() }
        for link in pair.links { link.close() }
        clock.advance(600_000_000 - 1)
        await a.tell()
        #expect(a.count == 1)
        clock.advance(1)
        #expect(a.count == 0)
    }
}
