// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import ImageHeaders
@testable import Pipeline
import Recipes
import Testing

@Suite("The engine's settings change while pictures are made", .timeLimit(.minutes(1)))
struct LiveEngineTests {
    private func configuration(
        of node: NodeUnderTest, _ change: (inout PipelineConfiguration) -> Void
    ) -> PipelineConfiguration {
        var configuration = node.pipeline.configuration
        change(&configuration)
        return configuration
    }

    private var coarse: EngineVersion {
        var encoders = EncoderDefaults()
        encoders.jpegQuality = 10
        return EngineVersion(library: "test 1", encoders: encoders)
    }

    //   early                    the settings     late
    //   plans: quality 80
    //   waits for a decoder      quality 10
    //                                             plans: quality 10
    //                                             waits for a decoder
    //   ◀── 80, by 80's key ──                    ◀── 10, by 10's key ──
    @Test func `a rendition is made by the settings of its key, whatever they are by then`() async throws {
        let gate = Gate(open: false)
        let node = NodeUnderTest(rendering: gate) { $0.decodes = AdmissionLimits(permits: 1) }
        let held = node.client(node.request(width: 200))
        try await until { gate.held == 1 }
        let early = node.client(node.request())
        try await until { node.pipeline.decodes.waiting == 1 }
        node.pipeline.replace(configuration(of: node) { $0.engine = coarse }, watermarks: [:])
        let late = node.client(node.request())
        try await until { node.pipeline.decodes.waiting == 2 }
        gate.open()
        _ = await held.value
        let (before, after) = (try await early.value.get(), try await late.value.get())
        #expect(before.rendition.key != after.rendition.key)
        let jobs = node.decoder.jobs
        for (answer, quality) in [(before, 80), (after, 10)] {
            let job = try #require(jobs.first { $0.key == answer.rendition.key })
            #expect(job.engine.encoders.jpegQuality == quality)
        }
        #expect(jobs.count == 3)
    }

    @Test func `the former settings find their former renditions`() async throws {
        let node = NodeUnderTest()
        let first = try await node.answer()
        let old = node.pipeline.configuration
        node.pipeline.replace(configuration(of: node) { $0.engine = coarse }, watermarks: [:])
        #expect(try await node.answer().outcome == .rendered)
        node.pipeline.replace(old, watermarks: [:])
        let last = try await node.answer()
        #expect(last.outcome == .memoryHit && last.rendition.key == first.rendition.key)
        #expect(node.decoder.jobs.count == 2)
    }

    @Test func `upgraded libraries make renditions anew, under other keys, and those of before come back`()
        async throws
    {
        let node = NodeUnderTest()
        let first = try await node.answer()
        node.pipeline.adopt(library: "test 2")
        let second = try await node.answer()
        #expect(second.outcome == .rendered && second.rendition.key != first.rendition.key)
        node.pipeline.adopt(library: "test 1")
        let third = try await node.answer()
        #expect(third.outcome == .memoryHit && third.rendition.key == first.rendition.key)
        #expect(node.decoder.jobs.map(\.engine.library) == ["test 1", "test 2"])
        #expect(node.origin.requests.count == 1)
    }

    private let libraries = ["libvips 1, av1-out aom 1", "libvips 1, av1-out aom 2"]

    @Test func `an upgraded library that takes no part leaves renditions and their tags as they are`()
        async throws
    {
        let node = NodeUnderTest { $0.engine = EngineVersion(library: libraries[0]) }
        func answer(_ format: ImageFormat) async throws -> Answer<TestBody> {
            try await node.pipeline.answer(node.request(output: .format(format)))
        }
        let before = (try await answer(.jpeg), try await answer(.avif))
        node.pipeline.adopt(library: libraries[1])
        let after = (try await answer(.jpeg), try await answer(.avif))
        #expect(after.0.outcome == .memoryHit && after.0.rendition.key == before.0.rendition.key)
        #expect(after.1.outcome == .rendered && after.1.rendition.key != before.1.rendition.key)
    }

    @Test func `what is under way while such a library is upgraded is planned again, by its key`()
        async throws
    {
        let gate = Gate(open: false)
        let node = NodeUnderTest(rendering: gate) { $0.engine = EngineVersion(library: libraries[0]) }
        let early = node.client(node.request(output: .format(.jpeg)))
        try await until { gate.held == 1 }
        node.pipeline.adopt(library: libraries[1])
        node.decoder.becomes(libraries[1])
        // The late request joins the early one, or finds its rendition, because both have one key.
        let late = node.client(node.request(output: .format(.jpeg)))
        gate.open()
        let (first, second) = (try await early.value.get(), try await late.value.get())
        #expect(first.rendition.key == second.rendition.key)
        #expect(node.decoder.jobs.map(\.engine.library) == libraries)
    }

    @Test func `settings that were read before the upgrade do not bring the former libraries back`()
        async throws
    {
        let node = NodeUnderTest()
        let settings = configuration(of: node) { $0.engine = coarse }
        node.pipeline.adopt(library: "test 2")
        node.pipeline.replace(settings, watermarks: [:])
        try await node.answer()
        let job = try #require(node.decoder.jobs.first)
        #expect(job.engine == EngineVersion(library: "test 2", encoders: coarse.encoders))
    }

    //   early                    the decoders
    //   plans: test 1
    //   waits for a decoder      are test 2
    //   none makes it
    //   plans: test 2
    //   ◀── by test 2, by its key ──
    @Test func `what is planned when the libraries are upgraded is planned again`() async throws {
        let gate = Gate(open: false)
        let node = NodeUnderTest(rendering: gate)
        let early = node.client(node.request())
        try await until { gate.held == 1 }
        node.pipeline.adopt(library: "test 2")
        node.decoder.becomes("test 2")
        gate.open()
        let answer = try await early.value.get()
        #expect(node.decoder.jobs.map(\.engine.library) == ["test 1", "test 2"])
        #expect(answer.rendition.key == node.decoder.jobs.last?.key)
        #expect(node.origin.requests.count == 1)
    }

    @Test func `what the former libraries could not read is tried by the new ones, once they are new`()
        async throws
    {
        let node = NodeUnderTest()
        node.decoder.fails(.damaged)
        #expect(await node.failure()?.isFromMemory == false)
        node.decoder.fails(nil)
        node.pipeline.adopt(library: "test 1")
        #expect(await node.failure()?.isFromMemory == true)
        node.pipeline.adopt(library: "test 2")
        #expect(try await node.answer().outcome == .rendered)
    }

    @Test func `failures are forgotten, and the new time counts`() async throws {
        let node = NodeUnderTest { $0.renderTimeout = .seconds(1) }
        node.decoder.fails(.timedOut)
        #expect(await node.failure() != nil)
        #expect(await node.failure()?.isFromMemory == true)
        node.decoder.fails(nil)
        node.pipeline.replace(
            configuration(of: node) { $0.renderTimeout = .seconds(9) }, watermarks: [:])
        #expect(try await node.answer().outcome == .rendered)
        #expect(node.decoder.jobs.map(\.timeout) == [.seconds(1), .seconds(9)])
    }

    @Test func `what fails of a fetch under way is not remembered under the new ones`() async throws {
        let gate = Gate()
        let node = NodeUnderTest(fetching: gate)
        node.origin.says(.status(404))
        let early = node.client(node.request())
        try await until { gate.held == 1 }
        node.pipeline.replace(node.pipeline.configuration, watermarks: [:])
        gate.open()
        let failure = try #require(await early.value.failure)
        #expect(failure.reason == .originStatus(404, retryAfter: nil) && failure.rememberedFor == 0)
        // The failure of a fetch that began after the change is remembered.
        #expect(await node.failure()?.isFromMemory == false)
        #expect(await node.failure()?.isFromMemory == true)
        #expect(node.origin.requests.count == 2)
    }

    //   early                    the settings     late
    //   asks the origin
    //                            ask otherwise
    //                                             asks the origin
    //   ◀── what it got ──                        ◀── what it got ──
    @Test func `a fetch by other rules for origins is joined by nobody, and ends for those that wait`()
        async throws
    {
        let gate = Gate()
        let node = NodeUnderTest(fetching: gate)
        let early = node.client(node.request())
        try await until { gate.held == 1 }
        node.pipeline.replace(node.pipeline.configuration, watermarks: [:])
        let friend = node.client(node.request())
        try await until { node.pipeline.waitingRequests == 2 }
        let other = configuration(of: node) {
            $0.sentFields = Fields([Fields.Field(RedirectRules.field, "other")])
        }
        node.pipeline.replace(other, watermarks: [:])
        let late = node.client(node.request())
        try await until { gate.held == 2 }
        gate.open()
        for client in [early, friend, late] { #expect(await client.value.failure == nil) }
        #expect(node.origin.requests.count == 2)
    }

    @Test func `a picture that had too little time is tried again with more`() async throws {
        let gate = Gate()
        let node = NodeUnderTest(rendering: gate) { $0.renderTimeout = .seconds(1) }
        node.decoder.fails(.timedOut)
        let early = node.client(node.request())
        try await until { gate.held == 1 }
        node.pipeline.replace(
            configuration(of: node) { $0.renderTimeout = .seconds(9) }, watermarks: [:])
        gate.open()
        #expect(await early.value.failure?.rememberedFor == 0)
        node.decoder.fails(nil)
        #expect(try await node.answer().outcome == .rendered)
        #expect(node.decoder.jobs.map(\.timeout) == [.seconds(1), .seconds(9)])
    }
}
