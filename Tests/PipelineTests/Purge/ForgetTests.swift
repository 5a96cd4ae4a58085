// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import SourceURLs
import Testing

@Suite("An answer that may be another URL's is served no more", .timeLimit(.minutes(1)))
struct ForgetTests {
    private static let key = OriginalKey(url: "http://origin.test/a.jpg")

    @Test func `its original goes, and renditions and other originals stay`() async throws {
        let node = NodeUnderTest()
        for path in ["/a.jpg", "/b.jpg"] { try await node.answer(path) }
        let renditions = node.cache.renditionCount
        try await node.pipeline.forget(doubtful: [Self.key])
        #expect((node.cache.originalCount, node.cache.renditionCount) == (1, renditions))
        try await node.answer("/b.jpg")
        #expect(node.origin.requests.count == 2)
        try await node.answer("/a.jpg")
        #expect(node.origin.requests.count == 3)
    }

    /// The second URL has parameters that only the origin gets, and that are in no key.
    @Test(arguments: [nil, "/a.jpg?sig=one"])
    func `what was under way meanwhile is neither kept nor joined`(sentTarget: String?) async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        var request = node.request()
        request.source = SourceURL(
            scheme: .http, host: "origin.test", port: 80, target: "/a.jpg", sentTarget: sentTarget)
        let early = node.client(request)
        try await until { fetching.held == 1 }
        try await node.pipeline.forget(doubtful: [Self.key])
        let late = node.client(request)
        try await until { fetching.held == 2 }
        fetching.open()
        #expect(try await early.value.get().isKept == false)
        #expect(try await late.value.get().isKept)
        #expect(node.cache.originalCount == 1)
    }

    @Test func `a ready answer that was made meanwhile is not kept`() async throws {
        let rendering = Gate()
        let node = NodeUnderTest(rendering: rendering)
        let client = node.client(node.request())
        try await until { rendering.held == 1 }
        try await node.pipeline.forget(doubtful: [Self.key])
        rendering.open()
        var isKept = false
        node.pipeline.keep(try await client.value.get()) { _ in isKept = true }
        #expect(!isKept)
    }

    @Test func `remembered failures go with it, also where the cache has failed`() async throws {
        let node = NodeUnderTest()
        node.origin.says(.status(404, ["Cache-Control": "max-age=60"]))
        for _ in 0..<2 { _ = await node.failure() }
        #expect(node.origin.requests.count == 1)
        node.cache.breakIndex()
        await #expect(throws: IndexUnreadable.self) { try await node.pipeline.forget(doubtful: [Self.key]) }
        _ = await node.failure()
        #expect(node.origin.requests.count == 2)
        let log = node.pipeline.purges
        #expect(!log.isPurged(Self.key, tags: [], since: log.epoch), "it does not bar what begins now")
    }

    @Test func `a fetch of another URL is kept, however many are forgotten meanwhile`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching)
        let client = node.client(node.request())
        try await until { fetching.held == 1 }
        for number in 0..<300 {
            try await node.pipeline.forget(doubtful: [OriginalKey(url: "http://other.test/\(number)")])
        }
        fetching.open()
        #expect(try await client.value.get().isKept)
    }
}
