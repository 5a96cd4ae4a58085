// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite("An answer at hand", .timeLimit(.minutes(1)))
struct AnswerAtHandTests {
    private let node = NodeUnderTest()

    private func atHand(_ request: PipelineRequest) -> Answer<TestBody>? {
        node.pipeline.answerAtHand(request)
    }

    @Test(arguments: [false, true])
    func `is the one that would be waited for`(isFar: Bool) async throws {
        let request = node.request()
        #expect(atHand(request) == nil, "nothing is held")
        try await node.answer()
        if isFar { node.cache.moveAway() }
        let answer = try #require(atHand(request))
        let waited = try await node.pipeline.answer(request)
        #expect(answer.rendition == waited.rendition && answer.body == waited.body)
        #expect(answer.outcome == waited.outcome)
        #expect(answer.outcome == (isFar ? .diskHit : .memoryHit))
        #expect(answer.original == waited.original && answer.isKept && answer.forwarding == nil)
        #expect(node.origin.requests.count == 1)
    }

    @Test func `is none where something is to be fetched or made`() async throws {
        try await node.answer()
        #expect(atHand(node.request("/b.jpg")) == nil, "another original")
        #expect(atHand(node.request(width: 99)) == nil, "another rendition")
        node.cache.loseRenditions()
        #expect(atHand(node.request()) == nil)
        #expect(node.pipeline.workInFlight == 0 && node.origin.requests.count == 1)
    }

    @Test func `is none once its original is stale`() async throws {
        let answer = try await node.answer()
        let seconds = answer.original.freshness.secondsLeft(at: node.clock.now())
        node.clock.advance(seconds: Double(seconds) - 1)
        #expect(atHand(node.request()) != nil)
        node.clock.advance(seconds: 2)
        #expect(atHand(node.request()) == nil)
    }

    @Test func `is none where the request, its source or the settings forbid it`() async throws {
        try await node.answer()
        var request = node.request()
        request.terms.limits.side = 99
        #expect(atHand(request) == nil)
        #expect(atHand(node.request(output: .json)) == nil && atHand(node.request(output: .raw)) == nil)
        #expect(atHand(node.request()) != nil)
        var configuration = node.pipeline.configuration
        configuration.pictures.outputPixels = 1
        node.pipeline.replace(configuration, watermarks: [:])
        #expect(atHand(node.request()) == nil)
    }

    @Test func `is none where the policy forbids the source, although all is held`() async throws {
        try await node.answer()
        node.origin.close()
        #expect(atHand(node.request()) == nil)
    }

    @Test func `is none after a purge`() async throws {
        try await node.answer()
        let key = node.request().key
        _ = try await node.pipeline.purge(PurgeOrder(.url(key)))
        #expect(atHand(node.request()) == nil)
    }
}
