// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

/// One decoder is busy with `/busy.jpg`, and the one place behind it is taken by `/next.jpg`. `/held.jpg` is held at a width of 100.
/// All URLs give the same bytes, so only another width is another rendition.
@Suite(.timeLimit(.minutes(1)))
struct EarlyRefusalTests {
    private let rendering = Gate(open: true)
    private let node: NodeUnderTest

    init() {
        node = NodeUnderTest(rendering: rendering) {
            $0.decodes = AdmissionLimits(permits: 1, queueLength: 1)
        }
    }

    /// Clients that occupy the decoder and the place behind it.
    private func fill(_ priority: Priority = .interactive) async throws -> [TestTask<
        Result<Answer<TestBody>, PipelineFailure>
    >] {
        try await node.answer("/held.jpg")
        rendering.close()
        let busy = node.client(node.request("/busy.jpg", width: 1))
        try await until { rendering.held == 1 }
        let next = node.client(node.request("/next.jpg", width: 2, priority: priority))
        try await until { node.pipeline.decodes.waiting == 1 }
        return [busy, next]
    }

    private func refusal(
        _ path: String, width: Int = 100, _ priority: Priority = .interactive, output: Recipe.Output = .source
    ) -> PipelineFailure? {
        node.pipeline.earlyRefusal(
            of: node.request(path, width: width, priority: priority, output: output))
    }

    @Test func `who must be refused never reaches the origin`() async throws {
        let clients = try await fill()
        #expect(node.pipeline.isCrowded)
        #expect(refusal("/new.jpg") == .overloaded(retryAfter: 1))
        #expect(node.pipeline.counters.overloaded.read() == 1)
        // The ordinary way refuses the request too.
        #expect(await node.failure("/new.jpg", width: 3) == .overloaded(retryAfter: 1))
        #expect(node.origin.requests.count == 3)
        rendering.open()
        for client in clients { _ = try await client.value.get() }
        #expect(!node.pipeline.isCrowded)
        #expect(refusal("/new.jpg") == nil)
        #expect(try await node.answer("/new.jpg", width: 3).outcome == .rendered)
    }

    @Test func `another size of a held original is refused, and what is held or being made is not`()
        async throws
    {
        let clients = try await fill()
        #expect(refusal("/held.jpg", width: 99) == .overloaded(retryAfter: 1))
        #expect(refusal("/held.jpg") == nil)
        #expect(refusal("/busy.jpg", width: 1) == nil)
        #expect(refusal("/next.jpg", width: 2) == nil)
        #expect(try await node.answer("/held.jpg").outcome == .memoryHit)
        rendering.open()
        for client in clients { _ = try await client.value.get() }
    }

    @Test func `what needs no decoder is not refused`() async throws {
        let clients = try await fill()
        #expect(refusal("/new.jpg", output: .json) == nil)
        _ = try await node.pipeline.describe(node.request("/new.jpg", output: .json))
        #expect(node.origin.requests.count == 4)
        rendering.open()
        for client in clients { _ = try await client.value.get() }
    }

    @Test func `an original that is handed on is not refused`() async throws {
        let clients = try await fill()
        var passing = node.request("/held.jpg", width: 99)
        passing.terms.passed = PassedOriginals(formats: [.jpeg], animations: false)
        var asIs = node.request("/held.jpg", width: 99)
        asIs.recipe.asIs = [.jpeg]
        for request in [passing, asIs] {
            #expect(node.pipeline.earlyRefusal(of: request) == nil)
            #expect(try await node.pipeline.answer(request).body.content == "one")
        }
        rendering.open()
        for client in clients { _ = try await client.value.get() }
    }

    @Test func `a lower class gives way`() async throws {
        let clients = try await fill(.prefetch)
        #expect(refusal("/new.jpg") == nil)
        #expect(refusal("/new.jpg", .prefetch) == .overloaded(retryAfter: 1))
        let new = node.client(node.request("/new.jpg", width: 3))
        #expect(await clients[1].value.failure == .overloaded(retryAfter: 1))
        rendering.open()
        #expect(try await new.value.get().outcome == .rendered)
        _ = try await clients[0].value.get()
    }

    //   seconds   0            1.5           2.1
    //   decoder   busy         busy          busy
    //   waiting   old          old, young    the queue stands
    //   comes                                another: refused;  late, with its fetch behind it: old gives way
    @Test func `who has fetched an original is let into a standing queue, and who has not is refused`()
        async throws
    {
        let (fetching, rendering) = (Gate(open: true), Gate())
        let node = NodeUnderTest(fetching: fetching, rendering: rendering) {
            $0.decodes = AdmissionLimits(permits: 1, waitLimit: 2_000_000, standingWork: 1)
        }
        // One job is run first, so that the mean time of a job is known.
        let first = node.client(node.request(width: 1))
        try await until { rendering.held == 1 }
        node.clock.advance(seconds: 0.1)
        rendering.open()
        _ = try await first.value.get()
        rendering.close()
        fetching.close()
        let late = node.client(node.request("/late.jpg", width: 2))
        try await until { fetching.held == 1 }
        let busy = node.client(node.request(width: 3))
        try await until { rendering.held == 2 }
        let old = node.client(node.request(width: 4))
        try await until { node.pipeline.decodes.waiting == 1 }
        node.clock.advance(seconds: 1.5)
        let young = node.client(node.request(width: 5))
        try await until { node.pipeline.decodes.waiting == 2 }
        node.clock.advance(seconds: 0.6)
        guard case .overloaded = await node.failure(width: 6)?.reason else {
            Issue.record("A newcomer waits in a queue that stands.")
            return
        }
        fetching.open()
        guard case .overloaded = await old.value.failure?.reason else {
            Issue.record("Nobody gave way.")
            return
        }
        rendering.open()
        for client in [late, busy, young] { #expect(try await client.value.get().outcome == .rendered) }
    }

    @Test func `an original whose fetch is under way may be waited for`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching) {
            $0.fetches = AdmissionLimits(permits: 1, queueLength: 0)
        }
        let client = node.client(node.request("/slow.jpg"))
        try await until { fetching.held == 1 }
        #expect(node.pipeline.isCrowded)
        #expect(node.pipeline.earlyRefusal(of: node.request("/slow.jpg", width: 7)) == nil)
        #expect(
            node.pipeline.earlyRefusal(of: node.request("/new.jpg")) == .overloaded(retryAfter: 1))
        fetching.open()
        _ = try await client.value.get()
        #expect(node.pipeline.workInFlight == 0)
    }
}
