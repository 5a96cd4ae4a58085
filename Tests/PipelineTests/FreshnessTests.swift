// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FreshnessTests {
    @Test func `nobody is asked while the original is fresh`() async throws {
        let world = try await World.holding("max-age=60")
        world.clock.advance(seconds: 59)
        #expect(try await world.answer().forwarding == nil)
        #expect(world.origin.requests.count == 1)
    }

    @Test
    func
        `once it is stale there is one conditional request, and its 304 refreshes every size without a rendering`()
        async throws
    {
        let world = try await World.holding("max-age=60")
        try await world.answer(width: 200)
        world.clock.advance(seconds: 60)
        world.origin.says(.notModified(["ETag": "\"1\""]))
        let answer = try await world.answer(width: 100)
        #expect(answer.outcome == .revalidated)
        #expect(answer.forwarding == Forwarding(reason: .stale, status: 304, isStored: true))
        #expect(try await world.answer(width: 200).outcome == .memoryHit)
        #expect(world.origin.requests.map(\.validators.entityTag) == [nil, "\"1\""])
        #expect(world.decoder.jobs.count == 2)
        #expect(world.pipeline.counters.revalidations.read() == 1)
    }

    @Test func `the 304 counts from its own arrival`() async throws {
        let world = try await World.holding("max-age=60")
        world.clock.advance(seconds: 100)
        world.origin.says(.notModified(["Cache-Control": "max-age=10"]))
        try await world.answer()
        world.clock.advance(seconds: 9)
        #expect(try await world.answer().outcome == .memoryHit)
        world.clock.advance(seconds: 1)
        #expect(try await world.answer().outcome == .revalidated)
        #expect(world.origin.requests.count == 3)
    }

    @Test func `an answer of former bytes is not kept ready once there are others`() async throws {
        let world = try await World.holding("max-age=60")
        let former = try await world.answer()
        world.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        var request = world.request()
        request.directives.noCache = true
        let latter = try await world.pipeline.answer(request)
        var kept: [OriginalDigest] = []
        for answer in [former, latter] {
            world.pipeline.keep(answer) { kept.append(answer.original.digest) }
        }
        #expect(former.original.digest != latter.original.digest && kept == [latter.original.digest])
    }

    @Test func `an answer under way is not kept ready once its picture is known to be gone`() async throws {
        for line in [
            ScriptedOrigin.Line.status(404),
            .picture(TestBody(content: "two"), ["Cache-Control": "no-store"]),
        ] {
            let world = try await World.holding("max-age=60")
            let former = try await world.answer()
            world.origin.says(line)
            var request = world.request()
            request.directives.noCache = true
            _ = await world.client(request).value
            world.pipeline.keep(former) { Issue.record("kept") }
        }
    }

    @Test(arguments: [-30.0, -1_000_000, 30])
    func `what other fields have chosen before a start is asked for anew, wherever the clock went`(
        passed: Double
    ) async throws {
        func fields(_ tenant: String) -> Fields { Fields([Fields.Field("X-Tenant", tenant)]) }
        let first = World { $0.requestFields = fields("a") }
        first.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "Vary": "X-Tenant"]))
        try await first.answer()
        let clock = HandMovedClock()
        clock.advance(seconds: passed)
        let second = World(clock: clock, cache: first.cache) { $0.requestFields = fields("b") }
        second.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        // A clock of long ago is corrected after the start.
        clock.advance(seconds: -passed + 10)
        #expect(try await second.answer().body.content.hasPrefix("two as "))
        #expect(second.origin.requests.count == 1)
    }

    @Test func `with max-age=0 a trusted client has the origin asked, whatever is held`() async throws {
        let world = World()
        var request = world.request()
        request.directives.maximumAge = 0
        _ = try await world.pipeline.answer(request)
        let ready = try await world.answer()
        await world.cache.forget(request.key)
        world.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        _ = try await world.pipeline.answer(request)
        world.pipeline.keep(ready) { Issue.record("kept") }
    }

    @Test func `the same bytes again are no reason to render again`() async throws {
        let world = try await World.holding("max-age=60")
        world.clock.advance(seconds: 60)
        let answer = try await world.answer()
        #expect(answer.outcome == .revalidated)
        #expect(answer.forwarding?.status == 200)
        #expect(world.decoder.jobs.count == 1)
        #expect(try await world.answer().outcome == .memoryHit)
    }

    @Test func `new bytes are rendered anew`() async throws {
        let world = try await World.holding("max-age=60")
        world.clock.advance(seconds: 60)
        world.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        let answer = try await world.answer()
        #expect(answer.outcome == .rendered)
        #expect(answer.body.content.hasPrefix("two as "))
        #expect(answer.forwarding == Forwarding(reason: .stale, status: 200, isStored: true))
        #expect(world.decoder.jobs.count == 2)
    }

    @Test func `a 304 that speaks of another picture is followed by a request without conditions`()
        async throws
    {
        let world = try await World.holding("max-age=60")
        world.clock.advance(seconds: 60)
        world.origin.says([
            .notModified(["ETag": "\"other\""]),
            .picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]),
        ])
        #expect(try await world.answer().body.content.hasPrefix("two as "))
        #expect(world.origin.requests.map(\.validators.entityTag) == [nil, "\"1\"", nil])
    }

    @Test func `a 304 that nobody asked for is a broken reply`() async {
        let world = World()
        world.origin.says(.notModified([:]))
        #expect(await world.failure()?.reason == .origin(.brokenReply))
        #expect(world.origin.requests.count == 1)
    }

    @Test func `neither can there be a 304 where there was nothing to compare with`() async throws {
        let world = World()
        world.origin.says(.picture(World.one, ["Cache-Control": "max-age=60"]))
        try await world.answer()
        world.clock.advance(seconds: 60)
        world.origin.says(.notModified([:]))
        #expect(await world.failure()?.reason == .origin(.brokenReply))
    }

    @Test func `no-cache asks every time`() async throws {
        let world = try await World.holding("no-cache, stale-while-revalidate=100, stale-if-error=100")
        world.origin.says(.notModified([:]))
        #expect(try await world.answer().outcome == .revalidated)
        #expect(try await world.answer().outcome == .revalidated)
        world.origin.says(.failure(.timedOut))
        #expect(await world.failure()?.reason == .origin(.timedOut))
    }

    // MARK: Loss and damage

    @Test func `an original whose bytes are gone is fetched again when they are needed, and not before`()
        async throws
    {
        let world = try await World.holding("max-age=60")
        world.cache.loseBodies()
        #expect(try await world.answer(width: 100).outcome == .memoryHit)
        let answer = try await world.answer(width: 200)
        #expect(answer.outcome == .rendered)
        #expect(answer.forwarding?.reason == .uriMiss)
        #expect(world.origin.requests.map(\.validators.isEmpty) == [true, true])
        #expect(world.pipeline.counters.vanishedBodies.read() == 1)
    }

    @Test func `a 304 for bytes that are gone is followed by a fetch`() async throws {
        let world = try await World.holding("max-age=60")
        world.clock.advance(seconds: 60)
        world.cache.loseBodies()
        world.origin.says([.notModified([:]), .picture(World.one, ["Cache-Control": "max-age=60"])])
        #expect(try await world.answer(width: 200).outcome == .rendered)
        #expect(world.origin.requests.map(\.validators.isEmpty) == [true, false, true])
    }

    @Test func `a rendition that is lost is made again from the original that is held`() async throws {
        let world = try await World.holding("max-age=60")
        world.cache.loseRenditions()
        #expect(try await world.answer().outcome == .rendered)
        #expect(world.origin.requests.count == 1)
    }
}
