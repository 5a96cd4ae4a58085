// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import Testing

@Suite("The shared store is looked into for renditions where that pays")
struct SharedLookTests {
    /// Odds that the expectations' macros can change.
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

    /// So many URLs that nobody knows, with bytes of their own.
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
            // The same picture behind another token.
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
}
