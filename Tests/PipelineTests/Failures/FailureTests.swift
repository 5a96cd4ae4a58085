// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import ImageHeaders
@testable import Pipeline
import Recipes
import SourceURLs
import Testing

@Suite(.timeLimit(.minutes(1)))
struct FailureTests {
    @Test func `a failure is shared by those who waited, and forgotten after its time`() async throws {
        let fetching = Gate()
        let node = NodeUnderTest(fetching: fetching) { $0.negative.notFound = 5 }
        node.origin.says(.status(404))
        let clients = (0..<10).map { node.client(node.request(width: 100 + $0)) }
        try await until { node.pipeline.originals.waiting == 10 }
        fetching.open()
        for client in clients {
            let failure = try #require(await client.value.failure)
            #expect(failure.reason == .originStatus(404, retryAfter: nil))
            #expect(failure.rememberedFor == 5)
            #expect(failure.outcome == .refused)
        }
        #expect(node.origin.requests.count == 1)
        node.clock.advance(seconds: 5)
        node.origin.says(.picture(TestBody(content: "one"), [:]))
        #expect(try await node.answer().outcome == .rendered)
    }

    @Test(arguments: [
        ("max-age=60", 60), ("max-age=5", 5), ("no-store", 0), ("private", 0), ("no-cache", 0),
        ("s-maxage=60, max-age=5", 5), ("s-maxage=60, max-age=0", 0), ("s-maxage=5, max-age=60", 5),
    ])
    func `clients keep the failure of a picture for no longer than the picture`(
        cacheControl: String, seconds: Int
    ) async {
        let node = NodeUnderTest { $0.negative.notAnImage = 60 }
        node.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": cacheControl]))
        node.decoder.fails(.damaged)
        for _ in 1...2 {
            let failure = await node.failure()
            #expect(failure?.reason == .decode(.damaged) && failure?.rememberedFor == seconds)
        }
        // The failure is remembered for the bytes, so no second job runs.
        #expect(node.decoder.jobs.count == 1)
    }

    private static let policy = NegativePolicy()

    @Test(arguments: [
        (OriginFailure.nameNotResolved, policy.nameNotResolved), (.cannotConnect, policy.unreachable),
        (.tls, policy.unreachable), (.timedOut, policy.unreachable), (.tooLarge(limit: 9), policy.notAnImage),
    ])
    func `where no answer came, that is remembered for its own time`(failure: OriginFailure, seconds: Int)
        async
    {
        let node = NodeUnderTest()
        node.origin.says(.failure(failure))
        #expect(await node.failure() == PipelineFailure(.origin(failure), rememberedFor: seconds))
        node.clock.advance(seconds: Double(seconds) - 1)
        let again = await node.failure(width: 200)
        #expect(again == PipelineFailure(.origin(failure), rememberedFor: 1, isFromMemory: true))
        #expect(again?.outcome == .negative)
        #expect(node.origin.requests.count == 1)
        #expect(node.pipeline.counters.negativeHits.read() == 1)
        node.clock.advance(seconds: 1)
        #expect(await node.failure()?.isFromMemory == false)
        #expect(node.origin.requests.count == 2)
    }

    @Test(
        arguments: [
            (404, [:], policy.notFound), (410, [:], policy.notFound), (405, [:], policy.clientError),
            (501, [:], policy.serverError), (204, [:], policy.serverError),
            (500, ["Cache-Control": "max-age=20"], 20),
            (403, ["Cache-Control": "public"], policy.clientError),
            (404, ["Cache-Control": "max-age=9999"], policy.maximum),
            (503, ["Retry-After": "120"], 120), (503, ["Retry-After": "100000"], policy.maximum),
            (429, ["Retry-After": "1"], 1),
        ] as [(Int, [String: String], Int)])
    func `an error that may be kept is kept for as long as its fields or its class say`(
        status: Int, fields: [String: String], seconds: Int
    ) async {
        let node = NodeUnderTest()
        node.origin.says(.status(status, fields))
        #expect(await node.failure()?.rememberedFor == seconds)
        node.clock.advance(seconds: Double(seconds) - 1)
        #expect(await node.failure(width: 200)?.rememberedFor == 1)
        #expect(node.origin.requests.count == 1)
        node.clock.advance(seconds: 1)
        #expect(await node.failure()?.isFromMemory == false)
        #expect(node.origin.requests.count == 2)
    }

    @Test(
        arguments: [
            ["Cache-Control": "no-store"], ["Cache-Control": "no-cache"], ["Cache-Control": "private"],
            ["Cache-Control": "max-age=0"], ["Expires": "0"], ["Vary": "*"],
        ] as [[String: String]])
    func `an error that its origin wants forgotten is asked for again each time`(fields: [String: String])
        async
    {
        let node = NodeUnderTest()
        for status in [404, 500] {
            node.origin.says(.status(status, fields))
            for _ in 0..<3 { #expect(await node.failure()?.rememberedFor == 0) }
        }
        #expect(node.origin.requests.count == 6)
    }

    //   seconds   0       1       2 … 5       6        7 … 10
    //   client    500     500     500         500      500
    //   origin    asked   asked   left alone  asked    left alone
    @Test func `an error that may not be kept is asked for again once, and then left alone for its time`()
        async
    {
        let node = NodeUnderTest { $0.negative.serverError = 5 }
        node.origin.says(.status(500))
        #expect(await node.failure()?.rememberedFor == 0)
        node.clock.advance(seconds: 1)
        #expect(await node.failure()?.rememberedFor == 5)
        for _ in 2...5 {
            node.clock.advance(seconds: 1)
            #expect(await node.failure()?.isFromMemory == true)
        }
        #expect(node.origin.requests.count == 2)
        node.clock.advance(seconds: 1)
        #expect(await node.failure()?.rememberedFor == 5)
        #expect(node.origin.requests.count == 3)
        #expect(await node.failure()?.isFromMemory == true)
    }

    @Test func `a success in between clears the suspicion`() async throws {
        let node = NodeUnderTest()
        let picture = OriginDouble.Line.picture(TestBody(content: "one"), ["Cache-Control": "no-store"])
        node.origin.says([.status(500), picture, .status(500), .status(500), picture])
        #expect(await node.failure() != nil)
        try await node.answer()
        #expect(await node.failure()?.rememberedFor == 0)
        #expect(await node.failure()?.rememberedFor == 5)
    }

    @Test func `a suspicion fades`() async {
        let node = NodeUnderTest { $0.negative.clientError = 10 }
        node.origin.says(.status(403))
        #expect(await node.failure()?.rememberedFor == 0)
        node.clock.advance(seconds: 10)
        #expect(await node.failure()?.rememberedFor == 0)
        node.clock.advance(seconds: 9)
        #expect(await node.failure()?.rememberedFor == 10)
    }

    @Test func `what is left of the origin's pause is told, and not all of it again`() async {
        let node = NodeUnderTest()
        node.origin.says(.status(503, ["Retry-After": "120"]))
        #expect(await node.failure()?.reason == .originStatus(503, retryAfter: 120))
        node.clock.advance(seconds: 50)
        #expect(await node.failure()?.reason == .originStatus(503, retryAfter: 70))
    }

    @Test(arguments: [OriginFailure.sourceRefused, .overloaded(retryAfter: 3), .unavailable, .cancelled])
    func `our own troubles are not held against the origin`(failure: OriginFailure) async {
        let node = NodeUnderTest()
        node.origin.says(.failure(failure))
        #expect(await node.failure()?.rememberedFor == 0)
        #expect(await node.failure()?.isFromMemory == false)
        #expect(node.origin.requests.count == 2)
    }

    @Test func `one URL's failure says nothing of another's`() async throws {
        let node = NodeUnderTest()
        node.origin.says(.status(404))
        _ = await node.failure("/a.jpg")
        node.origin.says(.picture(TestBody(content: "one"), [:]))
        #expect(try await node.answer("/b.jpg").outcome == .rendered)
    }

    @Test func `what is no image is refused by its header, remembered, and not kept`() async {
        let node = NodeUnderTest()
        node.origin.says(.picture(TestBody(content: "words", header: nil), ["Cache-Control": "max-age=60"]))
        #expect(await node.failure()?.reason == .decode(.notAnImage))
        #expect(await node.failure()?.outcome == .negative)
        #expect(node.origin.requests.count == 1)
        #expect(node.decoder.jobs.isEmpty)
        #expect(node.cache.originalCount == 0)
    }

    //   seconds   0           60          61 … 119    120
    //   origin    200 "1"     304         –           200 "2", a picture
    //   client    no picture  no picture  no picture  the picture
    @Test func `once it was no picture, it is asked whether it has changed`() async throws {
        let node = NodeUnderTest { $0.negative.notAnImage = 60 }
        node.origin.says([
            .picture(TestBody(content: "words", header: nil), ["ETag": "\"1\""]),
            .notModified(["ETag": "\"1\""]),
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60"]),
        ])
        #expect(await node.failure()?.rememberedFor == 60)
        node.clock.advance(seconds: 60)
        #expect(await node.failure() == PipelineFailure(.decode(.notAnImage), rememberedFor: 60))
        #expect(node.origin.requests.last?.validators.entityTag == "\"1\"")
        node.clock.advance(seconds: 59)
        #expect(await node.failure()?.isFromMemory == true)
        node.clock.advance(seconds: 1)
        #expect(try await node.answer().outcome == .rendered)
        #expect(node.origin.requests.last?.validators.entityTag == "\"1\"")
        #expect(node.origin.requests.count == 3)
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=20", "ETag": "\"1\""], 20, true),
            (["Cache-Control": "max-age=9999", "ETag": "\"1\""], policy.notAnImage, true),
            (["Cache-Control": "no-cache", "ETag": "\"1\""], 0, true),
            (["Cache-Control": "no-store", "ETag": "\"1\""], 0, false), ([:], policy.notAnImage, false),
        ] as [([String: String], Int, Bool)])
    func `how long it is no picture is for its origin to say`(
        fields: [String: String], seconds: Int, isConditional: Bool
    ) async {
        let node = NodeUnderTest()
        node.origin.says(.picture(TestBody(content: "words", header: nil), fields))
        #expect(await node.failure()?.rememberedFor == seconds)
        node.clock.advance(seconds: Double(seconds))
        _ = await node.failure()
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, !isConditional])
    }

    @Test func `an origin that confirms what is no picture is asked for it anew after five minutes`()
        async throws
    {
        let node = NodeUnderTest { $0.negative.notAnImage = 60 }
        let tag = ["ETag": "\"1\""]
        node.origin.says(
            [.picture(TestBody(content: "words", header: nil), tag)]
                + Array(repeating: .notModified(tag), count: 4)
                + [.picture(TestBody(content: "one"), tag)])
        for _ in 0..<5 {
            #expect(await node.failure()?.reason == .decode(.notAnImage))
            node.clock.advance(seconds: 60)
        }
        #expect(try await node.answer().outcome == .rendered)
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false, false, false, false, true])
    }

    @Test func `a 304 with no-store takes the memory of what was no picture with it`() async {
        let node = NodeUnderTest()
        node.origin.says([
            .picture(TestBody(content: "words", header: nil), ["ETag": "\"1\""]),
            .notModified(["Cache-Control": "no-store"]),
            .picture(TestBody(content: "words", header: nil), [:]),
        ])
        _ = await node.failure()
        node.clock.advance(seconds: 60)
        #expect(await node.failure()?.reason == .decode(.notAnImage))
        _ = await node.failure()
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false, true])
    }

    @Test func `bytes that broke a decoder are kept from it in every size, until they change`() async throws {
        let node = NodeUnderTest()
        node.decoder.fails(.damaged)
        #expect(await node.failure(width: 100)?.reason == .decode(.damaged))
        let other = await node.failure(width: 200)
        #expect(other?.reason == .decode(.damaged))
        #expect(other?.outcome == .negative)
        #expect(node.decoder.jobs.count == 1)
        node.decoder.fails(nil)
        node.clock.advance(seconds: 60)
        node.origin.says(.picture(TestBody(content: "repaired"), [:]))
        #expect(try await node.answer().outcome == .rendered)
    }

    @Test(arguments: [DecodeFailure.outOfMemory, .encoderFailed])
    func `a rendition for which memory ran out, or the encoder failed, says nothing of the others`(
        failure: DecodeFailure
    ) async throws {
        let node = NodeUnderTest()
        node.decoder.fails(failure)
        #expect(await node.failure(width: 100)?.reason == .decode(failure))
        let again = await node.failure(width: 100)
        #expect(again?.reason == .decode(failure) && again?.outcome == .negative)
        #expect(node.decoder.jobs.count == 1)
        node.decoder.fails(nil)
        #expect(try await node.answer(width: 200).outcome == .rendered)
    }

    @Test func `a page that broke a decoder is kept from it, and says nothing of the others`() async throws {
        let node = NodeUnderTest()
        let pages = ImageHeader(format: .tiff, width: 400, height: 300, pages: 3)
        node.origin.says(
            .picture(TestBody(content: "pages", header: pages), ["Cache-Control": "max-age=60"]))
        func request(_ page: Int, width: Int) -> PipelineRequest {
            var request = node.request(width: width)
            request.recipe.page = page
            return request
        }
        node.decoder.fails(.damaged)
        #expect(await node.client(request(1, width: 100)).value.failure?.reason == .decode(.damaged))
        let other = await node.client(request(1, width: 200)).value.failure
        #expect(other?.reason == .decode(.damaged) && other?.isFromMemory == true)
        #expect(node.decoder.jobs.count == 1)
        node.decoder.fails(nil)
        for page in [0, 2, -1] {
            #expect(try await node.pipeline.answer(request(page, width: 100)).outcome != .negative)
        }
    }

    @Test func `a rendering that took too long says nothing of other sizes`() async throws {
        let node = NodeUnderTest()
        node.decoder.fails(.timedOut)
        #expect(await node.failure(width: 5000)?.reason == .decode(.timedOut))
        #expect(await node.failure(width: 5000)?.outcome == .negative)
        node.decoder.fails(nil)
        #expect(try await node.answer(width: 100).outcome == .rendered)
    }

    @Test func `a decoder that could not be started is tried again`() async throws {
        let node = NodeUnderTest()
        node.decoder.fails(.unavailable)
        #expect(await node.failure()?.reason == .unavailable(.decoder))
        node.decoder.fails(nil)
        #expect(try await node.answer().outcome == .rendered)
    }
}
