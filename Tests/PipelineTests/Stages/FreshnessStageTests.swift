// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FreshnessStageTests {
    @Test func `nobody is asked while the original is fresh`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 59)
        #expect(try await node.answer().forwarding == nil)
        #expect(node.origin.requests.count == 1)
    }

    @Test
    func
        `once it is stale there is one conditional request, and its 304 refreshes every size without a rendering`()
        async throws
    {
        let node = try await NodeUnderTest.holding("max-age=60")
        try await node.answer(width: 200)
        node.clock.advance(seconds: 60)
        node.origin.says(.notModified(["ETag": "\"1\""]))
        let answer = try await node.answer(width: 100)
        #expect(answer.outcome == .revalidated)
        #expect(answer.forwarding == Forwarding(reason: .stale, status: 304, isStored: true))
        #expect(try await node.answer(width: 200).outcome == .memoryHit)
        #expect(node.origin.requests.map(\.validators.entityTag) == [nil, "\"1\""])
        #expect(node.decoder.jobs.count == 2)
        #expect(node.pipeline.counters.revalidations.read() == 1)
    }

    @Test func `the 304 counts from its own arrival`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 100)
        node.origin.says(.notModified(["Cache-Control": "max-age=10"]))
        try await node.answer()
        node.clock.advance(seconds: 9)
        #expect(try await node.answer().outcome == .memoryHit)
        node.clock.advance(seconds: 1)
        #expect(try await node.answer().outcome == .revalidated)
        #expect(node.origin.requests.count == 3)
    }

    @Test func `an answer of former bytes is not kept ready once there are others`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        let former = try await node.answer()
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        var request = node.request()
        request.directives.noCache = true
        let latter = try await node.pipeline.answer(request)
        var kept: [OriginalDigest] = []
        for answer in [former, latter] {
            node.pipeline.keep(answer) { if $0 { kept.append(answer.original.digest) } }
        }
        #expect(former.original.digest != latter.original.digest && kept == [latter.original.digest])
    }

    @Test func `nor is it where the former ones were evicted`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        let former = try await node.answer()
        node.cache.evict(node.request().key)
        var isKept = false
        node.pipeline.keep(former) { isHeld in isKept = !isHeld }
        #expect(isKept, "nobody knows of other bytes")
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        let latter = try await node.answer(width: 70)
        #expect(latter.original.digest != former.original.digest)
        node.pipeline.keep(former) { _ in Issue.record("kept") }
    }

    @Test func `an answer under way is not kept ready once its picture is known to be gone`() async throws {
        for line in [
            OriginDouble.Line.status(404),
            .picture(TestBody(content: "two"), ["Cache-Control": "no-store"]),
        ] {
            let node = try await NodeUnderTest.holding("max-age=60")
            let former = try await node.answer()
            node.origin.says(line)
            var request = node.request()
            request.directives.noCache = true
            _ = await node.client(request).value
            node.pipeline.keep(former) { _ in Issue.record("kept") }
        }
    }

    @Test(arguments: [-30.0, -1_000_000, 30])
    func `what other fields have chosen before a start is asked for anew, wherever the clock went`(
        passed: Double
    ) async throws {
        func fields(_ tenant: String) -> Fields { Fields([Fields.Field("X-Tenant", tenant)]) }
        let first = NodeUnderTest { $0.requestFields = fields("a") }
        first.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "Vary": "X-Tenant"]))
        try await first.answer()
        let clock = HandMovedClock()
        clock.advance(seconds: passed)
        let second = NodeUnderTest(clock: clock, cache: first.cache) { $0.requestFields = fields("b") }
        second.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        // The clock, which was wrong at the start, is set right afterwards.
        clock.advance(seconds: -passed + 10)
        #expect(try await second.answer().body.content.hasPrefix("two as "))
        #expect(second.origin.requests.count == 1)
    }

    @Test func `what the same fields have chosen before a start is at hand once that was found out`()
        async throws
    {
        func node(_ tenant: String, cache: MemoryCache = MemoryCache()) -> NodeUnderTest {
            NodeUnderTest(cache: cache) {
                $0.requestFields = Fields([Fields.Field("X-Tenant", tenant)])
            }
        }
        let first = node("a")
        first.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "Vary": "X-Tenant"]))
        try await first.answer()
        let second = node("a", cache: first.cache)
        #expect(second.pipeline.answerAtHand(second.request()) == nil, "its fields are to be read")
        try await second.answer()
        second.cache.hideFields()
        #expect(second.pipeline.answerAtHand(second.request()) != nil)
        #expect(try await second.answer().outcome == .memoryHit)
        #expect(second.origin.requests.isEmpty)
    }

    @Test func `so is what they may have chosen, where the cache cannot tell`() async throws {
        func fields(_ tenant: String) -> Fields { Fields([Fields.Field("X-Tenant", tenant)]) }
        let first = NodeUnderTest { $0.requestFields = fields("a") }
        first.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "Vary": "X-Tenant"]))
        try await first.answer()
        first.cache.loseFields()
        let second = NodeUnderTest(cache: first.cache) { $0.requestFields = fields("b") }
        second.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        #expect(try await second.answer().body.content.hasPrefix("two as "))
    }

    @Test func `with max-age=0 a trusted client has the origin asked, whatever is held`() async throws {
        let node = NodeUnderTest()
        var request = node.request()
        request.directives.maximumAge = 0
        _ = try await node.pipeline.answer(request)
        let ready = try await node.answer()
        node.cache.evict(request.key)
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        _ = try await node.pipeline.answer(request)
        node.pipeline.keep(ready) { _ in Issue.record("kept") }
    }

    @Test func `the same bytes again are no reason to render again`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 60)
        let answer = try await node.answer()
        #expect(answer.outcome == .revalidated)
        #expect(answer.forwarding?.status == 200)
        #expect(node.decoder.jobs.count == 1)
        #expect(try await node.answer().outcome == .memoryHit)
    }

    @Test func `new bytes are rendered anew`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 60)
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        let answer = try await node.answer()
        #expect(answer.outcome == .rendered)
        #expect(answer.body.content.hasPrefix("two as "))
        #expect(answer.forwarding == Forwarding(reason: .stale, status: 200, isStored: true))
        #expect(node.decoder.jobs.count == 2)
    }

    @Test func `a 304 that speaks of another picture is followed by a request without conditions`()
        async throws
    {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 60)
        node.origin.says([
            .notModified(["ETag": "\"other\""]),
            .picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]),
        ])
        #expect(try await node.answer().body.content.hasPrefix("two as "))
        #expect(node.origin.requests.map(\.validators.entityTag) == [nil, "\"1\"", nil])
    }

    @Test func `a 412 to a condition is followed by a request without conditions`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 60)
        node.origin.says([
            .status(412), .picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]),
        ])
        #expect(try await node.answer().body.content.hasPrefix("two as "))
        #expect(node.origin.requests.map(\.validators.entityTag) == [nil, "\"1\"", nil])
    }

    @Test func `a 412 that nobody asked for is the origin's status`() async {
        let node = NodeUnderTest()
        node.origin.says(.status(412))
        #expect(await node.failure()?.reason == .originStatus(412, retryAfter: nil))
        #expect(node.origin.requests.count == 1)
    }

    @Test func `a 304 that nobody asked for is a broken reply`() async {
        let node = NodeUnderTest()
        node.origin.says(.notModified([:]))
        #expect(await node.failure()?.reason == .origin(.brokenReply))
        #expect(node.origin.requests.count == 1)
    }

    @Test func `neither can there be a 304 where there was nothing to compare with`() async throws {
        let node = NodeUnderTest()
        node.origin.says(.picture(NodeUnderTest.one, ["Cache-Control": "max-age=60"]))
        try await node.answer()
        node.clock.advance(seconds: 60)
        node.origin.says(.notModified([:]))
        #expect(await node.failure()?.reason == .origin(.brokenReply))
    }

    @Test func `no-cache asks every time`() async throws {
        let node = try await NodeUnderTest.holding("no-cache, stale-while-revalidate=100, stale-if-error=100")
        node.origin.says(.notModified([:]))
        #expect(try await node.answer().outcome == .revalidated)
        #expect(try await node.answer().outcome == .revalidated)
        node.origin.says(.failure(.timedOut))
        #expect(await node.failure()?.reason == .origin(.timedOut))
    }

    // MARK: Loss and damage

    @Test func `an original whose bytes are gone is fetched again when they are needed, and not before`()
        async throws
    {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.cache.loseBodies()
        #expect(try await node.answer(width: 100).outcome == .memoryHit)
        let answer = try await node.answer(width: 200)
        #expect(answer.outcome == .rendered)
        #expect(answer.forwarding?.reason == .uriMiss)
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, true])
        #expect(node.pipeline.counters.vanishedBodies.read() == 1)
    }

    @Test func `a 304 for bytes that are gone is followed by a fetch`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.clock.advance(seconds: 60)
        node.cache.loseBodies()
        node.origin.says([.notModified([:]), .picture(NodeUnderTest.one, ["Cache-Control": "max-age=60"])])
        #expect(try await node.answer(width: 200).outcome == .rendered)
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false, true])
    }

    @Test func `a rendition that is lost is made again from the original that is held`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.cache.loseRenditions()
        #expect(try await node.answer().outcome == .rendered)
        #expect(node.origin.requests.count == 1)
    }
}
