// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite("An answer at hand", .timeLimit(.minutes(1)))
struct AnswerAtHandTests {
    private let world = World()

    private func atHand(_ request: PipelineRequest) -> Answer<TestBody>? {
        world.pipeline.answerAtHand(request)
    }

    @Test(arguments: [false, true])
    func `is the one that would be waited for`(isFar: Bool) async throws {
        let request = world.request()
        #expect(atHand(request) == nil, "nothing is held")
        try await world.answer()
        if isFar { world.cache.moveAway() }
        let answer = try #require(atHand(request))
        let waited = try await world.pipeline.answer(request)
        #expect(answer.rendition == waited.rendition && answer.body == waited.body)
        #expect(answer.outcome == waited.outcome)
        #expect(answer.outcome == (isFar ? .diskHit : .memoryHit))
        #expect(answer.original == waited.original && answer.isKept && answer.forwarding == nil)
        #expect(world.origin.requests.count == 1)
    }

    @Test func `is none where something is to be fetched or made`() async throws {
        try await world.answer()
        #expect(atHand(world.request("/b.jpg")) == nil, "another original")
        #expect(atHand(world.request(width: 99)) == nil, "another rendition")
        world.cache.loseRenditions()
        #expect(atHand(world.request()) == nil)
        #expect(world.pipeline.workInFlight == 0 && world.origin.requests.count == 1)
    }

    @Test func `is none once its original is stale`() async throws {
        let answer = try await world.answer()
        let seconds = answer.original.freshness.secondsLeft(at: world.clock.now())
        world.clock.advance(seconds: Double(seconds) - 1)
        #expect(atHand(world.request()) != nil)
        world.clock.advance(seconds: 2)
        #expect(atHand(world.request()) == nil)
    }

    @Test func `is none where the request, its source or the settings forbid it`() async throws {
        try await world.answer()
        var request = world.request()
        request.terms.limits.side = 99
        #expect(atHand(request) == nil)
        #expect(atHand(world.request(output: .json)) == nil && atHand(world.request(output: .raw)) == nil)
        #expect(atHand(world.request()) != nil)
        var configuration = world.pipeline.configuration
        configuration.pictures.outputPixels = 1
        world.pipeline.replace(configuration, watermarks: [:])
        #expect(atHand(world.request()) == nil)
    }

    @Test func `is none where the policy forbids the source, although all is held`() async throws {
        try await world.answer()
        world.origin.close()
        #expect(atHand(world.request()) == nil)
    }

    @Test func `is none after a purge`() async throws {
        try await world.answer()
        let key = world.request().key
        _ = try await world.pipeline.purge(PurgeOrder(.url(key)))
        #expect(atHand(world.request()) == nil)
    }
}
