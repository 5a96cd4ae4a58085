// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Testing

@Suite("What explain says of the shared store is what happens next", .timeLimit(.minutes(1)))
struct SharedExplanationTests {
    private let clock = HandMovedClock()
    private let store = SharedStoreDouble()

    private func node(rendering: Gate = Gate(open: true), leases: (any LeasePort)? = nil) -> NodeUnderTest {
        NodeUnderTest(rendering: rendering, clock: clock, store: store, leases: leases)
    }

    /// Puts another node's picture, 100 pixels wide, into the store.
    private func fill() async throws {
        try await node().answer()
        store.takeOffers()
    }

    private func expect(
        _ outcome: Outcome, from level: CacheLevel?, _ node: NodeUnderTest, width: Int = 100, asking: Int = 0
    ) async throws {
        let told = await node.pipeline.explain(node.request(width: width))
        #expect(told.outcome == outcome, "\(told.why)")
        #expect((told.taken ?? told.held)?.rendition?.level == level, "\(told.why)")
        #expect(told.waitsForOrigin == (asking > 0), "\(told.why)")
        let before = node.origin.requests.count
        #expect(try await node.answer(width: width).outcome == outcome, "\(told.why)")
        #expect(node.origin.requests.count - before == asking, "\(told.why)")
    }

    @Test func `a node that has nothing gets the picture that another has made`() async throws {
        try await fill()
        try await expect(.sharedHit, from: .shared, node())
    }

    @Test func `another size is made of the store's original`() async throws {
        try await fill()
        try await expect(.rendered, from: nil, node(), width: 200)
    }

    @Test func `nothing is taken over by being asked about`() async throws {
        try await fill()
        let other = node()
        _ = await other.pipeline.explain(other.request())
        #expect(other.cache.originalCount == 0)
    }

    @Test func `what another has confirmed makes the own picture good again`() async throws {
        try await fill()
        let (one, other) = (node(), node())
        for node in [one, other] { try await node.answer() }
        clock.advance(seconds: 61)
        one.origin.says(.notModified(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        try await one.answer()
        store.takeOffers()
        try await expect(.memoryHit, from: .memory, other)
    }

    @Test func `what is stale in the store is confirmed by the origin`() async throws {
        try await fill()
        clock.advance(seconds: 61)
        let other = node()
        other.origin.says(.notModified(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        try await expect(.revalidated, from: .shared, other, asking: 1)
    }

    @Test func `the node is named that makes a picture of the store's original`() async throws {
        try await fill()
        let (board, rendering) = (LeaseBoard(clock: clock), Gate())
        let one = node(rendering: rendering, leases: LeaseBoard.Port(board: board, node: "one"))
        let other = node(leases: LeaseBoard.Port(board: board, node: "other"))
        let client = one.client(one.request(width: 200))
        try await until { rendering.held == 1 }
        #expect(await other.pipeline.explain(other.request(width: 200)).leaseHolder == "one")
        #expect(await other.pipeline.explain(other.request(width: 100)).leaseHolder == nil)
        rendering.open()
        _ = try await client.value.get()
    }
}
