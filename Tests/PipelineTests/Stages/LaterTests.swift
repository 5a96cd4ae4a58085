// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import ImageHeaders
@testable import Pipeline
import Recipes
import Testing

@Suite("With AVIF that comes later, nobody waits for it", .timeLimit(.minutes(1)))
struct LaterTests {
    private static let both = AcceptClass.avif.union(.webp)

    private func node(
        permits: Int = 1000, queueLength: Int = 1024, store: SharedStoreDouble? = nil,
        configure: (inout PipelineConfiguration) -> Void = { _ in }
    ) -> NodeUnderTest {
        let node = NodeUnderTest(store: store) {
            $0.makesAVIFLater = true
            $0.decodes = AdmissionLimits(permits: permits, queueLength: queueLength)
            configure(&$0)
        }
        node.origin.says(
            .picture(
                NodeUnderTest.one,
                [
                    "Cache-Control": "max-age=86400, stale-while-revalidate=86400, immutable",
                    "Last-Modified": "Sun, 01 Jun 2025 00:00:00 GMT",
                ]))
        return node
    }

    private func auto(
        _ node: NodeUnderTest, _ accepted: AcceptClass = LaterTests.both, width: Int = 100
    ) async throws -> Answer<TestBody> {
        try await node.pipeline.answer(node.request(width: width, accepted: accepted, output: .auto))
    }

    private func formats(_ node: NodeUnderTest) -> [Recipe.Output] {
        node.decoder.jobs.map(\.recipe.output)
    }

    private func hasMade(_ count: Int, _ node: NodeUnderTest) async throws {
        try await until { node.pipeline.counters.laterRenditions.read() == count }
    }

    /// Takes a decoder's permit for a job without a picture, so that of two permits no decoder counts as idle.
    private func occupy(_ node: NodeUnderTest) async throws -> Admission.Permit {
        try await node.pipeline.decodes.enter(priority: LivePriority(.interactive))
    }

    @Test func `the first gets WebP, and those that come after the AVIF get that`() async throws {
        let node = node()
        let first = try await auto(node)
        #expect(first.rendition.format == .webp && first.isSubstitute && first.outcome == .rendered)
        #expect(first.awaitsAVIF)
        try await hasMade(1, node)
        let second = try await auto(node)
        #expect(second.rendition.format == .avif && !second.isSubstitute && second.outcome == .memoryHit)
        #expect(!second.awaitsAVIF)
        #expect(formats(node) == [.format(.webp), .format(.avif)])
        #expect(node.decoder.jobs.map(\.priority) == [.interactive, .refresh])
        #expect(node.pipeline.counters.substitutes.read() == 1)
        #expect(node.origin.requests.count == 1)
    }

    @Test(arguments: [(both, ImageFormat.webp), (.avif, .jpeg), (both.union([.jxl, .jxlLast]), .webp)])
    func `it is what the client accepts besides`(accepted: AcceptClass, format: ImageFormat) async throws {
        let node = node()
        let first = try await auto(node, accepted)
        #expect(first.rendition.format == format && first.isSubstitute)
        try await hasMade(1, node)
        #expect(try await auto(node, accepted).rendition.format == .avif)
    }

    @Test func `a substitute is the rendition of those who accept no AVIF`() async throws {
        let node = node()
        let first = try await auto(node)
        let plain = try await auto(node, .webp)
        #expect(plain.rendition == first.rendition && !plain.isSubstitute && plain.isKept)
        #expect(plain.original.freshness.secondsLeft(at: node.clock.now()) == 86_400)
        try await hasMade(1, node)
        #expect(try await auto(node).rendition.key != first.rendition.key)
        #expect(node.decoder.jobs.count == 2)
    }

    @Test func `it is told to be good for a minute, by no date, and is not kept ready`() async throws {
        let node = node()
        let first = try await auto(node)
        let freshness = first.original.freshness
        #expect(freshness.secondsLeft(at: node.clock.now()) == 60)
        #expect(freshness.staleWhileRevalidate == 60 && !freshness.flags.contains(.immutable))
        #expect(first.original.lastModified == nil)
        #expect(first.variesByAccept && !first.isKept)
        try await hasMade(1, node)
        let second = try await auto(node)
        #expect(second.original.freshness.secondsLeft(at: node.clock.now()) == 86_400)
        #expect(second.original.freshness.flags.contains(.immutable))
        #expect(second.original.lastModified != nil)
        #expect(second.variesByAccept && second.isKept)
    }

    @Test func `and never for longer than the original is`() async throws {
        let node = node()
        node.origin.says(.picture(NodeUnderTest.one, ["Cache-Control": "max-age=20"]))
        #expect(try await auto(node).original.freshness.secondsLeft(at: node.clock.now()) == 20)
        node.clock.advance(seconds: 15)
        #expect(try await auto(node, width: 200).original.freshness.secondsLeft(at: node.clock.now()) == 5)
    }

    //   a job        holds one of two permits …                                   … leaves
    //   requests     WebP, WebP, …                                                           AVIF
    //   the AVIF              waits, once                                          is made
    @Test func `it is made once, and while the decoders are idle`() async throws {
        let node = node(permits: 2)
        let permit = try await occupy(node)
        for _ in 1...10 { #expect(try await auto(node).isSubstitute) }
        #expect(node.pipeline.laterInFlight == 1)
        node.clock.advance(seconds: 1)
        #expect(node.pipeline.laterInFlight == 1)
        #expect(formats(node) == [.format(.webp)])
        node.pipeline.decodes.leave(permit)
        node.clock.advance(seconds: 1)
        try await hasMade(1, node)
        try await until { node.pipeline.laterInFlight == 0 }
        #expect(formats(node) == [.format(.webp), .format(.avif)])
        #expect(node.pipeline.counters.substitutes.read() == 10)
    }

    @Test func `whoever asks for AVIF by name waits for it, and so does a request of low priority`()
        async throws
    {
        let node = node()
        let named = node.request(width: 200, accepted: Self.both, output: .format(.avif))
        let low = node.request(width: 300, priority: .prefetch, accepted: Self.both, output: .auto)
        for request in [named, low] {
            let answer = try await node.pipeline.answer(request)
            #expect(answer.rendition.format == .avif && !answer.isSubstitute && answer.isKept)
        }
        #expect(node.pipeline.counters.substitutes.read() == 0)
    }

    @Test func `without the setting all wait for it`() async throws {
        let node = node { $0.makesAVIFLater = false }
        #expect(try await auto(node).rendition.format == .avif)
    }

    @Test func `so it is where nothing is kept, by the origin's word or for want of a disk`() async throws {
        let node = node()
        node.cache.becomeForgetful()
        #expect(try await auto(node).rendition.format == .avif)
        let other = self.node()
        other.origin.says(.picture(NodeUnderTest.one, ["Cache-Control": "no-store"]))
        let answer = try await auto(other)
        #expect(answer.rendition.format == .avif && answer.outcome == .bypassed && !answer.isSubstitute)
    }

    @Test func `a failure to make it is remembered, and the substitute stays`() async throws {
        let node = node { $0.negative.notAnImage = 600 }
        node.decoder.fails(.outputTooLarge(.bytes(1)), writing: .avif)
        #expect(try await auto(node).isSubstitute)
        try await until { node.pipeline.failures.count == 1 && node.pipeline.laterInFlight == 0 }
        for _ in 1...3 {
            let answer = try await auto(node)
            #expect(answer.rendition.format == .webp && answer.outcome == .memoryHit)
            #expect(answer.isSubstitute && !answer.awaitsAVIF)
            #expect(answer.original.freshness.secondsLeft(at: node.clock.now()) == 600)
        }
        #expect(formats(node) == [.format(.webp), .format(.avif)])
        node.decoder.fails(nil)
        node.clock.advance(seconds: 601)
        #expect(try await auto(node).isSubstitute)
        try await hasMade(1, node)
        #expect(try await auto(node).rendition.format == .avif)
    }

    @Test func `it counts for the original's quota`() async throws {
        let node = node(permits: 2) { $0.renditionsPerOriginal = 1 }
        let permit = try await occupy(node)
        let first = try await auto(node)
        #expect(first.isSubstitute && !first.awaitsAVIF)
        #expect(node.pipeline.laterInFlight == 0, "the substitute has used it up")
        var signed = node.request(accepted: Self.both, output: .auto)
        signed.isVouchedFor = true
        #expect(try await node.pipeline.answer(signed).isSubstitute)
        #expect(node.pipeline.laterInFlight == 1)
        node.pipeline.decodes.leave(permit)
        node.clock.advance(seconds: 1)
        try await hasMade(1, node)
    }

    @Test func `under overload a substitute that is held is answered, and others are refused early`()
        async throws
    {
        let node = node(permits: 2, queueLength: 0)
        let first = try await occupy(node)
        #expect(try await auto(node).isSubstitute)
        let second = try await occupy(node)
        let held = node.request(accepted: Self.both, output: .auto)
        #expect(node.pipeline.earlyRefusal(of: held) == nil)
        #expect(
            node.pipeline.earlyRefusal(of: node.request(width: 99, accepted: Self.both, output: .auto)) != nil
        )
        #expect(try await auto(node).outcome == .memoryHit)
        for permit in [first, second] { node.pipeline.decodes.leave(permit) }
    }

    @Test func `explain tells of the substitute, and what comes after it`() async throws {
        let node = node(permits: 2)
        node.decoder.shrinks()
        let request = node.request(accepted: Self.both, output: .auto)
        let permit = try await occupy(node)
        let first = try await node.pipeline.answer(request)
        let told = await node.pipeline.explain(request)
        #expect(told.held?.isSubstitute == true && told.held?.key == first.rendition.key)
        #expect(told.outcome == .memoryHit, "\(told.why)")
        #expect(told.held?.told == first.original.freshness)
        #expect(told.held?.original.freshness.secondsLeft(at: node.clock.now()) == 86_400)
        #expect(node.pipeline.answerAtHand(request) == nil)
        node.pipeline.decodes.leave(permit)
        node.clock.advance(seconds: 1)
        try await hasMade(1, node)
        let then = await node.pipeline.explain(request)
        #expect(then.held?.isSubstitute == false && then.held?.rendition?.rendition.format == .avif)
        #expect(node.pipeline.answerAtHand(request)?.rendition.format == .avif)
        #expect(try await node.pipeline.answer(request).rendition.format == .avif)
    }

    @Test func `the answer at hand is looked for once, whether it is held or not`() async throws {
        let node = node(permits: 2)
        node.decoder.shrinks()
        let request = node.request(accepted: Self.both, output: .auto)
        func looks(_ format: ImageFormat?) -> Int {
            let before = node.cache.looks
            #expect(node.pipeline.answerAtHand(request)?.rendition.format == format)
            return node.cache.looks - before
        }
        let permit = try await occupy(node)
        #expect(try await auto(node).isSubstitute)
        #expect(looks(nil) == 1)
        node.pipeline.decodes.leave(permit)
        node.clock.advance(seconds: 1)
        try await hasMade(1, node)
        #expect(looks(.avif) == 1)
    }

    @Test func `another node takes both from the shared store, and makes none`() async throws {
        let store = SharedStoreDouble()
        let maker = node(store: store)
        #expect(try await auto(maker).isSubstitute)
        try await hasMade(1, maker)
        store.takeOffers()
        let avif = try await auto(maker).rendition.key
        let other = node(store: store)
        let first = try await auto(other)
        #expect(first.isSubstitute && first.outcome == .sharedHit)
        try await until { other.cache.holds(avif) }
        #expect(try await auto(other).rendition.key == avif)
        #expect(other.decoder.jobs.isEmpty && other.pipeline.counters.laterRenditions.read() == 0)
    }

    @Test func `of the picture in place of others AVIF is made as well`() async throws {
        let node = node()
        let body = TestBody(content: "none")
        let picture = HeldPicture(
            digest: body.digest, length: 4, header: ImageHeader(format: .jpeg, width: 4000, height: 3000),
            body: body, since: node.clock.now())
        node.pipeline.replace(node.pipeline.configuration, watermarks: [:], fallback: .held(picture))
        let request = node.request(accepted: Self.both, output: .auto)
        let first = try #require(await node.pipeline.fallback(for: request))
        #expect(first.rendition.format == .webp && first.isSubstitute)
        try await hasMade(1, node)
        let second = try #require(await node.pipeline.fallback(for: request))
        #expect(second.rendition.format == .avif && !second.isSubstitute)
    }

    @Test func `what was purged before its turn is not made, and the next request brings it anew`()
        async throws
    {
        let node = node(permits: 2)
        let permit = try await occupy(node)
        #expect(try await auto(node).isSubstitute)
        _ = try await node.pipeline.purge(PurgeOrder(.url(node.request().key)))
        node.pipeline.decodes.leave(permit)
        node.clock.advance(seconds: 1)
        try await until { node.pipeline.laterInFlight == 0 }
        #expect(formats(node) == [.format(.webp)])
        #expect(try await auto(node).isSubstitute)
        try await hasMade(1, node)
        #expect(try await auto(node).rendition.format == .avif)
    }
}
