// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import SourceURLs
import Testing

@Suite("Nothing older than a purge is kept after it, whatever was under way", .timeLimit(.minutes(1)))
struct PurgeTests {
    private static let key = OriginalKey(url: "http://origin.test/a.jpg")

    @Test(
        arguments: [
            (.url(key), true), (.url(OriginalKey(url: "http://origin.test/b.jpg")), false),
            (.prefix("http://origin.test/"), true), (.prefix("https://origin.test/"), false),
            (.host("origin.test"), true), (.host("test"), false), (.all, true),
        ] as [(PurgeSelection, Bool)])
    func `what is meant goes with its renditions, and the rest stays`(
        selection: PurgeSelection, isMeant: Bool
    ) async throws {
        let node = NodeUnderTest()
        try await node.answer(width: 10)
        try await node.answer(width: 20)
        let forecast = try await node.pipeline.forecast(PurgeOrder(selection))
        #expect((node.cache.originalCount, node.cache.renditionCount) == (1, 2))
        let result = try await node.pipeline.purge(PurgeOrder(selection))
        #expect((result.originals, result.renditions) == (isMeant ? (1, 2) : (0, 0)))
        #expect(forecast == result)
        try await node.answer(width: 10)
        #expect(node.origin.requests.count == (isMeant ? 2 : 1))
    }

    @Test(arguments: [("shop", true), ("new", false)])
    func `a remembered failure goes with the tags of its answer`(tag: String, isMeant: Bool) async throws {
        let node = NodeUnderTest()
        node.origin.says(.status(404, ["Cache-Control": "max-age=60", "Cache-Tag": "old, shop"]))
        _ = try? await node.answer()
        let forecast = try await node.pipeline.forecast(PurgeOrder(.tag(tag)))
        let result = try await node.pipeline.purge(PurgeOrder(.tag(tag)))
        #expect(result.failures == (isMeant ? 1 : 0) && forecast == result)
        _ = try? await node.answer()
        #expect(node.origin.requests.count == (isMeant ? 2 : 1))
    }

    @Test(
        arguments: [
            (.tag("shop 7"), true), (.tag("new"), true), (.host("other.test"), false), (.url(key), true),
        ] as [(PurgeSelection, Bool)])
    func `a remembered failure whose answer has more tags than are kept goes with every tag`(
        selection: PurgeSelection, isMeant: Bool
    ) async throws {
        let node = NodeUnderTest()
        let tags = (0..<100).map { "shop \($0)" }.joined(separator: ", ")
        node.origin.says(.status(404, ["Cache-Control": "max-age=60", "Cache-Tag": tags]))
        _ = try? await node.answer()
        let forecast = try await node.pipeline.forecast(PurgeOrder(selection))
        let result = try await node.pipeline.purge(PurgeOrder(selection))
        #expect(result.failures == (isMeant ? 1 : 0) && forecast == result)
        _ = try? await node.answer()
        #expect(node.origin.requests.count == (isMeant ? 2 : 1))
    }

    private static func variant(_ text: String) -> ClientFields {
        ClientFields([.init("Cookie", text)], isForAll: false) { _ in text }
    }

    @Test(
        arguments: [
            (.url(key), true), (.url(OriginalKey(url: key.url, variant: "c")), true),
            (.url(OriginalKey(url: "http://origin.test/a")), false),
            (.prefix("http://origin.test/a.jpg"), true),
            (.host("origin.test"), true), (.all, true),
        ] as [(PurgeSelection, Bool)])
    func `all variants of a URL go with it, those under way as well`(
        selection: PurgeSelection, isMeant: Bool
    ) async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching)
        var request = node.request()
        for name in ["", "a", "b"] {
            request.clientFields = name.isEmpty ? .none : Self.variant(name)
            _ = try await node.pipeline.answer(request)
        }
        #expect(node.cache.originalCount == 3 && node.origin.requests.count == 3)
        #expect(node.origin.requests.map(\.clientFields.variant) == ["", "a", "b"])
        node.origin.says(.status(404, ["Cache-Control": "max-age=60"]))
        request.clientFields = Self.variant("d")
        _ = try? await node.pipeline.answer(request)
        let result = try await node.pipeline.purge(PurgeOrder(selection))
        #expect(result.originals == (isMeant ? 3 : 0) && result.failures == (isMeant ? 1 : 0))
        #expect(node.cache.originalCount == (isMeant ? 0 : 3))
    }

    //  client            in-flight request                       purge
    //  asks              starts, waits at the gate
    //                                                 purges; returns
    //  asks again        a second one starts
    //  gets its picture  completes, is not kept
    @Test func `a fetch that began before the purge serves those who waited, and is not kept or joined`()
        async throws
    {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        let early = node.client(node.request())
        try await until { fetching.held == 1 }
        #expect(try await node.pipeline.forecast(PurgeOrder(.url(Self.key))).fetches == 1)
        let result = try await node.pipeline.purge(PurgeOrder(.url(Self.key)))
        #expect(result.fetches == 1)
        #expect(try await node.pipeline.forecast(PurgeOrder(.url(Self.key))).fetches == 0)
        let late = node.client(node.request())
        try await until { fetching.held == 2 }
        #expect(node.pipeline.originalsInFlight == 2)
        fetching.open()
        #expect(try await early.value.get().isKept == false)
        #expect(try await late.value.get().isKept)
        #expect(node.origin.requests.count == 2)
        #expect(node.cache.originalCount == 1)
        #expect(node.pipeline.workInFlight == 0)
    }

    private static let endings: [OriginDouble.Line] = [
        .status(404), .picture(TestBody(content: "two"), ["Cache-Control": "no-store"]),
    ]

    @Test(arguments: endings)
    func `a fetch that began before the purge takes nothing from what came after it`(
        line: OriginDouble.Line
    ) async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching)
        try await node.answer()
        node.clock.advance(seconds: 100)
        fetching.close()
        node.origin.says(line)
        let early = node.client(node.request())
        try await until { fetching.held == 1 }
        try await _ = node.pipeline.purge(PurgeOrder(.url(Self.key)))
        // Another node with the same cache keeps the original, as the next fetch would.
        try await NodeUnderTest(clock: node.clock, cache: node.cache).answer()
        fetching.open()
        _ = await early.value
        #expect(node.cache.originalCount == 1)
    }

    @Test func `a rendering that began before the purge is not kept`() async throws {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering)
        let client = node.client(node.request())
        try await until { rendering.held == 1 }
        #expect(node.pipeline.workInFlight == 1)
        try await _ = node.pipeline.purge(PurgeOrder(.host("origin.test")))
        rendering.open()
        let answer = try await client.value.get()
        #expect(node.cache.renditionCount == 0)
        var isKept = false
        node.pipeline.keep(answer) { _ in isKept = true }
        #expect(!isKept, "not in memory either")
    }

    @Test func `a revalidation that began before the purge does not bring the original back`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching)
        try await node.answer()
        node.clock.advance(seconds: 10_000)
        fetching.close()
        let client = node.client(node.request())
        try await until { fetching.held == 1 }
        try await _ = node.pipeline.purge(PurgeOrder(.all))
        fetching.open()
        _ = try await client.value.get()
        // The client found its bytes gone and fetched them anew, or was served what it had; in both cases the next request asks
        // again.
        let requests = node.origin.requests.count
        #expect(requests >= 2)
    }

    @Test func `an answer of a held original has its tags as well, by which a purge finds it in memory`()
        async throws
    {
        let node = NodeUnderTest()
        node.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "Cache-Tag": "shop, new"]))
        #expect(try await node.answer(width: 10).tags == ["shop", "new"])
        let second = try await node.answer(width: 20)
        #expect(second.forwarding == nil && second.tags == ["shop", "new"] && second.isKept)
        #expect(node.pipeline.answerAtHand(node.request(width: 20))?.tags == ["shop", "new"])
        node.cache.hideTags()
        // These tags are in the index, for which no event loop waits.
        #expect(node.pipeline.answerAtHand(node.request(width: 20)) == nil)
        #expect(try await node.answer(width: 20).tags == ["shop", "new"])
        node.cache.hideFields()
        let third = try await node.answer(width: 30)
        #expect(!third.isKept && node.cache.renditionCount == 3, "nobody knows its tags")
    }

    @Test func `a purge of something else leaves a fetch alone`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        let client = node.client(node.request())
        try await until { fetching.held == 1 }
        try await _ = node.pipeline.purge(PurgeOrder(.prefix("http://other.test/")))
        fetching.open()
        #expect(try await client.value.get().isKept)
        #expect(node.cache.originalCount == 1)
    }

    @Test func `a purge that may have left variants has forgotten all else before it fails`() async throws {
        let node = NodeUnderTest()
        try await node.answer()
        node.cache.hideVariants()
        await #expect(throws: IndexUnreadable.self) {
            try await node.pipeline.purge(PurgeOrder(.url(Self.key)))
        }
        #expect((node.cache.originalCount, node.cache.renditionCount) == (0, 0))
        try await node.answer()
        #expect(node.origin.requests.count == 2 && node.cache.originalCount == 1)
    }

    @Test func `when the cache cannot tell what it holds, the purge fails, and later ones are possible`()
        async
    {
        let node = NodeUnderTest()
        node.cache.breakIndex()
        await #expect(throws: IndexUnreadable.self) { try await node.pipeline.purge(PurgeOrder(.all)) }
        let log = node.pipeline.purges
        #expect(!log.isPurged(Self.key, tags: [], since: log.epoch), "it does not bar what begins now")
    }
}

@Suite("Purges and those who keep, in every order", .timeLimit(.minutes(1)))
struct PurgeLogTests {
    private let log = PurgeLog()
    private let key = OriginalKey(url: "http://a/1")

    @Test func `what began before a purge is barred, what begins after it is not`() {
        let before = log.epoch
        let number = log.open(.url(key))
        let during = log.epoch
        log.close(number, keys: [])
        #expect(log.enter(key, tags: [], since: before) == nil)
        #expect(log.enter(key, tags: [], since: during) == nil)
        #expect(log.enter(key, tags: [], since: log.epoch) != nil)
        #expect(log.enter(OriginalKey(url: "http://a/2"), tags: [], since: before) != nil)
    }

    @Test func `a tag bars by the reply's tags, and afterwards by what it led to`() {
        let before = log.epoch
        let number = log.open(.tag("shop"))
        #expect(log.enter(key, tags: ["news"], since: before) != nil)
        #expect(log.enter(key, tags: ["news", "shop"], since: before) == nil)
        log.close(number, keys: [key])
        #expect(log.enter(key, tags: [], since: before) == nil)
        #expect(log.enter(key, tags: [], since: log.epoch) != nil)
    }

    @Test func `settling waits for sections that are open, and not for later ones`() async throws {
        let section = log.enter(key, tags: [], since: log.epoch)
        let settled = TestTask { await log.settle() }
        try await until { log.settling == 1 }
        let later = log.enter(key, tags: [], since: log.epoch)
        if let section { log.leave(section) }
        await settled.value
        if let later { log.leave(later) }
        await log.settle()
    }

    @Test func `what is older than all that is remembered counts as purged`() {
        let before = log.epoch
        for number in 0..<300 { log.close(log.open(.prefix("http://b/\(number)")), keys: []) }
        #expect(log.enter(key, tags: [], since: before) == nil)
        #expect(log.enter(key, tags: [], since: log.epoch) != nil)
    }

    @Test func `purges of many URLs bar these alone`() {
        let before = log.epoch
        for number in 0..<5_000 {
            log.close(log.open(.url(OriginalKey(url: "http://b/\(number)"))), keys: [])
        }
        #expect(log.enter(key, tags: [], since: before) != nil)
        for number in [0, 4_999] {
            let purged = OriginalKey(url: "http://b/\(number)", variant: "aa")
            #expect(log.enter(purged, tags: [], since: before) == nil)
            #expect(log.enter(purged, tags: [], since: log.epoch) != nil)
        }
    }

    @Test func `one purge of several URLs bars all of them`() {
        let before = log.epoch
        let number = log.open([key.url, "http://a/2"])
        for url in [key.url, "http://a/2"] {
            #expect(log.isPurged(OriginalKey(url: url), tags: [], since: log.epoch))
        }
        log.close(number, keys: [])
        for url in [key.url, "http://a/2"] {
            #expect(log.isPurged(OriginalKey(url: url), tags: [], since: before))
            #expect(!log.isPurged(OriginalKey(url: url), tags: [], since: log.epoch))
        }
        #expect(!log.isPurged(OriginalKey(url: "http://a/3"), tags: [], since: before))
    }

    @Test func `beyond what is remembered of URLs, older work counts as purged, and newer work does not`() {
        let before = log.epoch
        let limit = PurgeLog.limit.urls
        log.close(log.open(Set((0..<limit).map { "http://b/\($0)" })), keys: [])
        let between = log.epoch
        #expect(log.enter(key, tags: [], since: before) != nil)
        log.close(log.open(.url(OriginalKey(url: "http://b/last"))), keys: [])
        #expect(log.enter(key, tags: [], since: before) == nil)
        #expect(log.enter(key, tags: [], since: between) != nil)
        #expect(log.enter(OriginalKey(url: "http://b/last"), tags: [], since: between) == nil)
    }
}

@Suite("Purges of URLs are found by these")
struct URLPurgesTests {
    @Test func `a URL is barred until the last of its purges has closed`() {
        var purges = URLPurges(limit: 10)
        purges.open(1, of: ["a", "b"])
        purges.open(2, of: ["a"])
        #expect(purges.close(1, at: 3) == true)
        #expect(purges.isPurged("a", since: 9) && !purges.isPurged("b", since: 3))
        #expect(purges.close(2, at: 4) == true)
        #expect(purges.isPurged("a", since: 3) && !purges.isPurged("a", since: 4))
        for number in [2, 7] { #expect(purges.close(number, at: 5) == false) }
    }

    @Test func `the oldest are forgotten first, and none that is under way`() {
        var purges = URLPurges(limit: 10)
        purges.open(1, of: ["open"])
        for number in 2...10 {
            purges.open(number, of: ["\(number)"])
            _ = purges.close(number, at: number)
        }
        #expect(purges.forgetOldest() == nil)
        purges.open(11, of: ["11"])
        _ = purges.close(11, at: 11)
        // Forgets the one URL beyond the limit, and a tenth of the limit.
        #expect(purges.forgetOldest() == 3)
        #expect(purges.isPurged("open", since: 99) && purges.isPurged("4", since: 0))
        #expect(!purges.isPurged("2", since: 0) && !purges.isPurged("3", since: 0))
        #expect(purges.forgetOldest() == nil)
    }
}
