// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import SourceURLs
import Synchronization
import Testing

/// What becomes of requests while their origin fails.
@Suite(.timeLimit(.minutes(1)))
struct FailingOriginTests {
    private static let picture = ScriptedOrigin.Line.picture(
        TestBody(content: "one"), ["Cache-Control": "max-age=60"])

    private func world(fetching: Gate = Gate(open: true), staleIfError: Int32 = 0) -> World {
        World(fetching: fetching) {
            $0.health.failures = 3
            $0.caching.defaultStaleIfError = staleIfError
        }
    }

    /// Different URLs, one after the other.
    private func fail(_ world: World, _ line: ScriptedOrigin.Line, times count: Int = 3) async {
        world.origin.says(line)
        for number in 0..<count { _ = await world.failure("/broken/\(number)") }
    }

    private static let resting = PipelineFailure(.originResting(OriginRest(seconds: 1)))

    @Test func `another policy counts for the failures from then on`() async throws {
        let world = world()
        await fail(world, .failure(.cannotConnect), times: 2)
        var policy = HealthPolicy()
        policy.failures = 5
        world.pipeline.health.replacePolicy(with: policy)
        // Two more of the three that were enough.
        for path in ["/3", "/4"] { _ = await world.failure(path) }
        #expect(world.pipeline.health.restingCount == 0)
        _ = await world.failure("/5")
        #expect(world.pipeline.health.restingCount == 1)
    }

    @Test func `where origins shall never rest, those that do are asked again at once`() async throws {
        let world = world()
        await fail(world, .failure(.cannotConnect))
        #expect(world.pipeline.health.restingCount == 1)
        var policy = HealthPolicy()
        policy.failures = 0
        world.pipeline.health.replacePolicy(with: policy)
        #expect(world.pipeline.health.rememberedCount == 0)
        await fail(world, .failure(.cannotConnect), times: 20)
        world.origin.says(Self.picture)
        #expect(try await world.answer("/a.jpg").outcome == .rendered)
        #expect(world.pipeline.health.rests.read() == 1)
    }

    @Test(
        arguments: [
            .failure(.cannotConnect), .failure(.nameNotResolved), .failure(.tls), .failure(.timedOut),
            .failure(.brokenReply), .status(500), .status(502), .status(503), .status(599),
            .status(503, ["Cache-Control": "no-store"]),
        ] as [ScriptedOrigin.Line])
    func `an origin that fails URL after URL is left alone`(line: ScriptedOrigin.Line) async throws {
        let world = world()
        await fail(world, line)
        world.origin.says(Self.picture)
        #expect(await world.failure("/a.jpg") == Self.resting)
        #expect(world.origin.requests.count == 3)
        #expect(world.pipeline.health.refused.read() == 1)
        #expect(world.pipeline.health.restingCount == 1)
        world.clock.advance(seconds: 1)
        #expect(try await world.answer("/a.jpg").outcome == .rendered)
        #expect(world.pipeline.health.probes.read() == 1)
        #expect(world.pipeline.health.rememberedCount == 0)
    }

    @Test(
        arguments: [
            .status(500, ["Cache-Control": "max-age=9"]), .status(404), .status(403), .status(408),
            .status(501), .status(302), .failure(.sourceRefused),
            .failure(.tooLarge(limit: 9)), .failure(.tooManyRedirects(limit: 5)), .failure(.cancelled),
            .failure(.unusableReply), .failure(.unavailable), .failure(.overloaded(retryAfter: 1)),
            .picture(TestBody(content: "words", header: nil), [:]),
        ] as [ScriptedOrigin.Line])
    func `what is about one URL, or about us, is not held against its origin`(line: ScriptedOrigin.Line)
        async throws
    {
        let world = world()
        await fail(world, line, times: 20)
        #expect(world.pipeline.health.rememberedCount == 0)
        world.origin.says(Self.picture)
        #expect(try await world.answer().outcome == .rendered)
    }

    @Test func `one URL with a 503 and its pause leaves the others of its origin alone`() async throws {
        let world = world()
        world.origin.says(.status(503, ["Retry-After": "120"]))
        #expect(await world.failure("/busy")?.rememberedFor == 120)
        world.origin.says(Self.picture)
        #expect(try await world.answer("/a.jpg").outcome == .rendered)
        #expect(await world.failure("/busy")?.reason == .originStatus(503, retryAfter: 120))
    }

    @Test func `a pause is for the URL that was given it, and no rest is longer for it`() async throws {
        let world = world()
        world.origin.says([
            .status(503), .status(503, ["Retry-After": "200"]), .status(503), Self.picture,
        ])
        for number in 0..<3 { _ = await world.failure("/\(number)") }
        #expect(await world.failure("/a.jpg") == Self.resting)
        world.clock.advance(seconds: 1)
        #expect(try await world.answer("/a.jpg").outcome == .rendered)
        #expect(await world.failure("/1")?.reason == .originStatus(503, retryAfter: 199))
    }

    private static func client(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    private func failure(_ world: World, _ path: String, by client: UInt32) async -> PipelineFailure? {
        var request = world.request(path)
        request.client = Self.client(client)
        return await world.client(request).value.failure
    }

    @Test func `a stranger whose URLs fail is refused, and others are not, not even those who join him`()
        async throws
    {
        let world = world()
        world.origin.says(.failure(.timedOut))
        for number in 0..<20 { _ = await failure(world, "/broken/\(number)", by: 1) }
        #expect(world.origin.requests.count == 3)
        world.origin.says(Self.picture)
        #expect(await failure(world, "/a.jpg", by: 1) == Self.resting)
        #expect(await failure(world, "/a.jpg", by: 2) == nil)
        // Whose success says that the origin is well.
        #expect(await failure(world, "/b.jpg", by: 1) == nil)
    }

    @Test func `who joins a fetch that its own client's rest refuses makes another`() async throws {
        let fetching = Gate(open: true)
        let world = World(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 1)
            $0.health.failures = 3
        }
        world.origin.says([.failure(.timedOut), .failure(.timedOut), .failure(.timedOut), Self.picture])
        for number in 0..<2 { _ = await failure(world, "/broken/\(number)", by: 1) }
        fetching.close()
        func client(_ path: String, _ number: UInt32) -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
            var request = world.request(path)
            request.client = Self.client(number)
            return world.client(request)
        }
        let last = client("/broken/2", 1)
        try await until { fetching.held == 1 }
        let stranger = client("/a.jpg", 1)
        try await until { world.pipeline.fetches.waiting == 1 }
        let visitor = client("/a.jpg", 2)
        try await until { world.pipeline.waitingRequests == 3 }
        fetching.open()
        #expect(await last.value.failure?.reason == .origin(.timedOut))
        // Or the visitor's picture, where that came before he was told.
        let refused = await stranger.value.failure
        #expect(refused == Self.resting || refused == nil)
        #expect(try await visitor.value.get().outcome == .rendered)
    }

    @Test func `three clients whose URLs fail are enough for all`() async {
        let world = world()
        world.origin.says(.status(500))
        for client in 1...3 { _ = await failure(world, "/broken/\(client)", by: UInt32(client)) }
        #expect(await failure(world, "/a.jpg", by: 4) == Self.resting)
    }

    @Test func `connections that time out count whoever asks, and answers that do not come`() async {
        for (hasConnected, isRefused) in [(false, true), (true, false)] {
            let world = world()
            world.origin.says(.failure(.timedOut, hasConnected: hasConnected))
            for number in 0..<3 { _ = await failure(world, "/broken/\(number)", by: 1) }
            #expect((await failure(world, "/a.jpg", by: 2) == Self.resting) == isRefused)
        }
    }

    @Test func `a 429 holds its URL back, and slows its host down without stopping it`() async throws {
        let world = world()
        world.origin.says([.status(429, ["Retry-After": "40"]), Self.picture])
        #expect(await world.failure("/busy")?.reason == .originStatus(429, retryAfter: 40))
        #expect(world.pipeline.fetches.slowed == 1)
        try await world.answer("/0.jpg")
        #expect(await world.failure("/busy")?.reason == .originStatus(429, retryAfter: 40))
        // One waits for a sixteenth of a second after the one before.
        let second = world.client(world.request("/1.jpg"))
        try await until { world.pipeline.fetches.waiting == 1 }
        world.clock.advance(seconds: 0.063)
        _ = try await second.value.get()
        for other in ["http://other.test/a", "http://origin.test:8080/a"] {
            var request = world.request()
            request.source = try SourceURL.parse(other)
            #expect(try await world.pipeline.answer(request).body.content.hasPrefix("one"))
        }
        world.clock.advance(seconds: 40)
        #expect(world.pipeline.fetches.slowed == 0)
        for number in 2...9 { try await world.answer("/\(number).jpg") }
    }

    @Test func `exactly one fetch finds out whether it is well again`() async throws {
        let fetching = Gate(open: true)
        let world = world(fetching: fetching)
        await fail(world, .failure(.cannotConnect))
        world.clock.advance(seconds: 1)
        world.origin.says(Self.picture)
        fetching.close()
        let probe = world.client(world.request("/probe.jpg"))
        try await until { fetching.held == 1 }
        for number in 0..<5 {
            #expect(await world.failure("/\(number).jpg") == Self.resting)
        }
        #expect(world.origin.requests.count == 4)
        fetching.open()
        #expect(try await probe.value.get().outcome == .rendered)
        #expect(try await world.answer("/0.jpg").body.content.hasPrefix("one"))
    }

    @Test func `a probe whose client leaves frees the place`() async throws {
        let fetching = Gate(open: true)
        let world = world(fetching: fetching)
        await fail(world, .failure(.cannotConnect))
        world.clock.advance(seconds: 1)
        world.origin.says(Self.picture)
        fetching.close()
        let probe = world.client(world.request("/probe.jpg"))
        try await until { fetching.held == 1 }
        probe.cancel()
        #expect(await probe.value.failure == .cancelled)
        try await until { world.origin.cancelled == 1 }
        let origin = world.request().source.origin
        try await until { world.pipeline.health.outlook(of: origin, for: nil, isWanted: true) == .probeDue }
        fetching.open()
        #expect(try await world.answer("/next.jpg").outcome == .rendered)
        #expect(world.pipeline.health.probes.read() == 2)
    }

    @Test func `who waits for a permit when the origin begins to fail is not sent there`() async throws {
        let fetching = Gate()
        let world = World(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 9, permitsPerGroup: 3)
            $0.health.failures = 3
        }
        world.origin.says(.failure(.timedOut))
        let first = (0..<3).map { world.client(world.request("/\($0).jpg")) }
        try await until { fetching.held == 3 }
        let waiting = (3..<8).map { world.client(world.request("/\($0).jpg")) }
        try await until { world.pipeline.fetches.waiting == 5 }
        fetching.open()
        for client in first {
            let failure = await client.value.failure
            #expect(failure?.reason == .origin(.timedOut))
        }
        var refused = 0
        for client in waiting where await client.value.failure == Self.resting { refused += 1 }
        // Up to two got the permits of those that failed before the third did.
        #expect(refused >= 3)
        #expect(world.origin.requests.count == 8 - refused)
        #expect(world.pipeline.fetches.running == 0)
    }

    //   seconds   0        60              60 …              61
    //   origin    picture  fails 3 times   left alone        well
    //   /held     fresh    stale           stale, at once    stale, and refreshed behind it
    @Test func `stale answers come before refusals, and the probe is made behind one`() async throws {
        let world = world(staleIfError: 1000)
        try await world.answer("/held.jpg")
        world.clock.advance(seconds: 60)
        await fail(world, .failure(.cannotConnect))
        #expect(world.origin.requests.count == 4)
        #expect(try await world.answer("/held.jpg").outcome == .stale)
        #expect(world.origin.requests.count == 4)
        #expect(world.pipeline.health.refused.read() == 0)
        world.clock.advance(seconds: 1)
        world.origin.says(Self.picture)
        #expect(try await world.answer("/held.jpg").outcome == .stale)
        try await until { world.pipeline.health.rememberedCount == 0 && world.pipeline.workInFlight == 0 }
        #expect(world.origin.requests.count == 5)
        #expect(try await world.answer("/held.jpg").outcome == .memoryHit)
    }

    @Test func `explain tells how the origin fares, and foretells the refusal`() async throws {
        let world = world(staleIfError: 1000)
        try await world.answer("/held.jpg")
        world.clock.advance(seconds: 60)
        await fail(world, .failure(.cannotConnect), times: 2)
        var explanation = await world.pipeline.explain(world.request("/a.jpg"))
        #expect(explanation.health.state == .closed && explanation.health.failures == 2)
        #expect(explanation.outcome == .rendered)
        _ = await world.failure("/third")
        explanation = await world.pipeline.explain(world.request("/a.jpg"))
        #expect(explanation.health.state == .resting && explanation.health.seconds == 1)
        #expect(explanation.outcome == .refused)
        #expect(explanation.why.contains("left alone for 1 s"))
        #expect(await world.pipeline.explain(world.request("/held.jpg")).outcome == .stale)
        #expect(world.pipeline.health.resting(limit: 5).map(\.origin) == [world.request().source.origin])
    }
}
