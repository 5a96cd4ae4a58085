// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FreshnessTests {
    private static let one = TestBody(content: "one")

    /// A world that holds one original under these directives, rendered at width 100.
    private func world(_ directives: String, fetching: Gate = Gate(open: true)) async throws -> World {
        let world = World(fetching: fetching)
        world.origin.says(.picture(Self.one, ["Cache-Control": directives, "ETag": "\"1\""]))
        try await world.answer()
        return world
    }

    @Test func `nobody is asked while the original is fresh`() async throws {
        let world = try await world("max-age=60")
        world.clock.advance(seconds: 59)
        #expect(try await world.answer().forwarding == nil)
        #expect(world.origin.requests.count == 1)
    }

    @Test
    func
        `once it is stale there is one conditional request, and its 304 refreshes every size without a rendering`()
        async throws
    {
        let world = try await world("max-age=60")
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
        let world = try await world("max-age=60")
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
        let world = try await world("max-age=60")
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
            let world = try await world("max-age=60")
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
        let world = try await world("max-age=60")
        world.clock.advance(seconds: 60)
        let answer = try await world.answer()
        #expect(answer.outcome == .revalidated)
        #expect(answer.forwarding?.status == 200)
        #expect(world.decoder.jobs.count == 1)
        #expect(try await world.answer().outcome == .memoryHit)
    }

    @Test func `new bytes are rendered anew`() async throws {
        let world = try await world("max-age=60")
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
        let world = try await world("max-age=60")
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
        world.origin.says(.picture(Self.one, ["Cache-Control": "max-age=60"]))
        try await world.answer()
        world.clock.advance(seconds: 60)
        world.origin.says(.notModified([:]))
        #expect(await world.failure()?.reason == .origin(.brokenReply))
    }

    @Test func `no-cache asks every time`() async throws {
        let world = try await world("no-cache, stale-while-revalidate=100, stale-if-error=100")
        world.origin.says(.notModified([:]))
        #expect(try await world.answer().outcome == .revalidated)
        #expect(try await world.answer().outcome == .revalidated)
        world.origin.says(.failure(.timedOut))
        #expect(await world.failure()?.reason == .origin(.timedOut))
    }

    // MARK: stale-while-revalidate

    @Test func `within stale-while-revalidate all are served at once, and one refresh goes on behind them`()
        async throws
    {
        let fetching = Gate(open: true)
        let world = try await world("max-age=60, stale-while-revalidate=30", fetching: fetching)
        world.clock.advance(seconds: 60)
        fetching.close()
        for _ in 0..<10 {
            let answer = try await world.answer()
            #expect(answer.outcome == .stale)
            #expect(answer.forwarding == nil)
        }
        world.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        fetching.open()
        try await until { world.pipeline.workInFlight == 0 }
        #expect(world.origin.requests.count == 2)
        #expect(world.pipeline.counters.backgroundRefreshes.read() == 1)
        #expect(world.pipeline.counters.staleServed.read() == 10)
        #expect(try await world.answer().body.content.hasPrefix("two as "))
        #expect(world.origin.requests.count == 2)
    }

    @Test func `after it, one waits for the origin`() async throws {
        let world = try await world("max-age=60, stale-while-revalidate=30")
        world.clock.advance(seconds: 90)
        #expect(try await world.answer().outcome == .revalidated)
    }

    @Test func `a failing refresh is not tried again by everyone who is served stale`() async throws {
        let world = try await world("max-age=60, stale-while-revalidate=30")
        world.clock.advance(seconds: 60)
        world.origin.says(.status(500))
        for _ in 0..<5 {
            #expect(try await world.answer().outcome == .stale)
            try await until { world.pipeline.workInFlight == 0 }
        }
        #expect(world.pipeline.counters.backgroundRefreshes.read() == 1)
        #expect(world.origin.requests.count == 2)
    }

    @Test func `the refresh behind a stale answer survives whoever asked for it, and others may ride along`()
        async throws
    {
        let fetching = Gate(open: true)
        let world = try await world("max-age=60, stale-while-revalidate=10", fetching: fetching)
        world.clock.advance(seconds: 60)
        fetching.close()
        #expect(try await world.answer().outcome == .stale)
        // Now too stale to be served: this one rides, and leaves.
        world.clock.advance(seconds: 10)
        let waiter = world.client(world.request())
        try await until { world.pipeline.originals.waiting == 1 }
        waiter.cancel()
        #expect(await waiter.value.failure == .cancelled)
        fetching.open()
        try await until { world.pipeline.workInFlight == 0 }
        #expect(world.origin.cancelled == 0)
        #expect(try await world.answer().outcome == .memoryHit)
    }

    @Test func `only so many originals are refreshed at once behind stale answers`() async throws {
        let fetching = Gate(open: true)
        let world = World(fetching: fetching) { $0.backgroundRefreshes = 3 }
        world.origin.says(.picture(Self.one, ["Cache-Control": "max-age=60, stale-while-revalidate=30"]))
        for number in 0..<10 { try await world.answer("/\(number)") }
        world.clock.advance(seconds: 60)
        fetching.close()
        for number in 0..<10 { #expect(try await world.answer("/\(number)").outcome == .stale) }
        #expect(world.pipeline.workInFlight == 3)
        fetching.open()
        try await until { world.pipeline.workInFlight == 0 }
        #expect(world.origin.requests.count == 13)
        // Those that were left out are refreshed when they are asked for again.
        for number in 0..<10 {
            try await world.answer("/\(number)")
            try await until { world.pipeline.workInFlight == 0 }
        }
        #expect(world.origin.requests.count == 20)
    }

    // MARK: stale-if-error

    @Test(arguments: [
        ScriptedOrigin.Line.failure(.timedOut), .failure(.cannotConnect), .failure(.nameNotResolved),
        .failure(.tls), .failure(.brokenReply), .failure(.unavailable), .failure(.overloaded(retryAfter: 1)),
        .status(500), .status(503, ["Retry-After": "5"]), .status(429), .status(408), .status(599),
        .status(500, ["Cache-Control": "max-age=60"]), .status(500, ["Cache-Control": "no-store"]),
    ])
    func `a stale original stands in for a failing origin`(line: ScriptedOrigin.Line) async throws {
        let world = try await world("max-age=60, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(line)
        #expect(try await world.answer().outcome == .stale)
        // And renders other sizes as well.
        #expect(try await world.answer(width: 200).outcome == .stale)
        world.clock.advance(seconds: 100)
        #expect(await world.failure() != nil)
    }

    @Test func `what is known to fail is served stale without asking again`() async throws {
        let world = try await world("max-age=60, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(.status(500))
        #expect(try await world.answer().forwarding?.status == 500)
        #expect(try await world.answer().forwarding == nil)
        #expect(world.origin.requests.count == 2)
    }

    @Test(arguments: [
        (ScriptedOrigin.Line.status(404), PipelineFailure.Reason.originStatus(404, retryAfter: nil)),
        (.status(410), .originStatus(410, retryAfter: nil)),
        (.status(403), .originStatus(403, retryAfter: nil)),
        (.failure(.tooLarge(limit: 9)), .origin(.tooLarge(limit: 9))),
    ])
    func `an answer that says no is an answer, and the original is forgotten`(
        line: ScriptedOrigin.Line, reason: PipelineFailure.Reason
    ) async throws {
        let world = try await world("max-age=60, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(line)
        #expect(await world.failure()?.reason == reason)
        #expect(world.cache.originalCount == 0)
    }

    //   permits     cold request        another original, stale
    //   1 of 1    has it, and waits
    //             …                   is served stale at once; its refresh queues
    //   free      completes               is refreshed
    @Test func `while no permit is free, a stale original is served instead of queueing`() async throws {
        let fetching = Gate(open: true)
        let world = World(fetching: fetching) { $0.fetches = AdmissionLimits(permits: 1) }
        world.origin.says(.picture(Self.one, ["Cache-Control": "max-age=60, stale-if-error=100"]))
        try await world.answer()
        world.clock.advance(seconds: 60)
        fetching.close()
        let cold = world.client(world.request("/cold.jpg"))
        try await until { fetching.held == 1 }
        for width in [100, 200] {
            let answer = try await world.answer(width: width)
            #expect(answer.outcome == .stale)
            #expect(answer.forwarding == nil)
        }
        try await until { world.pipeline.fetches.waiting == 1 }
        fetching.open()
        _ = try await cold.value.get()
        try await until { world.pipeline.workInFlight == 0 }
        #expect(world.origin.requests.count == 3)
        #expect(try await world.answer().outcome == .memoryHit)
    }

    @Test func `a suspicion is enough for those who have something to serve`() async throws {
        let world = try await world("max-age=60, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(.status(500))
        for _ in 0..<5 { #expect(try await world.answer().outcome == .stale) }
        #expect(world.origin.requests.count == 2)
        world.clock.advance(seconds: 5)
        #expect(try await world.answer().outcome == .stale)
        #expect(world.origin.requests.count == 3)
    }

    // MARK: What the request said

    @Test func `what was kept when we asked otherwise is good for a conditional request and no more`()
        async throws
    {
        let world = World { $0.requestFields = Fields([.init("User-Agent", "old")]) }
        let grace = "max-age=60, stale-while-revalidate=100, stale-if-error=100"
        world.origin.says(
            .picture(Self.one, ["Cache-Control": grace, "ETag": "\"1\"", "Vary": "User-Agent"]))
        try await world.answer()
        world.clock.advance(seconds: 1)
        let later = Pipeline(
            PipelinePorts(
                origin: world.origin, cache: world.cache, decoder: world.decoder, environment: world.clock),
            configuration: PipelineConfiguration(
                engine: EngineVersion(library: "test 1"), fetches: AdmissionLimits(permits: 1),
                decodes: AdmissionLimits(permits: 1),
                requestFields: Fields([.init("User-Agent", "new")])))
        world.origin.says(.status(500))
        await #expect(throws: PipelineFailure(.originStatus(500, retryAfter: nil))) {
            try await later.answer(world.request())
        }
        world.origin.says(.notModified(["ETag": "\"1\""]))
        #expect(try await later.answer(world.request()).outcome == .revalidated)
        #expect(try await later.answer(world.request()).outcome == .memoryHit)
        #expect(world.origin.requests.map(\.validators.isEmpty) == [true, false, false])
    }

    @Test func `must-revalidate forbids both`() async throws {
        let world = try await world(
            "max-age=60, must-revalidate, stale-while-revalidate=100, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(.failure(.timedOut))
        #expect(await world.failure()?.reason == .origin(.timedOut))
    }

    // MARK: Loss and damage

    @Test func `an original whose bytes are gone is fetched again when they are needed, and not before`()
        async throws
    {
        let world = try await world("max-age=60")
        world.cache.loseBodies()
        #expect(try await world.answer(width: 100).outcome == .memoryHit)
        let answer = try await world.answer(width: 200)
        #expect(answer.outcome == .rendered)
        #expect(answer.forwarding?.reason == .uriMiss)
        #expect(world.origin.requests.map(\.validators.isEmpty) == [true, true])
        #expect(world.pipeline.counters.vanishedBodies.read() == 1)
    }

    @Test func `a 304 for bytes that are gone is followed by a fetch`() async throws {
        let world = try await world("max-age=60")
        world.clock.advance(seconds: 60)
        world.cache.loseBodies()
        world.origin.says([.notModified([:]), .picture(Self.one, ["Cache-Control": "max-age=60"])])
        #expect(try await world.answer(width: 200).outcome == .rendered)
        #expect(world.origin.requests.map(\.validators.isEmpty) == [true, false, true])
    }

    @Test func `a rendition that is lost is made again from the original that is held`() async throws {
        let world = try await world("max-age=60")
        world.cache.loseRenditions()
        #expect(try await world.answer().outcome == .rendered)
        #expect(world.origin.requests.count == 1)
    }
}
