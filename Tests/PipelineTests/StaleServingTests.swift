// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct StaleServingTests {
    // MARK: stale-while-revalidate

    @Test func `within stale-while-revalidate all are served at once, and one refresh goes on behind them`()
        async throws
    {
        let fetching = Gate(open: true)
        let world = try await World.holding("max-age=60, stale-while-revalidate=30", fetching: fetching)
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
        let world = try await World.holding("max-age=60, stale-while-revalidate=30")
        world.clock.advance(seconds: 90)
        #expect(try await world.answer().outcome == .revalidated)
    }

    @Test func `a failing refresh is not tried again by everyone who is served stale`() async throws {
        let world = try await World.holding("max-age=60, stale-while-revalidate=30")
        world.clock.advance(seconds: 60)
        world.origin.says(.status(500))
        for _ in 0..<5 {
            #expect(try await world.answer().outcome == .stale)
            try await until { world.pipeline.workInFlight == 0 }
        }
        #expect(world.pipeline.counters.backgroundRefreshes.read() == 1)
        #expect(world.origin.requests.count == 2)
    }

    @Test func `the refresh behind a stale answer survives whoever asked for it, and others may join it`()
        async throws
    {
        let fetching = Gate(open: true)
        let world = try await World.holding("max-age=60, stale-while-revalidate=10", fetching: fetching)
        world.clock.advance(seconds: 60)
        fetching.close()
        #expect(try await world.answer().outcome == .stale)
        // Now too stale to be served: this one joins it, and leaves.
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
        world.origin.says(.picture(World.one, ["Cache-Control": "max-age=60, stale-while-revalidate=30"]))
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
        let world = try await World.holding("max-age=60, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(line)
        #expect(try await world.answer().outcome == .stale)
        // And renders other sizes as well.
        #expect(try await world.answer(width: 200).outcome == .stale)
        world.clock.advance(seconds: 100)
        #expect(await world.failure() != nil)
    }

    @Test func `what is known to fail is served stale without asking again`() async throws {
        let world = try await World.holding("max-age=60, stale-if-error=100")
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
        let world = try await World.holding("max-age=60, stale-if-error=100")
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
        world.origin.says(.picture(World.one, ["Cache-Control": "max-age=60, stale-if-error=100"]))
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
        let world = try await World.holding("max-age=60, stale-if-error=100")
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
            .picture(World.one, ["Cache-Control": grace, "ETag": "\"1\"", "Vary": "User-Agent"]))
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
        let world = try await World.holding(
            "max-age=60, must-revalidate, stale-while-revalidate=100, stale-if-error=100")
        world.clock.advance(seconds: 60)
        world.origin.says(.failure(.timedOut))
        #expect(await world.failure()?.reason == .origin(.timedOut))
    }
}
