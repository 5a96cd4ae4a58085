// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Pipeline
import Recipes
import SourceURLs
import Synchronization
import Testing

@Suite("Strangers may have so many renditions of an original made in an hour", .timeLimit(.minutes(1)))
struct QuotaStageTests {
    private let node = NodeUnderTest { $0.renditionsPerOriginal = 2 }

    private func fill() async throws {
        try await node.answer(width: 100)
        try await node.answer(width: 200)
    }

    @Test func `a further one is refused before it is made, and says when to come again`() async throws {
        try await fill()
        node.clock.advance(seconds: 50)
        let failure = await node.failure(width: 300)
        #expect(failure?.reason == .tooManyRenditions(limit: 2, retryAfter: 3_550))
        #expect(failure?.outcome == .refused)
        #expect(failure?.rememberedFor == 0)
        #expect(node.decoder.jobs.count == 2)
        #expect(node.pipeline.counters.refusedRenditions.read() == 1)
        #expect(node.pipeline.workInFlight == 0)
    }

    @Test func `what is held is served, and what was lost is made again`() async throws {
        try await fill()
        #expect(try await node.answer(width: 100).outcome == .memoryHit)
        node.cache.loseRenditions()
        #expect(try await node.answer(width: 100).outcome == .rendered)
        #expect(await node.failure(width: 300) != nil)
    }

    @Test func `it belongs to the bytes: other URLs of the same share it, other pictures do not`()
        async throws
    {
        try await fill()
        #expect(await node.failure("/a.jpg?1", width: 300)?.reason != nil)
        #expect(try await node.answer("/a.jpg?1", width: 100).outcome != .rendered)
        node.origin.says(.picture(TestBody(content: "two"), ["Cache-Control": "max-age=60"]))
        #expect(try await node.answer("/b.jpg", width: 300).outcome == .rendered)
    }

    @Test func `whoever is vouched for neither uses it up nor is held to it`() async throws {
        var request = node.request(width: 300)
        request.isVouchedFor = true
        _ = try await node.pipeline.answer(request)
        try await fill()
        for width in [400, 500] {
            request.recipe.width = .pixels(width)
            #expect(try await node.pipeline.answer(request).outcome == .rendered)
        }
        #expect(await node.failure(width: 600) != nil)
    }

    @Test func `an hour later there is room again`() async throws {
        try await fill()
        #expect(await node.failure(width: 300) != nil)
        node.clock.advance(seconds: 3_600)
        #expect(try await node.answer(width: 300).outcome == .rendered)
    }

    @Test func `the origin is not asked about a stale original for what would be refused`() async throws {
        try await fill()
        node.clock.advance(seconds: 61)
        #expect(await node.failure(width: 300) != nil)
        #expect(node.origin.requests.count == 1)
        node.origin.says(.notModified([:]))
        #expect(try await node.answer(width: 200).outcome == .revalidated)
        #expect(node.origin.requests.count == 2)
    }

    @Test func `what was refused for want of a permit does not count`() async throws {
        let gate = Gate(open: false)
        let node = NodeUnderTest(rendering: gate) {
            $0.renditionsPerOriginal = 2
            $0.decodes = AdmissionLimits(permits: 1, queueLength: 0)
        }
        let first = node.client(node.request(width: 100))
        try await until { gate.held == 1 }
        for width in 200..<210 {
            guard case .overloaded = await node.failure(width: width)?.reason else {
                Issue.record("\(width) was not turned away by the queue")
                continue
            }
        }
        gate.open()
        _ = try await first.value.get()
        #expect(try await node.answer(width: 300).outcome == .rendered)
    }

    @Test func `what is waited for with others counts once`() async throws {
        let gate = Gate(open: false)
        let node = NodeUnderTest(rendering: gate) { $0.renditionsPerOriginal = 1 }
        let clients = (0..<5).map { _ in node.client(node.request(width: 100)) }
        gate.open()
        for client in clients { _ = try await client.value.get() }
        #expect(node.decoder.jobs.count == 1)
        #expect(await node.failure(width: 200) != nil)
    }

    @Test func `a picture in its own format, tried for being smaller, is done without`() async throws {
        let node = NodeUnderTest { $0.renditionsPerOriginal = 1 }
        let accepted = AcceptClass.webp
        var request = node.request(width: 4_000, accepted: accepted, output: .auto)
        request.recipe.width = nil
        #expect(try await node.pipeline.answer(request).outcome == .rendered)
    }

    @Test func `explain says that it would be refused, and how many were made`() async throws {
        try await fill()
        let explanation = await node.pipeline.explain(node.request(width: 300))
        #expect(explanation.outcome == .refused)
        #expect(explanation.why.contains("2 renditions"))
        #expect(explanation.held?.renditionsThisHour == 2)
        let counted = await node.pipeline.explain(node.request(width: 100))
        #expect(counted.outcome == .memoryHit)
        #expect(node.pipeline.counters.refusedRenditions.read() == 0)
    }

    @Test func `operators hear of it once an hour`() async throws {
        let heard = Events()
        var configuration = PipelineConfiguration(
            engine: EngineVersion(library: "test"), fetches: AdmissionLimits(permits: 9),
            decodes: AdmissionLimits(permits: 9))
        configuration.renditionsPerOriginal = 1
        let pipeline = Pipeline(
            PipelinePorts(
                origin: node.origin, cache: node.cache, decoder: node.decoder, environment: node.clock),
            configuration: configuration
        ) { event in
            heard.add(event)
        }
        _ = try await pipeline.answer(node.request(width: 100))
        for width in 200..<210 {
            await #expect(throws: PipelineFailure.self) {
                try await pipeline.answer(node.request(width: width))
            }
        }
        #expect(heard.all == [.scanned(key: node.request().source.bareKey, limit: 1)])
    }
}

/// **Isolation:** a `Mutex`.
private final class Events: Sendable {
    private let list = Mutex<[PipelineEvent]>([])

    var all: [PipelineEvent] { list.withLock { $0 } }
    func add(_ event: PipelineEvent) { list.withLock { $0.append(event) } }
}
