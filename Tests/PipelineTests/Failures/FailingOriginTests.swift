// SPDX-License-Identifier: Apache-2.0

import Clients
import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import SourceURLs
import Synchronization
import Testing

/// Requests while their origin fails.
@Suite(.timeLimit(.minutes(1)))
struct FailingOriginTests {
    private static let picture = OriginDouble.Line.picture(
        TestBody(content: "one"), ["Cache-Control": "max-age=60"])

    private func node(fetching: Gate = Gate(open: true), staleIfError: Int32 = 0) -> NodeUnderTest {
        NodeUnderTest(fetching: fetching) {
            $0.health.failures = 3
            $0.caching.defaultStaleIfError = staleIfError
        }
    }

    /// Requests different URLs, one after the other.
    private func fail(_ node: NodeUnderTest, _ line: OriginDouble.Line, times count: Int = 3) async {
        node.origin.says(line)
        for number in 0..<count { _ = await node.failure("/broken/\(number)") }
    }

    private static let resting = PipelineFailure(.originResting(OriginRest(seconds: 1)))

    @Test func `another policy counts for the failures from then on`() async throws {
        let node = node()
        await fail(node, .failure(.cannotConnect), times: 2)
        var policy = HealthPolicy()
        policy.failures = 5
        node.pipeline.health.replacePolicy(with: policy)
        // Two more failures than the three that were enough before.
        for path in ["/3", "/4"] { _ = await node.failure(path) }
        #expect(node.pipeline.health.restingCount == 0)
        _ = await node.failure("/5")
        #expect(node.pipeline.health.restingCount == 1)
    }

    @Test func `where origins shall never rest, those that do are asked again at once`() async throws {
        let node = node()
        await fail(node, .failure(.cannotConnect))
        #expect(node.pipeline.health.restingCount == 1)
        var policy = HealthPolicy()
        policy.failures = 0
        node.pipeline.health.replacePolicy(with: policy)
        #expect(node.pipeline.health.rememberedCount == 0)
        await fail(node, .failure(.cannotConnect), times: 20)
        node.origin.says(Self.picture)
        #expect(try await node.answer("/a.jpg").outcome == .rendered)
        #expect(node.pipeline.health.rests.read() == 1)
    }

    @Test(
        arguments: [
            .failure(.cannotConnect), .failure(.nameNotResolved), .failure(.tls), .failure(.timedOut),
            .failure(.brokenReply), .status(500), .status(502), .status(503), .status(599),
            .status(503, ["Cache-Control": "no-store"]),
        ] as [OriginDouble.Line])
    func `an origin that fails URL after URL is left alone`(line: OriginDouble.Line) async throws {
        let node = node()
        await fail(node, line)
        node.origin.says(Self.picture)
        #expect(await node.failure("/a.jpg") == Self.resting)
        #expect(node.origin.requests.count == 3)
        #expect(node.pipeline.health.refused.read() == 1)
        #expect(node.pipeline.health.restingCount == 1)
        node.clock.advance(seconds: 1)
        #expect(try await node.answer("/a.jpg").outcome == .rendered)
        #expect(node.pipeline.health.probes.read() == 1)
        #expect(node.pipeline.health.rememberedCount == 0)
    }

    @Test(
        arguments: [
            .status(500, ["Cache-Control": "max-age=9"]), .status(404), .status(403), .status(408),
            .status(501), .status(302), .failure(.sourceRefused),
            .failure(.tooLarge(limit: 9)), .failure(.tooManyRedirects(limit: 5)), .failure(.cancelled),
            .failure(.unusableReply), .failure(.unavailable), .failure(.overloaded(retryAfter: 1)),
            .picture(TestBody(content: "words", header: nil), [:]),
        ] as [OriginDouble.Line])
    func `what is about one URL, or about us, is not held against its origin`(line: OriginDouble.Line)
        async throws
    {
        let node = node()
        await fail(node, line, times: 20)
        #expect(node.pipeline.health.rememberedCount == 0)
        node.origin.says(Self.picture)
        #expect(try await node.answer().outcome == .rendered)
    }

    @Test func `one URL with a 503 and its pause leaves the others of its origin alone`() async throws {
        let node = node()
        node.origin.says(.status(503, ["Retry-After": "120"]))
        #expect(await node.failure("/busy")?.rememberedFor == 120)
        node.origin.says(Self.picture)
        #expect(try await node.answer("/a.jpg").outcome == .rendered)
        #expect(await node.failure("/busy")?.reason == .originStatus(503, retryAfter: 120))
    }

    @Test func `a pause is for the URL that was given it, and no rest is longer for it`() async throws {
        let node = node()
        node.origin.says([
            .status(503), .status(503, ["Retry-After": "200"]), .status(503), Self.picture,
        ])
        for number in 0..<3 { _ = await node.failure("/\(number)") }
        #expect(await node.failure("/a.jpg") == Self.resting)
        node.clock.advance(seconds: 1)
        #expect(try await node.answer("/a.jpg").outcome == .rendered)
        #expect(await node.failure("/1")?.reason == .originStatus(503, retryAfter: 199))
    }

    private static func client(_ number: UInt32) -> ClientKey { ClientKey(.v4(number), prefix: 64) }

    private func failure(_ node: NodeUnderTest, _ path: String, by client: UInt32) async -> PipelineFailure? {
        var request = node.request(path)
        request.client = Self.client(client)
        return await node.client(request).value.failure
    }

    @Test func `a stranger whose URLs fail is refused, and others are not, not even those who join him`()
        async throws
    {
        let node = node()
        node.origin.says(.failure(.timedOut))
        for number in 0..<20 { _ = await failure(node, "/broken/\(number)", by: 1) }
        #expect(node.origin.requests.count == 3)
        node.origin.says(Self.picture)
        #expect(await failure(node, "/a.jpg", by: 1) == Self.resting)
        #expect(await failure(node, "/a.jpg", by: 2) == nil)
        // The success at the second client's request shows that the origin is well.
        #expect(await failure(node, "/b.jpg", by: 1) == nil)
    }

    @Test func `who joins a fetch that its own client's rest refuses makes another`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 1)
            $0.health.failures = 3
        }
        node.origin.says([.failure(.timedOut), .failure(.timedOut), .failure(.timedOut), Self.picture])
        for number in 0..<2 { _ = await failure(node, "/broken/\(number)", by: 1) }
        fetching.close()
        func client(_ path: String, _ number: UInt32) -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
            var request = node.request(path)
            request.client = Self.client(number)
            return node.client(request)
        }
        let last = client("/broken/2", 1)
        try await until { fetching.held == 1 }
        let stranger = client("/a.jpg", 1)
        try await until { node.pipeline.fetches.waiting == 1 }
        let visitor = client("/a.jpg", 2)
        try await until { node.pipeline.waitingRequests == 3 }
        fetching.open()
        #expect(await last.value.failure?.reason == .origin(.timedOut))
        // The stranger gets a picture if the visitor's success came before its refusal.
        let refused = await stranger.value.failure
        #expect(refused == Self.resting || refused == nil)
        #expect(await visitor.value.failure == nil)
    }

    @Test func `three clients whose URLs fail are enough for all`() async {
        let node = node()
        node.origin.says(.status(500))
        for client in 1...3 { _ = await failure(node, "/broken/\(client)", by: UInt32(client)) }
        #expect(await failure(node, "/a.jpg", by: 4) == Self.resting)
    }

    @Test func `connections that time out count whoever asks, and answers that do not come`() async {
        for (hasConnected, isRefused) in [(false, true), (true, false)] {
            let node = node()
            node.origin.says(.failure(.timedOut, hasConnected: hasConnected))
            for number in 0..<3 { _ = await failure(node, "/broken/\(number)", by: 1) }
            #expect((await failure(node, "/a.jpg", by: 2) == Self.resting) == isRefused)
        }
    }

    @Test func `a connection that fails where other URLs have another way counts for who asked`() async {
        for (dependsOnURL, isRefused) in [(false, true), (true, false)] {
            let node = node()
            node.origin.says(.failure(.tls, hasConnected: false, dependsOnURL: dependsOnURL))
            for number in 0..<3 { _ = await failure(node, "/broken/\(number)", by: 1) }
            #expect((await failure(node, "/a.jpg", by: 2) == Self.resting) == isRefused)
            #expect(await failure(node, "/b.jpg", by: 1) == Self.resting)
        }
    }

    @Test func `a 429 holds its URL back, and slows its host down without stopping it`() async throws {
        let node = node()
        node.origin.says([.status(429, ["Retry-After": "40"]), Self.picture])
        #expect(await node.failure("/busy")?.reason == .originStatus(429, retryAfter: 40))
        #expect(node.pipeline.fetches.slowed == 1)
        try await node.answer("/0.jpg")
        #expect(await node.failure("/busy")?.reason == .originStatus(429, retryAfter: 40))
        // A request waits for a sixteenth of a second after the previous one, and sets its alarm a moment after it is in the queue.
        let alarms = node.clock.alarms
        let second = node.client(node.request("/1.jpg"))
        try await until { node.pipeline.fetches.waiting == 1 && node.clock.alarms > alarms }
        node.clock.advance(seconds: 0.063)
        _ = try await second.value.get()
        for other in ["http://other.test/a", "http://origin.test:8080/a"] {
            var request = node.request()
            request.source = try SourceURL.parse(other)
            #expect(try await node.pipeline.answer(request).body.content.hasPrefix("one"))
        }
        node.clock.advance(seconds: 40)
        #expect(node.pipeline.fetches.slowed == 0)
        for number in 2...9 { try await node.answer("/\(number).jpg") }
    }

    @Test func `exactly one fetch finds out whether it is well again`() async throws {
        let fetching = Gate(open: true)
        let node = node(fetching: fetching)
        await fail(node, .failure(.cannotConnect))
        node.clock.advance(seconds: 1)
        node.origin.says(Self.picture)
        fetching.close()
        let probe = node.client(node.request("/probe.jpg"))
        try await until { fetching.held == 1 }
        for number in 0..<5 {
            #expect(await node.failure("/\(number).jpg") == Self.resting)
        }
        #expect(node.origin.requests.count == 4)
        fetching.open()
        #expect(try await probe.value.get().outcome == .rendered)
        #expect(try await node.answer("/0.jpg").body.content.hasPrefix("one"))
    }

    @Test func `a probe whose client leaves frees the place`() async throws {
        let fetching = Gate(open: true)
        let node = node(fetching: fetching)
        await fail(node, .failure(.cannotConnect))
        node.clock.advance(seconds: 1)
        node.origin.says(Self.picture)
        fetching.close()
        let probe = node.client(node.request("/probe.jpg"))
        try await until { fetching.held == 1 }
        probe.cancel()
        #expect(await probe.value.failure == .cancelled)
        try await until { node.origin.cancelled == 1 }
        let origin = node.request().source.origin
        try await until { node.pipeline.health.outlook(of: origin, for: nil, isWanted: true) == .probeDue }
        fetching.open()
        #expect(try await node.answer("/next.jpg").outcome == .rendered)
        #expect(node.pipeline.health.probes.read() == 2)
    }

    @Test func `who waits for a permit when the origin begins to fail is not sent there`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 9, permitsPerGroup: 3)
            $0.health.failures = 3
        }
        node.origin.says(.failure(.timedOut))
        let first = (0..<3).map { node.client(node.request("/\($0).jpg")) }
        try await until { fetching.held == 3 }
        let waiting = (3..<8).map { node.client(node.request("/\($0).jpg")) }
        try await until { node.pipeline.fetches.waiting == 5 }
        fetching.open()
        for client in first {
            let failure = await client.value.failure
            #expect(failure?.reason == .origin(.timedOut))
        }
        var refused = 0
        for client in waiting where await client.value.failure == Self.resting { refused += 1 }
        // Up to two requests got the permits of failed ones before the third failure.
        #expect(refused >= 3)
        #expect(node.origin.requests.count == 8 - refused)
        #expect(node.pipeline.fetches.running == 0)
    }

    //   seconds   0        60              60 …              61
    //   origin    picture  fails 3 times   left alone        well
    //   /held     fresh    stale           stale, at once    stale, and refreshed behind it
    @Test func `stale answers come before refusals, and the probe is made behind one`() async throws {
        let node = node(staleIfError: 1000)
        try await node.answer("/held.jpg")
        node.clock.advance(seconds: 60)
        await fail(node, .failure(.cannotConnect))
        #expect(node.origin.requests.count == 4)
        #expect(try await node.answer("/held.jpg").outcome == .stale)
        #expect(node.origin.requests.count == 4)
        #expect(node.pipeline.health.refused.read() == 0)
        node.clock.advance(seconds: 1)
        node.origin.says(Self.picture)
        #expect(try await node.answer("/held.jpg").outcome == .stale)
        try await until { node.pipeline.health.rememberedCount == 0 && node.pipeline.workInFlight == 0 }
        #expect(node.origin.requests.count == 5)
        #expect(try await node.answer("/held.jpg").outcome == .memoryHit)
    }

    @Test func `explain tells how the origin fares, and foretells the refusal`() async throws {
        let node = node(staleIfError: 1000)
        try await node.answer("/held.jpg")
        node.clock.advance(seconds: 60)
        await fail(node, .failure(.cannotConnect), times: 2)
        var explanation = await node.pipeline.explain(node.request("/a.jpg"))
        #expect(explanation.health.state == .closed && explanation.health.failures == 2)
        #expect(explanation.outcome == .rendered)
        _ = await node.failure("/third")
        explanation = await node.pipeline.explain(node.request("/a.jpg"))
        #expect(explanation.health.state == .resting && explanation.health.seconds == 1)
        #expect(explanation.outcome == .refused)
        #expect(explanation.why.contains("left alone for 1 s"))
        #expect(await node.pipeline.explain(node.request("/held.jpg")).outcome == .stale)
        #expect(node.pipeline.health.resting(limit: 5).map(\.origin) == [node.request().source.origin])
    }
}
