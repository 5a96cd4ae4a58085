// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite("A rendition's plan")
struct RenditionPlanTests {
    private let node = NodeUnderTest { $0.pictures.formats.insert(.svg) }
    private static let photograph = ImageHeader(format: .jpeg, width: 4000, height: 3000)

    private func original(_ content: String = "one", _ header: ImageHeader = Self.photograph) -> Original {
        let freshness = Freshness(
            responseTime: node.clock.now(), initialAge: 0, lifetime: 60, staleWhileRevalidate: 0,
            staleIfError: 0, flags: [])
        return Original(
            key: node.request("/\(content)").key, digest: TestBody(content: content).digest, length: 1000,
            header: header, lastModified: nil, freshness: freshness)
    }

    private func plan(
        _ request: PipelineRequest, _ original: Original
    ) -> Result<PlannedRendition, DecodeFailure> {
        do throws(DecodeFailure) {
            return .success(try node.pipeline.planInFull(request, from: original, nil))
        } catch {
            return .failure(error)
        }
    }

    @Test func `is made once for all originals of one header, and each has its own key`() throws {
        let first = try plan(node.request(), original()).get()
        let second = try plan(node.request(), original("two")).get()
        #expect(first.plan === second.plan)
        #expect(first.key != second.key)
        for (planned, original) in [(first, original()), (second, original("two"))] {
            #expect(planned.original == original)
            #expect(
                planned.key
                    == node.pipeline.renditionKey(original, planned.recipe, planned.engine))
        }
    }

    @Test func `is the same whatever limits a URL has of its own, and found by all else that it depends on`()
        throws
    {
        var (request, limited) = (node.request(), node.request())
        limited.terms.limits.bytes = 10_000_000
        #expect(try plan(request, original()).get().plan === plan(limited, original()).get().plan)
        request.terms.pixelRatio = 2
        let inputs = [request, limited].map {
            RenditionPlan.Inputs($0, for: Self.photograph, ResolvedWatermark<TestBody>?.none)
        }
        #expect(inputs[0] != inputs[1] && inputs[0].hashValue != inputs[1].hashValue)
    }

    @Test func `of a drawing is as large as the box where its request lets drawings grow`() throws {
        let drawing = original("drawing", ImageHeader(format: .svg, width: 40, height: 30))
        var request = node.request(width: 400)
        #expect(try plan(request, drawing).get().recipe.resultSize(for: drawing.header).width == 40)
        request.terms.enlargesDrawings = true
        #expect(try plan(request, drawing).get().recipe.resultSize(for: drawing.header).width == 400)
        let small = original("small", ImageHeader(format: .png, width: 40, height: 30))
        #expect(try plan(request, small).get().recipe.resultSize(for: small.header).width == 40)
    }

    @Test func `is the one that a node makes that has planned nothing before`() throws {
        var requests = [node.request(), node.request(width: 5000, pages: -1)]
        for accepted: AcceptClass in [[], .webp, [.webp, .avif], [.webp, .avif, .webpFirst]] {
            requests.append(node.request(accepted: accepted, output: .auto))
        }
        var (saving, vouchedFor, turned) = (requests[3], requests[0], requests[0])
        saving.terms.qualityPercent = 50
        vouchedFor.isVouchedFor = true
        turned.recipe.rotation = 90
        requests += [saving, vouchedFor, turned]
        let headers = [
            Self.photograph, ImageHeader(format: .jpeg, width: 40, height: 30),
            ImageHeader(format: .png, width: 4000, height: 3000, hasAlpha: true),
            ImageHeader(format: .gif, width: 400, height: 300, pages: 9),
        ]
        for round in 1...2 {
            for request in requests {
                for header in headers {
                    let fresh = try NodeUnderTest().pipeline.planInFull(
                        request, from: original("one", header), nil)
                    let told = try plan(request, original("one", header)).get()
                    #expect(told.key == fresh.key && told.recipe == fresh.recipe, "round \(round)")
                }
            }
        }
    }

    @Test func `holds for no stranger because it held for one who is vouched for`() throws {
        var settings = node.pipeline.configuration
        settings.pictures.enlargedPixels = 1_000
        node.pipeline.replace(settings, watermarks: [:])
        let small = original("small", ImageHeader(format: .jpeg, width: 10, height: 10))
        var request = node.request()
        request.recipe.withoutEnlargement = false
        request.isVouchedFor = true
        _ = try plan(request, small).get()
        request.isVouchedFor = false
        let refusal = plan(request, small).failure
        guard case .enlargedTooFar(asked: _, limit: 1_000) = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
    }

    @Test func `is checked by its URL's own limits for each original`() throws {
        var request = node.request()
        request.terms.limits.bytes = 1000
        _ = try plan(request, original()).get()
        var longer = original("two")
        longer.length = 1001
        #expect(plan(request, longer).failure == .beyondOwnLimit("1000 bytes"))
    }

    @Test func `is made anew once other settings are in force`() throws {
        let first = try plan(node.request(), original()).get()
        var settings = node.pipeline.configuration
        var coarse = EncoderDefaults()
        coarse.jpegQuality = 10
        settings.engine = EngineVersion(library: "test 1", encoders: coarse)
        node.pipeline.replace(settings, watermarks: [:])
        let second = try plan(node.request(), original()).get()
        #expect(second.engine.encoders == coarse && second.key != first.key)
        node.pipeline.adopt(library: "test 2")
        let third = try plan(node.request(), original()).get()
        #expect(third.engine.library == "test 2" && third.key != second.key)
        settings.pictures.pixels = 1_000
        node.pipeline.replace(settings, watermarks: [:])
        #expect(plan(node.request(), original()).failure == .tooManyPixels(limit: 1_000))
    }
}
