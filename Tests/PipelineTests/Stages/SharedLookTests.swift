// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import SourceURLs
import Testing

@Suite("The shared store is looked into for renditions where that pays")
struct SharedLookTests {
    /// Odds in a class, because the macros of expectations cannot change a value.
    private final class Odds {
        private var value = LookOdds()
        func isDue() -> Bool { value.isDue() }
        func learn(hasFound: Bool) { value.learn(hasFound: hasFound) }
    }

    @Test func `after looks in vain few are made, and one that finds something brings all back`() {
        let odds = Odds()
        for _ in 0..<LookOdds.patience {
            #expect(odds.isDue())
            odds.learn(hasFound: false)
        }
        for number in 1...10 * LookOdds.interval {
            let isDue = odds.isDue()
            #expect(isDue == number.isMultiple(of: LookOdds.interval), "look \(number)")
            if isDue { odds.learn(hasFound: false) }
        }
        odds.learn(hasFound: true)
        for _ in 0..<LookOdds.patience {
            #expect(odds.isDue())
            odds.learn(hasFound: false)
        }
        #expect(!odds.isDue())
    }

    /// Requests `count` URLs that are new everywhere, with bytes of their own.
    private func ask(_ node: NodeUnderTest, _ store: SharedStoreDouble, count: Int, named name: String)
        async throws
    {
        for number in 0..<count {
            node.origin.says(
                .picture(TestBody(content: "\(name) \(number)"), ["Cache-Control": "max-age=60"]))
            try await node.answer("/\(name)-\(number).jpg")
            store.takeOffers()
        }
    }

    @Test(arguments: [nil, LookTimes(late: 30_000_000, deadline: 60_000_000)])
    func `bytes that come with what is known of a URL are not asked for`(times: LookTimes?) async throws {
        let store = SharedStoreDouble(reading: Gate(open: false), times: times, enclosed: .max)
        let (one, other) = (NodeUnderTest(store: store), NodeUnderTest(store: store))
        try await ask(one, store, count: 1, named: "a")
        #expect(try await other.answer("/a-0.jpg").outcome == .sharedHit)
        #expect(other.origin.requests.isEmpty)
    }

    @Test func `new bytes that no other URL has are hardly looked for`() async throws {
        let store = SharedStoreDouble()
        try await ask(NodeUnderTest(store: store), store, count: LookOdds.patience + 160, named: "a")
        #expect(store.looks == LookOdds.patience + 160 / LookOdds.interval)
    }

    @Test func `what the store knows is looked for each time, however much was new`() async throws {
        let store = SharedStoreDouble()
        let (one, other) = (NodeUnderTest(store: store), NodeUnderTest(store: store))
        try await ask(one, store, count: 10, named: "a")
        try await ask(other, store, count: 2 * LookOdds.patience, named: "b")
        for number in 0..<10 {
            #expect(try await other.answer("/a-\(number).jpg").outcome == .sharedHit)
        }
        #expect(other.origin.requests.count == 2 * LookOdds.patience)
    }

    @Test func `bytes that other URLs have are found again once one of them was`() async throws {
        let store = SharedStoreDouble()
        let (one, other) = (NodeUnderTest(store: store), NodeUnderTest(store: store))
        try await ask(one, store, count: 40, named: "a")
        try await ask(other, store, count: LookOdds.patience, named: "b")
        let made = other.decoder.jobs.count
        for number in 0..<40 {
            // The same picture at a URL with another token.
            other.origin.says(.picture(TestBody(content: "a \(number)"), ["Cache-Control": "max-age=60"]))
            try await other.answer("/c-\(number).jpg")
        }
        #expect(other.decoder.jobs.count == made + LookOdds.interval - 1)
    }

    //   usual                the store        no-cache
    //   looks ─────────────▶
    //                                         joins
    //   ◀── fresh ──────────
    //                                         asks the origin
    @Test func `no-cache asks the origin, also beside one whom the store answers`() async throws {
        let (clock, looking) = (HandMovedClock(), Gate(open: true))
        let store = SharedStoreDouble(looking: looking)
        try await NodeUnderTest(clock: clock, store: store).answer()
        store.takeOffers()
        looking.close()
        let node = NodeUnderTest(clock: clock, store: store)
        let new = TestBody(content: "two")
        node.origin.says(.picture(new, ["Cache-Control": "max-age=60"]))
        let usual = node.client(node.request())
        try await until { looking.held == 1 }
        var request = node.request()
        request.directives.noCache = true
        let other = node.client(request)
        try await until { node.pipeline.originals.waiting == 2 }
        looking.open()
        #expect(try await usual.value.get().original.digest == TestBody(content: "one").digest)
        #expect(try await other.value.get().original.digest == new.digest)
        #expect(node.origin.requests.count == 1)
    }

    // MARK: Originals that may not be kept

    private func says(_ rule: String, _ node: NodeUnderTest) {
        node.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": rule]))
    }

    @Test(arguments: ["no-store", "private"])
    func `what may not be kept is looked for once, and again once it may be`(rule: String) async throws {
        let store = SharedStoreDouble()
        let node = NodeUnderTest(store: store)
        says(rule, node)
        for _ in 0..<3 { try await node.answer() }
        #expect(store.questions == 1 && store.looks == 0 && node.origin.requests.count == 3)
        let told = await node.pipeline.explain(node.request())
        #expect(told.waitsForOrigin && store.questions == 1)
        // Another URL has its own look.
        try await node.answer("/b.jpg")
        #expect(store.questions == 2)
        says("max-age=60", node)
        try await node.answer()
        #expect(store.questions == 2)
        store.takeOffers()
        node.cache.evict(node.request().key)
        try await node.answer()
        #expect(store.questions == 3 && node.origin.requests.count == 5)
    }

    @Test func `what may not be kept is looked for again once its origin has failed`() async throws {
        let (clock, store) = (HandMovedClock(), SharedStoreDouble())
        let node = NodeUnderTest(clock: clock, store: store)
        let other = NodeUnderTest(clock: clock, store: store)
        says("no-store", node)
        try await node.answer()
        says("max-age=6000", other)
        try await other.answer()
        store.takeOffers()
        node.origin.says(.status(500))
        #expect(await node.failure() != nil)
        clock.advance(seconds: 600)
        #expect(try await node.answer().outcome == .sharedHit)
    }

    @Test func `names of what may not be kept are bounded, and the last ones stay`() {
        var unshared = UnsharedOriginals()
        let keys = (0..<UnsharedOriginals.capacity + 100).map { OriginalKey(url: "http://a.test/\($0)") }
        for key in keys { unshared.learn(key, isUnshared: true) }
        let isKnown = keys.map { unshared.contains($0) }
        #expect(unshared.count <= UnsharedOriginals.capacity)
        #expect(isKnown.suffix(UnsharedOriginals.capacity / 2).allSatisfy { $0 } && isKnown.first == false)
        unshared.learn(keys[keys.count - 1], isUnshared: false)
        let isForgotten = !unshared.contains(keys[keys.count - 1])
        #expect(isForgotten)
    }
}
