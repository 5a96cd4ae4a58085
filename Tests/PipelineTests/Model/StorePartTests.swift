// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import Testing

@Suite("An answer tells the shared store's part in it", .timeLimit(.minutes(1)))
struct StorePartTests {
    private let clock = HandMovedClock()
    private let store = SharedStoreDouble()

    private func node(_ store: SharedStoreDouble? = nil) -> NodeUnderTest {
        NodeUnderTest(clock: clock, store: store ?? self.store)
    }

    @Test func `a node without a store tells nothing of one`() async throws {
        let answer = try await NodeUnderTest().answer()
        #expect(answer.store == nil)
    }

    @Test func `the store had nothing, so the origin was asked`() async throws {
        let answer = try await node().answer()
        #expect(answer.store == StorePart(.absent) && answer.forwarding?.reason == .uriMiss)
    }

    @Test func `the store had it, for a node that had nothing`() async throws {
        try await node().answer()
        store.takeOffers()
        let other = node()
        let found = try await other.answer()
        #expect(found.store == StorePart(.hit(for: .uriMiss)) && found.forwarding == nil)
        #expect(found.outcome == .sharedHit)
        // The node holds its own copy now.
        #expect(try await other.answer().store == nil)
        // The rendition is made from the held original.
        #expect(try await other.answer(width: 200).store == nil)
    }

    @Test func `the store had it, and the disk has refused it`() async throws {
        try await node().answer()
        store.takeOffers()
        let other = node()
        other.cache.becomeFull()
        let found = try await other.answer()
        #expect(found.store?.reason == .uriMiss && found.store?.isStored == false)
    }

    @Test func `the store had the original, and the picture is made of it`() async throws {
        try await node().answer()
        store.takeOffers()
        let made = try await node().answer(width: 200)
        #expect(made.store == StorePart(.hit(for: .uriMiss)) && made.outcome == .rendered)
    }

    @Test func `the store had a rendition of an original that is held`() async throws {
        let (one, other) = (node(), node())
        try await one.answer()
        store.takeOffers()
        try await other.answer()
        try await one.answer(width: 200)
        store.takeOffers()
        let found = try await other.answer(width: 200)
        #expect(found.store == StorePart(.hit(for: .miss)) && found.outcome == .sharedHit)
    }

    @Test func `the store had a newer original than a node whose own was stale`() async throws {
        let (one, other) = (node(), node())
        try await one.answer()
        store.takeOffers()
        try await other.answer()
        clock.advance(seconds: 61)
        one.origin.says(.notModified(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        let confirmed = try await one.answer()
        #expect(confirmed.forwarding?.status == 304 && confirmed.store?.reason == nil)
        store.takeOffers()
        let spared = try await other.answer()
        #expect(spared.store == StorePart(.hit(for: .stale)) && spared.forwarding == nil)
    }

    @Test func `what the store had was stale, so the origin was asked about it`() async throws {
        try await node().answer()
        store.takeOffers()
        clock.advance(seconds: 61)
        let other = node()
        other.origin.says(.notModified(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        let confirmed = try await other.answer(width: 200)
        #expect(confirmed.store == StorePart(.stale) && confirmed.forwarding?.status == 304)
        #expect(confirmed.forwarding?.reason == .uriMiss, "this node had nothing")
    }

    @Test func `a rendition of the store is no hit of it where the origin was asked`() async throws {
        try await node().answer()
        store.takeOffers()
        clock.advance(seconds: 61)
        let other = node()
        other.origin.says(.notModified(["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        let confirmed = try await other.answer()
        #expect(confirmed.forwarding?.status == 304 && confirmed.outcome == .revalidated)
        #expect(confirmed.store == StorePart(.rendition(past: .stale)))
    }

    @Test func `a store of renditions alone is not said to have missed the original`() async throws {
        let store = SharedStoreDouble(sharesOriginals: false)
        try await node(store).answer()
        store.takeOffers()
        let other = node(store)
        #expect(try await other.answer().store == StorePart(.rendition(past: .bypass)))
        #expect(try await other.answer("/b.jpg", width: 200).store == nil)
    }

    @Test func `the store had the picture, and the origin was asked for its watermark`() async throws {
        try await node().answer()
        store.takeOffers()
        let other = node()
        var request = other.request()
        request.recipe.watermark = Watermark(source: "http://origin.test/logo.png")
        let marked = try await other.pipeline.answer(request)
        #expect(marked.forwarding?.reason == .uriMiss && marked.store == StorePart(.absent))
    }

    @Test func `the store did not answer, so nobody knows what it has`() async throws {
        try await node().answer()
        store.takeOffers()
        store.fallSilent()
        let answer = try await node().answer(width: 200)
        #expect(answer.store == StorePart(.silent) && answer.forwarding?.reason == .uriMiss)
    }

    @Test func `who joins another request's look is told so`() async throws {
        try await node().answer()
        store.takeOffers()
        let looking = Gate(open: true)
        let slow = SharedStoreDouble(looking: looking)
        await store.copy(to: slow, "http://origin.test/a.jpg")
        looking.close()
        let other = node(slow)
        let first = other.client(other.request())
        try await until { looking.held == 1 }
        let second = other.client(other.request())
        try await until { other.pipeline.originals.waiting == 2 }
        looking.open()
        let parts = [try await first.value.get().store, try await second.value.get().store]
        #expect(parts.compactMap { $0?.isCollapsed }.sorted { !$0 && $1 } == [false, true])
    }

    @Test(
        arguments: [
            (.hit(for: .stale), "pictor-store;hit"), (.stale, "pictor-store;fwd=stale"),
            (.absent, "pictor-store;fwd=miss"), (.late, "pictor-store;fwd=bypass;detail=late"),
            (.silent, "pictor-store;fwd=bypass;detail=silent"),
            (.rendition(past: .miss), "pictor-store;fwd=miss;detail=rendition"),
        ] as [(StorePart.Word, String)])
    func `each word has its member of Cache-Status`(word: StorePart.Word, text: String) {
        #expect(StorePart(word).status.text == text)
    }
}
