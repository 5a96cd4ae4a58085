// SPDX-License-Identifier: Apache-2.0

import Fleet
import Pipeline
import TestSupport
import Testing

@Suite("What entries that may be any purge cost")
struct NewsDoubtTests {
    private typealias Node = NewsNode

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    @Test func `a page of them has everything confirmed twice, the second time for the last of them`()
        async throws
    {
        for number in 0..<9 { try redis.cli("XADD", "{pictor}:news", "*", "v", "2", "what", "\(number)") }
        let node = try Node(redis) { $0.readsAll = true }
        #expect(await node.isReady())
        #expect(node.selections == [.all, .all] && node.gaps == [.unreadable, .unreadable])
        #expect(node.orders.allSatisfy { $0.isSoft && $0.isStrict && $0.isRelayed })
        let last = node.news.position.flatMap { StreamID($0) }?.time
        #expect(last != nil && node.orders.last?.announced == last)
        await node.end()
    }
}
