// SPDX-License-Identifier: Apache-2.0

import Fleet
import HTTPSemantics
import Pipeline
import TestSupport
import Testing

@Suite("When other nodes' purges count from, where a shared store has what this node wrote by its own clock")
struct NewsClockTests {
    private typealias Node = NewsNode

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    @Test(arguments: [true, false])
    func `one that comes just now counts until now, one that was missed from when it was ordered`(
        isShared: Bool
    ) async throws {
        let (a, b) = (try Node(redis), try Node(redis) { $0.readsAll = isShared })
        for node in [a, b] { #expect(await node.isReady()) }
        #expect(try await a.purge("1") == .told)
        #expect(Patience.until { b.orders.count == 1 })
        let ordered = Timestamp(milliseconds: 1_732_545_256_000)
        // With both times, Redis's clock alone shifts nothing (`PurgeMarks.time`).
        #expect(b.orders.first?.announced != nil)
        #expect(b.orders.first?.time == (isShared ? Node.now : ordered))
        await b.end()
        #expect(try await a.purge("2") == .told)
        let again = try Node(redis, folder: b.folder, isEmpty: false) { $0.readsAll = isShared }
        #expect(await again.isReady())
        #expect(again.selections.last == Node.selection("2"))
        #expect(again.orders.last?.time == ordered)
        await again.end()
        await a.end()
    }
}
