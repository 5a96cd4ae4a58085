// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite("What explain says is what happens next", .timeLimit(.minutes(1)))
struct ExplanationTests {
    /// A node that holds a stale picture, which may stand in for a failing origin.
    private func node(
        fetching: Gate = Gate(open: true), permits: Int = 1000, staleIfError: Int32 = 1000
    ) async throws -> NodeUnderTest {
        let node = NodeUnderTest(fetching: fetching) {
            $0.caching.defaultStaleIfError = staleIfError
            $0.fetches = AdmissionLimits(permits: permits)
            $0.pictures.enlargedPixels = 1_000_000
        }
        try await node.answer()
        node.clock.advance(seconds: 60)
        return node
    }

    private func expect(
        _ outcome: Outcome, _ node: NodeUnderTest, width: Int = 100, asking: Int
    ) async {
        var request = node.request(width: width)
        if width > 4_000 { request.recipe.withoutEnlargement = false }
        await expect(outcome, node, request, asking: asking)
    }

    private func expect(
        _ outcome: Outcome, _ node: NodeUnderTest, _ request: PipelineRequest, asking: Int
    ) async {
        let told = await node.pipeline.explain(request)
        #expect(told.outcome == outcome, "\(told.why)")
        #expect(told.waitsForOrigin == (asking > 0), "\(told.why)")
        let before = node.origin.requests.count
        do throws(PipelineFailure) {
            #expect(try await node.pipeline.answer(request).outcome == outcome, "\(told.why)")
        } catch {
            #expect(error.outcome == outcome, "\(told.why)")
        }
        #expect(node.origin.requests.count - before == asking, "\(told.why)")
    }

    @Test func `after one 500 the stale original stands in, and its origin is not asked`() async throws {
        let node = try await node()
        node.origin.says(.status(500))
        #expect(try await node.answer().outcome == .stale)
        #expect(node.origin.requests.count == 2)
        await expect(.stale, node, asking: 0)
    }

    @Test func `while the only permit is taken the stale original stands in`() async throws {
        let fetching = Gate(open: true)
        let node = try await node(fetching: fetching, permits: 1)
        fetching.close()
        let other = node.client(node.request("/other.jpg"))
        try await until { fetching.held == 1 }
        await expect(.stale, node, asking: 0)
        fetching.open()
        _ = try await other.value.get()
        try await until { node.pipeline.workInFlight == 0 }
    }

    @Test func `without a grace the origin is asked`() async throws {
        let node = try await node(staleIfError: 0)
        node.origin.says(.notModified(["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
        await expect(.revalidated, node, asking: 1)
        await expect(.memoryHit, node, asking: 0)
        await expect(.rendered, node, width: 200, asking: 0)
    }

    @Test func `what its own stage refuses, it foretells`() async throws {
        let node = try await node(staleIfError: 0)
        node.origin.says(.notModified(["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
        try await node.answer()
        // The enlargement is beyond the limit, which neither `explain` nor the early refusal checked once.
        await expect(.refused, node, width: 9_000, asking: 0)
    }

    @Test func `an original that a limit keeps from being handed on is told as refused`() async throws {
        let node = try await node(staleIfError: 0)
        node.origin.says(.notModified(["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
        try await node.answer()
        var request = node.request(output: .raw)
        await expect(.diskHit, node, request, asking: 0)
        request.terms.limits.pixels = 1
        await expect(.refused, node, request, asking: 0)
    }

    @Test func `a description that is refused is told as refused`() async throws {
        let node = try await node(staleIfError: 0)
        node.origin.says(.notModified(["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
        try await node.answer()
        var request = node.request(output: .json)
        let told = await node.pipeline.explain(request)
        #expect(told.outcome == .diskHit && told.failure == nil, "\(told.why)")
        request.recipe.page = 7
        for extras in [JSONExtras(), .blurhash] {
            request.recipe.jsonExtras = extras
            let refused = await node.pipeline.explain(request)
            #expect(refused.outcome == .refused, "\(refused.why)")
            #expect(refused.failure?.reason == .decode(.noSuchPage(pages: 1)), "\(refused.why)")
        }
    }

    @Test func `what its pixels cost is no reason to refuse what the header tells`() async throws {
        let node = try await node(staleIfError: 0)
        node.origin.says(.notModified(["ETag": "\"1\"", "Cache-Control": "max-age=60"]))
        try await node.answer()
        var configuration = node.pipeline.configuration
        configuration.pictures.memory = 1
        node.pipeline.replace(configuration, watermarks: [:])
        let request = node.request(output: .json)
        let told = await node.pipeline.explain(request)
        #expect(told.outcome == .diskHit && told.held?.refusal == nil, "\(told.why)")
        _ = try await node.pipeline.describe(request)
    }

    @Test func `the failure that is told is the one that comes, remembered or not`() async throws {
        let node = try await node()
        node.origin.says(.status(500))
        #expect(try await node.answer().outcome == .stale)
        // The original stands in for its origin's failure, but this picture may not be made of it.
        var large = node.request(width: 9_000)
        large.recipe.withoutEnlargement = false
        let told = await node.pipeline.explain(large).failure
        do throws(PipelineFailure) {
            _ = try await node.pipeline.answer(large)
            Issue.record("It is refused.")
        } catch {
            #expect(told?.reason == error.reason)
            #expect(told?.rememberedFor == 0)
        }
    }
}
