// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

/// The inspector is asked once for each fetched picture, and never for a cached rendition.
@Suite(.timeLimit(.minutes(1)))
struct InspectionStageTests {
    private let node = NodeUnderTest()

    private var questions: [ScriptedDecoder.Question] { node.decoder.questions }

    @Test func `a new picture that is to be described is asked about once`() async throws {
        _ = try await node.pipeline.describe(node.request(output: .json))
        #expect(questions == [.description])
    }

    @Test func `a held picture that is to be described is asked for what its index row lacks`() async throws {
        _ = try await node.answer()
        #expect(questions == [.header])
        _ = try await node.pipeline.describe(node.request(output: .json))
        #expect(questions == [.header, .details])
    }

    @Test func `a picture that came in to be described is decoded without another question`() async throws {
        _ = try await node.pipeline.describe(node.request(output: .json))
        _ = try await node.answer()
        _ = try await node.answer(width: 50)
        #expect(node.decoder.jobs.count == 2)
        #expect(questions == [.description])
    }

    @Test func `what the limits of now do not allow is described no more, and is no watermark`() async throws
    {
        _ = try await node.answer()
        _ = try await node.answer("/b.jpg")
        var configuration = node.pipeline.configuration
        configuration.pictures.pixels = 1_000
        node.pipeline.replace(configuration, watermarks: [:])
        await #expect(throws: PipelineFailure(.decode(.tooManyPixels(limit: 1_000)))) {
            _ = try await node.pipeline.describe(node.request(output: .json))
        }
        node.origin.says(
            .picture(
                TestBody(content: "small", header: ImageHeader(format: .jpeg, width: 9, height: 9)), [:]))
        var request = node.request("/small.jpg", width: 5)
        request.recipe.watermark = Watermark(source: "http://origin.test/b.jpg")
        let failure = await node.client(request).value.failure
        #expect(failure?.reason == .decode(.tooManyPixels(limit: 1_000)))
    }

    @Test func `a page that is not there is described no more than made`() async throws {
        let gif = ImageHeader(format: .gif, width: 40, height: 30, pages: 3)
        node.origin.says(.picture(TestBody(content: "gif", header: gif), ["Cache-Control": "max-age=60"]))
        for (page, isThere) in [(0, true), (2, true), (-1, true), (3, false), (99, false)] {
            var request = node.request(output: .json)
            request.recipe.page = page
            do throws(PipelineFailure) {
                _ = try await node.pipeline.describe(request)
                #expect(isThere, "\(page)")
            } catch {
                #expect(!isThere && error.reason == .decode(.noSuchPage(pages: 3)), "\(page)")
            }
        }
    }

    @Test func `the size of a TIFF's later page is asked for, and no other page's`() async throws {
        let tiff = ImageHeader(format: .tiff, width: 40, height: 30, pages: 3)
        node.origin.says(.picture(TestBody(content: "tiff", header: tiff), ["Cache-Control": "max-age=60"]))
        for (page, width) in [(0, 40), (2, 42)] {
            var request = node.request(output: .json)
            request.recipe.page = page
            let description = try await node.pipeline.describe(request)
            #expect(description.answer.rendition.width == width)
            #expect(description.shown.width == width)
            #expect(description.answer.original.header == tiff)
        }
        #expect(questions == [.description, .page, .details])
    }

    @Test func `a TIFF's page that cannot be made cannot be described`() async throws {
        let tiff = ImageHeader(format: .tiff, width: 40, height: 30, pages: 4)
        node.origin.says(.picture(TestBody(content: "tiff", header: tiff), ["Cache-Control": "max-age=60"]))
        for (page, failure) in [(1, DecodeFailure.damaged), (2, .codingNotRead(.tiff))] {
            node.decoder.fails(failure, onPage: page)
            var request = node.request(output: .json)
            request.recipe.page = page
            let asked = request
            await #expect(throws: PipelineFailure(.decode(failure)), "\(page)") {
                _ = try await node.pipeline.describe(asked)
            }
        }
        var request = node.request(output: .json)
        request.recipe.page = 3
        #expect(try await node.pipeline.describe(request).shown.width == 43)
    }

    @Test func `the size that is told is that of the picture that the terms make`() async throws {
        let header = ImageHeader(format: .jpeg, width: 400, height: 300)
        node.origin.says(.picture(TestBody(content: "jpeg", header: header), ["Cache-Control": "max-age=60"]))
        func told(_ request: PipelineRequest) async throws -> PixelSize {
            let answer = try await node.pipeline.describe(request).answer
            return PixelSize(width: answer.rendition.width, height: answer.rendition.height)
        }
        var request = node.request(width: 800, output: .json)
        (request.recipe.height, request.recipe.fit) = (.pixels(700), .cover)
        #expect(try await told(request) == PixelSize(width: 400, height: 300))
        request.terms.canvas = BoxCanvas(hasRatioOnly: false)
        #expect(try await told(request) == PixelSize(width: 800, height: 700))
        var cut = node.request(width: 40, output: .json)
        var crop = Crop()
        (crop.beforeResize, crop.x, crop.width) = (true, .pixels(500), .pixels(100))
        cut.recipe.crop = crop
        #expect(try await told(cut) == PixelSize(width: 40, height: 120))
        cut.terms.cropsWithin = true
        #expect(try await told(cut) == PixelSize(width: 40, height: 30))
    }

    @Test func `content that is no picture is no picture to a description either`() async {
        node.origin.says(.picture(TestBody(content: "text", header: nil), [:]))
        await #expect(throws: PipelineFailure.self) {
            _ = try await node.pipeline.describe(node.request(output: .json))
        }
        #expect(questions == [.description])
    }
}
