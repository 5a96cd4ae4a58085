// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite(.timeLimit(.minutes(1)))
struct LimitTests {
    private func node(_ header: ImageHeader, _ configure: (inout PictureLimits) -> Void = { _ in })
        -> NodeUnderTest
    {
        let node = NodeUnderTest { configure(&$0.pictures) }
        node.origin.says(.picture(TestBody(content: "one", header: header), ["Cache-Control": "max-age=60"]))
        return node
    }

    @Test func `a bomb is refused before a decoder sees it, and is not kept`() async {
        let node = node(ImageHeader(format: .png, width: 65_536, height: 65_536))
        #expect(await node.failure()?.reason == .decode(.tooManyPixels(limit: 100_000_000)))
        #expect(await node.failure(width: 200)?.outcome == .negative)
        #expect(node.decoder.jobs.isEmpty)
        #expect(node.cache.originalCount == 0)
        #expect(node.origin.requests.count == 1)
    }

    @Test func `sides whose product fits no integer are too many pixels`() async {
        let node = node(ImageHeader(format: .png, width: .max, height: .max))
        #expect(await node.failure()?.reason == .decode(.tooManyPixels(limit: 100_000_000)))
    }

    @Test func `formats outside the list, and codings that nobody reads, are refused`() async {
        let vector = node(ImageHeader(format: .svg, width: 10, height: 10))
        #expect(await vector.failure()?.reason == .decode(.formatNotAllowed(.svg)))
        let lossless = node(ImageHeader(format: .jpeg, width: 10, height: 10, isDecodable: false))
        #expect(await lossless.failure()?.reason == .decode(.codingNotRead(.jpeg)))
    }

    @Test func `frames count only where they are wanted`() async throws {
        let node = node(ImageHeader(format: .gif, width: 100, height: 100, pages: 300))
        #expect(try await node.answer(width: 50).outcome == .rendered)
        let all = await node.client(node.request(width: 50, pages: -1)).value.failure
        #expect(all?.reason == .decode(.tooManyFrames(limit: 256)))
        #expect(try await node.answer(width: 60).outcome == .rendered)
    }

    @Test func `all wanted frames together are within the pixels`() async throws {
        let node = node(ImageHeader(format: .gif, width: 100, height: 100, pages: 10)) {
            $0.pixels = 50_000
        }
        #expect(try await node.client(node.request(width: 50, pages: 5)).value.get().outcome == .rendered)
        let all = await node.client(node.request(width: 50, pages: 6)).value.failure
        #expect(all?.reason == .decode(.tooManyPixels(limit: 50_000)))
    }

    @Test func `a URL's own limit is that of the page it takes`() async throws {
        var header = ImageHeader(format: .tiff, width: 100, height: 100, pages: 2)
        header.traits = ImageHeader.Traits(rawValue: 0x9000)
        let node = node(header) { $0.pixels = .max }
        #expect(header.largestPage > 1_000_000)
        for (page, isRefused) in [(0, false), (1, true)] {
            var request = node.request(width: 50)
            request.recipe.page = page
            request.terms.limits.pixels = 1_000_000
            let failure = await node.client(request).value.failure
            #expect((failure?.reason == .decode(.beyondOwnLimit("1000000 pixels"))) == isRefused, "\(page)")
        }
    }

    @Test func `a page that is as large as the first is within the limits that the first is within`()
        async throws
    {
        let header = ImageHeader(format: .tiff, width: 640, height: 480, pages: 2)
        let node = node(header) { ($0.pixels, $0.outputPixels) = (307_200, 307_200) }
        for page in [0, 1] {
            var request = node.request()
            (request.recipe.page, request.recipe.width) = (page, nil)
            request.terms.limits.pixels = 307_200
            #expect(try await node.client(request).value.get().outcome == .rendered, "\(page)")
        }
        #expect(node.decoder.jobs.map { ($0.pixels ?? .max) >= 307_200 } == [true, true])
    }

    @Test func `what would come out too large is not begun`() async {
        let node = node(ImageHeader(format: .jpeg, width: 4000, height: 3000))
        var request = node.request(width: 16_384)
        request.recipe.height = .pixels(16_384)
        request.recipe.fit = .fill
        request.recipe.withoutEnlargement = false
        #expect(
            await node.client(request).value.failure?.reason
                == .decode(.outputTooLarge(.pixels(100_000_000))))
        request.recipe.output = .format(.webp)
        #expect(await node.client(request).value.failure?.reason == .decode(.outputTooLarge(.side(16_383))))
        (request.recipe.width, request.recipe.height) = (.pixels(100), nil)
        request.recipe.padding = Padding(Clockwise(9_000))
        #expect(await node.client(request).value.failure?.reason == .decode(.outputTooLarge(.side(16_383))))
        request.recipe.output = .format(.png)
        #expect(
            await node.client(request).value.failure?.reason
                == .decode(.outputTooLarge(.pixels(100_000_000))))
        #expect(node.decoder.jobs.isEmpty)
    }

    @Test func `output=auto keeps the original's format where another would only enlarge the file`()
        async throws
    {
        // Every rendition of the scripted decoder is longer than its original's three bytes.
        let node = NodeUnderTest()
        var request = node.request(accepted: .webp, output: .auto)
        request.recipe.width = nil
        #expect(try await node.pipeline.answer(request).rendition.format == .jpeg)
        #expect(node.decoder.jobs.map { $0.recipe.output } == [.format(.webp), .format(.jpeg)])
    }

    @Test(arguments: [DecodeFailure.overloaded(retryAfter: 1), .timedOut, .damaged])
    func `the larger file is answered where the original's format cannot be made`(failure: DecodeFailure)
        async throws
    {
        let node = NodeUnderTest()
        node.decoder.fails(failure, writing: .jpeg)
        var request = node.request(accepted: .webp, output: .auto)
        request.recipe.width = nil
        // At first, and while the failure is remembered.
        for outcome in [Outcome.rendered, .memoryHit] {
            let answer = try await node.pipeline.answer(request)
            #expect(answer.rendition.format == .webp && answer.outcome == outcome)
        }
    }

    @Test func `an AVIF that is too large for our encoder is not tried in its own format`() async throws {
        let node = node(ImageHeader(format: .avif, width: 4_000, height: 3_000)) {
            $0.avifPixels = 1_000_000
        }
        var request = node.request(accepted: AcceptClass.avif.union(.webp), output: .auto)
        request.recipe.width = nil
        #expect(try await node.pipeline.answer(request).rendition.format == .webp)
        #expect(node.decoder.jobs.map { $0.recipe.output } == [.format(.webp)])
    }

    @Test(arguments: [
        (AcceptClass.avif.union(.webp), ImageFormat.avif), (.webp, .webp),
        (AcceptClass(), .jpeg),
    ])
    func `output=auto takes the best that is accepted, and says that it did`(
        accepted: AcceptClass, format: ImageFormat
    ) async throws {
        let node = NodeUnderTest()
        let answer = try await node.pipeline.answer(node.request(accepted: accepted, output: .auto))
        #expect(answer.rendition.format == format)
        #expect(answer.variesByAccept)
        #expect(try await !node.pipeline.answer(node.request(accepted: accepted)).variesByAccept)
    }
}
