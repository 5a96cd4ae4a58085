// SPDX-License-Identifier: Apache-2.0

import Clients
import Endpoints
import Fleet
import FleetSupport
import HTTPSemantics
import Pipeline
import Platform
import Settings
import Telemetry
import TestSupport
import Testing

/// Rates are so slow that no token comes back while a test runs.
@Suite("A client's limits hold for two nodes together", .timeLimit(.minutes(2)))
struct FleetClientTests {
    private static let peer = PeerAddress(ipv4: 0xC000_0209, port: 0)
    private static let client = ClientKey(.v4(0xC000_0209), prefix: 64)

    private let pair: LinkedNodes
    private var redis: RedisServer { pair.redis }
    private var links: [RedisLink] { pair.links }

    init() throws {
        pair = try LinkedNodes()
        #expect(pair.connect())
    }

    private func node(_ link: RedisLink, requests: String = "", misses: String = "") throws -> ClientLimits {
        try node(
            RedisBuckets(link: link, prefix: "test", patience: .seconds(60)), requests: requests,
            misses: misses)
    }

    private func node(_ buckets: RedisBuckets, requests: String = "", misses: String = "") throws
        -> ClientLimits
    {
        var settings = Settings().limits
        if !requests.isEmpty { settings.requestsPerClient = try #require(ClientRate(settingText: requests)) }
        if !misses.isEmpty { settings.missesPerClient = try #require(ClientRate(settingText: misses)) }
        let metrics = Metrics(build: BuildInfo(version: "0", libvips: "0"), codes: [])
        return try #require(
            ClientLimits(settings, metrics: metrics, fleet: ClientBuckets(buckets, key: "secret")))
    }

    private func pay(_ node: ClientLimits) async throws -> Payment {
        try await #require(node.allowance(for: Self.peer)).pay()
    }

    private func isRefused(_ payment: Payment) -> Bool {
        if case .refused(let retryAfter) = payment { retryAfter > 0 } else { false }
    }

    private func isGranted(_ node: ClientLimits) -> Bool {
        node.refusal(of: Self.client, ticks: SystemEnvironment().ticks()) == nil
    }

    @Test func `misses are counted one by one`() async throws {
        let nodes = try links.map { try node($0, misses: "4/1h") }
        for index in 0..<4 { #expect(try await pay(nodes[index % 2]) == .paid) }
        for node in nodes { #expect(isRefused(try await pay(node))) }
    }

    @Test func `what a client has left is told at each node, and takes nothing`() async throws {
        let nodes = try links.map { try node($0, misses: "4/1h") }
        for node in nodes { #expect(await node.missesLeft(to: Self.peer) == 4) }
        for left in (0..<4).reversed() {
            #expect(try await pay(nodes[left % 2]) == .paid)
            for node in nodes { #expect(await node.missesLeft(to: Self.peer) == left) }
        }
        #expect(isRefused(try await pay(nodes[0])))
        #expect(await nodes[1].missesLeft(to: Self.peer) == 0)
        #expect(await nodes[1].missesLeft(to: PeerAddress(ipv4: 0xC000_0210, port: 0)) == 4)
        let alone = try node(links[0], requests: "4/1h")
        #expect(await alone.missesLeft(to: Self.peer) == nil)
        redis.kill()
        #expect(Patience.until { !links[1].isUp })
        #expect(await nodes[1].missesLeft(to: Self.peer) == nil)
    }

    @Test func `a miss given back is another node's`() async throws {
        let nodes = try links.map { try node($0, misses: "1/1h") }
        var allowance = nodes[0].allowance(for: Self.peer)
        #expect(await allowance?.pay() == .paid)
        #expect(await allowance?.pay() == .alreadyPaid)
        allowance?.giveBack()
        // The same request uses its own token again, without asking the fleet.
        #expect(await allowance?.pay() == .paid)
        allowance?.giveBack()
        #expect(isRefused(try await pay(try node(links[1], misses: "1/1h"))))
        // The token is returned in the background once the allowance is gone.
        allowance = nil
        var payment = Payment.refused(retryAfter: 1)
        while isRefused(payment) {
            try Task.checkCancellation()
            payment = try await pay(try node(links[1], misses: "1/1h"))
        }
        #expect(isRefused(try await pay(nodes[0])))
    }

    @Test func `a refused client's next request does not ask Redis`() async throws {
        let node = try node(links[0], misses: "1/1h")
        _ = try await pay(try self.node(links[1], misses: "1/1h"))
        #expect(isRefused(try await pay(node)))
        redis.kill()
        #expect(isRefused(try await pay(node)))
    }

    @Test func `what one node grants of hits, the other lacks soon`() async throws {
        let buckets = links.map { RedisBuckets(link: $0, prefix: "test", patience: .seconds(60)) }
        let nodes = try buckets.map { try node($0, requests: "32/1h") }
        for _ in 0..<32 { #expect(isGranted(nodes[0])) }
        #expect(!isGranted(nodes[0]))
        #expect(Patience.until { buckets[0].counters.statistics.granted > 0 })
        // The other node hears of it when it reports its own tokens, from two on.
        for _ in 0..<2 { #expect(isGranted(nodes[1])) }
        #expect(Patience.until { buckets[1].counters.statistics.granted > 0 })
        var more = 0
        while isGranted(nodes[1]), more < 32 {
            more += 1
            _ = try redis.cli("PING")
        }
        #expect(more < 30, "it lacks what the other has granted")
    }

    @Test func `without Redis each node has its own limit, and then they share it again`() async throws {
        let nodes = try links.map { try node($0, misses: "2/1h") }
        redis.kill()
        #expect(Patience.until { links.allSatisfy { !$0.isUp } })
        for node in nodes {
            for _ in 0..<2 { #expect(try await pay(node) == .paid) }
            #expect(isRefused(try await pay(node)))
        }
        try redis.start()
        #expect(Patience.until { links.allSatisfy { $0.isUp } })
        let others = try links.map { try node($0, misses: "2/1h") }
        for node in others { #expect(try await pay(node) == .paid) }
        for node in others { #expect(isRefused(try await pay(node))) }
    }

    @Test func `Redis gets no address`() async throws {
        _ = try await pay(try node(links[0], misses: "2/1h"))
        let keys = try #require(try redis.cli("KEYS", "*"))
        #expect(keys.firstMatch(of: /^\{test\}:rate:misses:[0-9a-f]{32}\n/) != nil, "\(keys)")
    }
}
