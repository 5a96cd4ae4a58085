// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import SourceURLs
import Testing

@Suite("A watermark is a second original")
struct WatermarkTests {
    private func request(_ path: String, _ watermark: String?, width: Int = 100) -> PipelineRequest {
        var request = NodeUnderTest().request(path, width: width)
        request.recipe.watermark = watermark.map { Watermark(source: "http://origin.test" + $0) }
        return request
    }

    private func says(_ contents: [String], maxAge: Int = 60) -> [OriginDouble.Line] {
        contents.map { .picture(TestBody(content: $0), ["Cache-Control": "max-age=\(maxAge)"]) }
    }

    @Test func `it is fetched once, and its digest is in the key`() async throws {
        let node = NodeUnderTest()
        node.origin.says(says(["a", "logo", "b"]))
        let first = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        _ = try await node.pipeline.answer(request("/b.jpg", "/logo.png"))
        let plain = try await node.pipeline.answer(request("/a.jpg", nil))
        #expect(first.rendition.key != plain.rendition.key)
        #expect(node.decoder.jobs.map { $0.watermark != nil } == [true, true, false])
        let name = try #require(node.decoder.jobs.first?.recipe.watermark?.source)
        #expect(name.wholeMatch(of: /[0-9a-f]{64}/) != nil)
        #expect(node.origin.requests.count == 3)
    }

    @Test func `a damaged one spoils nothing but its own rendition`() async throws {
        let node = NodeUnderTest()
        node.origin.says(says(["a", "logo", "other"]))
        node.decoder.fails(.damaged)
        let outcome = await node.client(request("/a.jpg", "/logo.png")).value
        #expect(outcome.failure?.reason == .decode(.damaged))
        node.decoder.fails(nil)
        _ = try await node.pipeline.answer(request("/a.jpg", nil))
        _ = try await node.pipeline.answer(request("/a.jpg", "/other.png"))
    }

    @Test func `an answer is not kept ready once its watermark has other bytes`() async throws {
        let node = NodeUnderTest()
        node.origin.says(says(["a", "logo", "other"]))
        let former = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        var isKept = false
        node.pipeline.keep(former) { isHeld in isKept = isHeld }
        #expect(isKept)
        node.cache.evict(OriginalKey(url: "http://origin.test/logo.png"))
        node.pipeline.keep(former) { isHeld in isKept = isHeld }
        #expect(!isKept, "one of the two is not held")
        let latter = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        #expect(latter.rendition.key != former.rendition.key)
        node.pipeline.keep(former) { _ in Issue.record("kept") }
    }

    @Test func `what was made before it was purged goes, and what is being made is not kept`() async throws {
        let logo = PurgeOrder(.url(OriginalKey(url: "http://origin.test/logo.png")))
        let rendering = Gate(open: true)
        let node = NodeUnderTest(rendering: rendering)
        node.origin.says(says(["a", "logo", "logo"]))
        _ = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        #expect(node.cache.renditionCount == 1)
        #expect(try await node.pipeline.purge(logo).renditions == 1)
        rendering.close()
        let client = node.client(request("/a.jpg", "/logo.png"))
        try await until { rendering.held == 1 }
        _ = try await node.pipeline.purge(logo)
        rendering.open()
        _ = try await client.value.get()
        #expect(node.cache.renditionCount == 0)
    }

    @Test func `the picture is as fresh as the one that goes first`() async throws {
        for (picture, watermark, expected) in [(60, 10, 10), (10, 60, 10)] as [(Int, Int, Int32)] {
            let node = NodeUnderTest()
            node.origin.says(says(["a"], maxAge: picture) + says(["logo"], maxAge: watermark))
            let answer = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
            #expect(answer.original.freshness.lifetime == expected)
        }
    }

    @Test func `the picture was modified when the later of the two was`() async throws {
        let dates = ["Sun, 06 Nov 1994 08:49:37 GMT", "Mon, 07 Nov 1994 08:49:37 GMT"]
        for (picture, watermark) in [(dates[0], dates[1]), (dates[1], dates[0])] {
            let node = NodeUnderTest()
            node.origin.says([
                .picture(TestBody(content: "a"), ["Last-Modified": picture]),
                .picture(TestBody(content: "logo"), ["Last-Modified": watermark]),
            ])
            let answer = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
            #expect(answer.original.lastModified.map { HTTPDate.format($0) } == dates[1])
        }
        let node = NodeUnderTest()
        node.origin.says([
            .picture(TestBody(content: "a"), ["Last-Modified": dates[0]]),
            .picture(TestBody(content: "logo"), [:]),
        ])
        let answer = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        #expect(answer.original.lastModified == answer.original.freshness.responseTime)
    }

    @Test func `it is neither fetched nor kept from confirming where a trusted client says so`() async throws
    {
        let node = NodeUnderTest()
        node.origin.says(says(["a", "logo"]))
        _ = try await node.pipeline.answer(request("/a.jpg", nil))
        var request = request("/a.jpg", "/logo.png")
        request.directives.onlyIfCached = true
        #expect(await node.client(request).value.failure?.reason == .notHeld)
        #expect(node.origin.requests.count == 1)
        request.directives = RequestDirectives()
        _ = try await node.pipeline.answer(request)
        request.directives.noCache = true
        _ = try await node.pipeline.answer(request)
        #expect(node.origin.requests.count == 4)
    }

    @Test func `a stale one makes the picture stale, and its fetch is told`() async throws {
        let node = NodeUnderTest { $0.caching.defaultStaleIfError = 1_000 }
        node.origin.says(says(["a"], maxAge: 1_000) + says(["logo"], maxAge: 10))
        let made = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        #expect(made.outcome == .rendered && made.forwarding?.status == 200)
        node.clock.advance(seconds: 20)
        node.origin.says(.failure(.cannotConnect))
        let stale = try await node.pipeline.answer(request("/a.jpg", "/logo.png"))
        #expect(stale.outcome == .stale && stale.forwarding?.reason == .stale)
        #expect(node.pipeline.counters.staleServed.read() == 1)
        #expect(try await node.pipeline.answer(request("/a.jpg", nil)).outcome == .rendered)
    }

    @Test func `a name that nobody knows is refused`() async {
        var request = request("/a.jpg", nil)
        request.recipe.watermark = Watermark(source: "logo")
        let outcome = await NodeUnderTest().client(request).value
        #expect(outcome.failure == PipelineFailure(.origin(.sourceRefused)))
    }
}
