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
        let node = try await NodeUnderTest.holding(
            "max-age=60, stale-while-revalidate=30", fetching: fetching)
        node.clock.advance(seconds: 60)
        fetching.close()
        for _ in 0..<10 {
            let answer = try await node.answer()
            #expect(answer.outcome == .stale)
            #expect(answer.forwarding == nil)
        }
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        fetching.open()
        try await until { node.pipeline.workInFlight == 0 }
        #expect(node.origin.requests.count == 2)
        #expect(node.pipeline.counters.backgroundRefreshes.read() == 1)
        #expect(node.pipeline.counters.staleServed.read() == 10)
        #expect(try await node.answer().body.content.hasPrefix("two as "))
        #expect(node.origin.requests.count == 2)
    }

    @Test func `an original that is handed on stale counts as every stale answer does`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-while-revalidate=30")
        node.clock.advance(seconds: 60)
        let answer = try await node.pipeline.answer(node.request(output: .raw))
        #expect(answer.outcome == .stale)
        #expect(answer.rendition.length == answer.original.length)
        #expect(node.pipeline.counters.staleServed.read() == 1)
    }

    @Test func `after it, one waits for the origin`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-while-revalidate=30")
        node.clock.advance(seconds: 90)
        #expect(try await node.answer().outcome == .revalidated)
    }

    @Test func `a failing refresh is not tried again by everyone who is served stale`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-while-revalidate=30")
        node.clock.advance(seconds: 60)
        node.origin.says(.status(500))
        for _ in 0..<5 {
            #expect(try await node.answer().outcome == .stale)
            try await until { node.pipeline.workInFlight == 0 }
        }
        #expect(node.pipeline.counters.backgroundRefreshes.read() == 1)
        #expect(node.origin.requests.count == 2)
    }

    @Test func `the refresh behind a stale answer survives whoever asked for it, and others may join it`()
        async throws
    {
        let fetching = Gate(open: true)
        let node = try await NodeUnderTest.holding(
            "max-age=60, stale-while-revalidate=10", fetching: fetching)
        node.clock.advance(seconds: 60)
        fetching.close()
        #expect(try await node.answer().outcome == .stale)
        // The original is now too stale to be served, so this request joins the refresh, and then leaves.
        node.clock.advance(seconds: 10)
        let waiter = node.client(node.request())
        try await until { node.pipeline.originals.waiting == 1 }
        waiter.cancel()
        #expect(await waiter.value.failure == .cancelled)
        fetching.open()
        try await until { node.pipeline.workInFlight == 0 }
        #expect(node.origin.cancelled == 0)
        #expect(try await node.answer().outcome == .memoryHit)
    }

    @Test func `only so many originals are refreshed at once behind stale answers`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching) { $0.backgroundRefreshes = 3 }
        node.origin.says(
            .picture(NodeUnderTest.one, ["Cache-Control": "max-age=60, stale-while-revalidate=30"]))
        for number in 0..<10 { try await node.answer("/\(number)") }
        node.clock.advance(seconds: 60)
        fetching.close()
        for number in 0..<10 { #expect(try await node.answer("/\(number)").outcome == .stale) }
        #expect(node.pipeline.workInFlight == 3)
        fetching.open()
        try await until { node.pipeline.workInFlight == 0 }
        #expect(node.origin.requests.count == 13)
        // Originals without a refresh are refreshed when they are requested again.
        for number in 0..<10 {
            try await node.answer("/\(number)")
            try await until { node.pipeline.workInFlight == 0 }
        }
        #expect(node.origin.requests.count == 20)
    }

    // MARK: stale-if-error

    @Test(arguments: [
        OriginDouble.Line.failure(.timedOut), .failure(.cannotConnect), .failure(.nameNotResolved),
        .failure(.tls), .failure(.brokenReply), .failure(.unavailable), .failure(.overloaded(retryAfter: 1)),
        .status(500), .status(503, ["Retry-After": "5"]), .status(429), .status(408), .status(599),
        .status(500, ["Cache-Control": "max-age=60"]), .status(500, ["Cache-Control": "no-store"]),
    ])
    func `a stale original stands in for a failing origin`(line: OriginDouble.Line) async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-if-error=100")
        node.clock.advance(seconds: 60)
        node.origin.says(line)
        #expect(try await node.answer().outcome == .stale)
        // Other sizes are rendered from the stale original too.
        #expect(try await node.answer(width: 200).outcome == .stale)
        node.clock.advance(seconds: 100)
        #expect(await node.failure() != nil)
    }

    @Test func `what is known to fail is served stale without asking again`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-if-error=100")
        node.clock.advance(seconds: 60)
        node.origin.says(.status(500))
        #expect(try await node.answer().forwarding?.status == 500)
        #expect(try await node.answer().forwarding == nil)
        #expect(node.origin.requests.count == 2)
    }

    @Test(arguments: [
        (OriginDouble.Line.status(404), PipelineFailure.Reason.originStatus(404, retryAfter: nil)),
        (.status(410), .originStatus(410, retryAfter: nil)),
        (.status(403), .originStatus(403, retryAfter: nil)),
        (.failure(.tooLarge(limit: 9)), .origin(.tooLarge(limit: 9))),
    ])
    func `an answer that says no is an answer, and the original is forgotten`(
        line: OriginDouble.Line, reason: PipelineFailure.Reason
    ) async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-if-error=100")
        node.clock.advance(seconds: 60)
        node.origin.says(line)
        #expect(await node.failure()?.reason == reason)
        #expect(node.cache.originalCount == 0)
    }

    @Test func `it is forgotten as well if who is told so goes without the cache`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60")
        node.origin.says(.status(404))
        let result = await node.clientWithoutCache(node.request()).value
        #expect(result.failure?.reason == .originStatus(404, retryAfter: nil))
        #expect(node.cache.originalCount == 0)
    }

    //   permits     cold request        another original, stale
    //   1 of 1    has it, and waits
    //             …                   is served stale at once; its refresh queues
    //   free      completes               is refreshed
    @Test func `while no permit is free, a stale original is served instead of queueing`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching) { $0.fetches = AdmissionLimits(permits: 1) }
        node.origin.says(.picture(NodeUnderTest.one, ["Cache-Control": "max-age=60, stale-if-error=100"]))
        try await node.answer()
        node.clock.advance(seconds: 60)
        fetching.close()
        let cold = node.client(node.request("/cold.jpg"))
        try await until { fetching.held == 1 }
        for width in [100, 200] {
            let answer = try await node.answer(width: width)
            #expect(answer.outcome == .stale)
            #expect(answer.forwarding == nil)
        }
        try await until { node.pipeline.fetches.waiting == 1 }
        fetching.open()
        _ = try await cold.value.get()
        try await until { node.pipeline.workInFlight == 0 }
        #expect(node.origin.requests.count == 3)
        #expect(try await node.answer().outcome == .memoryHit)
    }

    @Test func `a suspicion is enough for those who have something to serve`() async throws {
        let node = try await NodeUnderTest.holding("max-age=60, stale-if-error=100")
        node.clock.advance(seconds: 60)
        node.origin.says(.status(500))
        for _ in 0..<5 { #expect(try await node.answer().outcome == .stale) }
        #expect(node.origin.requests.count == 2)
        node.clock.advance(seconds: 5)
        #expect(try await node.answer().outcome == .stale)
        #expect(node.origin.requests.count == 3)
    }

    // MARK: What the request said

    @Test func `what was kept when we asked otherwise is good for a conditional request and no more`()
        async throws
    {
        let node = NodeUnderTest { $0.requestFields = Fields([.init("User-Agent", "old")]) }
        let grace = "max-age=60, stale-while-revalidate=100, stale-if-error=100"
        node.origin.says(
            .picture(NodeUnderTest.one, ["Cache-Control": grace, "ETag": "\"1\"", "Vary": "User-Agent"]))
        try await node.answer()
        node.clock.advance(seconds: 1)
        let later = Pipeline(
            PipelinePorts(
                origin: node.origin, cache: node.cache, decoder: node.decoder, environment: node.clock),
            configuration: PipelineConfiguration(
                engine: EngineVersion(library: "test 1"), fetches: AdmissionLimits(permits: 1),
                decodes: AdmissionLimits(permits: 1),
                requestFields: Fields([.init("User-Agent", "new")])))
        node.origin.says(.status(500))
        await #expect(throws: PipelineFailure(.originStatus(500, retryAfter: nil))) {
            try await later.answer(node.request())
        }
        node.origin.says(.notModified(["ETag": "\"1\""]))
        #expect(try await later.answer(node.request()).outcome == .revalidated)
        #expect(try await later.answer(node.request()).outcome == .memoryHit)
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false, false])
    }

    @Test func `must-revalidate forbids both`() async throws {
        let node = try await NodeUnderTest.holding(
            "max-age=60, must-revalidate, stale-while-revalidate=100, stale-if-error=100")
        node.clock.advance(seconds: 60)
        node.origin.says(.failure(.timedOut))
        #expect(await node.failure()?.reason == .origin(.timedOut))
    }
}
