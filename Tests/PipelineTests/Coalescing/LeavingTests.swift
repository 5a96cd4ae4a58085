// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LeavingTests {
    @Test func `one client that leaves disturbs nobody, not even when it was the first`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        let first = node.client(node.request())
        try await until { fetching.held == 1 }
        let second = node.client(node.request())
        try await until { node.pipeline.originals.waiting == 2 }
        first.cancel()
        // The client that left does not wait for the fetch.
        #expect(await first.value.failure == .cancelled)
        fetching.open()
        #expect(try await second.value.get().body.content.hasPrefix("one"))
        #expect(node.origin.cancelled == 0)
        #expect(node.origin.requests.count == 1)
    }

    @Test func `when all leave, the transfer is cancelled`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        let clients = (0..<3).map { node.client(node.request(width: 100 + $0)) }
        try await until { node.pipeline.originals.waiting == 3 }
        try await until { fetching.held == 1 }
        for client in clients { client.cancel() }
        for client in clients { #expect(await client.value.failure == .cancelled) }
        try await until { node.origin.cancelled == 1 }
        try await until { node.pipeline.fetches.running == 0 }
        #expect(node.pipeline.workInFlight == 0)
        #expect(node.cache.originalCount == 0)
    }

    @Test func `when all leave during the rendering, the job is given up and its permit is free`()
        async throws
    {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering)
        let client = node.client(node.request())
        try await until { rendering.held == 1 }
        client.cancel()
        #expect(await client.value.failure == .cancelled)
        try await until { node.decoder.cancelled == 1 }
        try await until { node.pipeline.decodes.running == 0 }
        #expect(node.cache.renditionCount == 0)
    }

    @Test
    func
        `who comes after all have left gets an in-flight request of its own, and no echo of the cancellation`()
        async throws
    {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        let first = node.client(node.request())
        try await until { fetching.held == 1 }
        first.cancel()
        _ = await first.value
        fetching.open()
        #expect(try await node.answer().outcome == .rendered)
        #expect(node.origin.requests.count == 2)
    }

    @Test func `who had left before asking starts nothing`() async throws {
        let node = NodeUnderTest()
        let gate = Gate()
        let client = TestTask {
            _ = await gate.pass()
            return await node.failure()
        }
        try await until { gate.held == 1 }
        client.cancel()
        #expect(await client.value == .cancelled)
        #expect(node.origin.requests.isEmpty)
    }

    @Test(arguments: [OriginFailure.cancelled, .overloaded(retryAfter: 1), .unavailable])
    func `a fetch that ends without a word of its origin leaves what is suspected of that`(
        failure: OriginFailure
    ) async {
        let node = NodeUnderTest()
        node.origin.says([.status(500), .failure(failure), .status(500)])
        for _ in 0..<2 { #expect(await node.failure()?.rememberedFor == 0) }
        #expect(await node.failure()?.rememberedFor == NegativePolicy().serverError)
    }

    @Test func `and the validators of what was no picture`() async {
        let node = NodeUnderTest()
        let tag = ["ETag": "\"1\""]
        node.origin.says([
            .picture(TestBody(content: "words", header: nil), tag), .failure(.cancelled), .notModified(tag),
        ])
        #expect(await node.failure()?.reason == .decode(.notAnImage))
        node.clock.advance(seconds: 60)
        #expect(await node.failure()?.reason == .cancelled)
        #expect(await node.failure()?.reason == .decode(.notAnImage))
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false, false])
    }
}
