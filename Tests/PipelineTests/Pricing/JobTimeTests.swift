// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
@testable import Pipeline
import Recipes
import RequestGrammar
import Testing

@Suite(.timeLimit(.minutes(1)))
struct JobTimeTests {
    private func time(
        _ format: ImageFormat = .jpeg, _ width: Int, _ height: Int, pages: Int = 1, _ recipe: String
    ) throws -> JobTime {
        JobTime(
            header: ImageHeader(format: format, width: width, height: height, pages: pages),
            recipe: try Recipe(canonical: recipe))
    }

    @Test func `a job is as long as its pixels, its encoder and its level make it`() throws {
        // The thumbnail of a phone's picture, a banner as PNG, an animation, and the longest possible job.
        #expect(try time(.jpeg, 4000, 3000, "w=400").expected < 500_000)
        #expect(try time(.png, 800, 600, "output=png").expected < 200_000)
        #expect((1_000_000...30_000_000).contains(try time(.gif, 480, 320, pages: 250, "n=-1").expected))
        #expect(try time(.jpeg, 300, 200, "h=6000&l=9&output=png&w=9001&we=0").expected > 20_000_000)
        let levels = try (0...9).map { try time(.png, 2000, 2000, "l=\($0)&output=png").expected }
        #expect(levels == levels.sorted())
    }

    @Test func `a search has time for all of its tries, and is expected to take the usual`() async throws {
        let fixed = try time(.jpeg, 4000, 3000, "output=avif&w=700")
        let searched = try time(.jpeg, 4000, 3000, "output=avif&q=auto&w=700")
        #expect(fixed.longestSearch == 0)
        // Two tries are usual, and eight more are possible.
        let all = (searched.expected - fixed.expected) * 4
        #expect((all - 8...all + 8).contains(searched.longestSearch))
        for (limit, longest) in [(20_000, 40_000), (1, 2)] {
            let node = NodeUnderTest { $0.renderTimeout = .milliseconds(limit) }
            var request = node.request(output: .format(.avif))
            #expect(await node.client(request).value.failure == nil)
            request.recipe.quality = .likeness(nil)
            #expect(await node.client(request).value.failure == nil)
            let timeouts = node.decoder.jobs.map(\.timeout)
            let ofSearch = try #require(timeouts.last)
            #expect(timeouts.first == .milliseconds(limit) && timeouts.count == 2)
            #expect(ofSearch > .milliseconds(limit) && ofSearch <= .milliseconds(longest), "\(timeouts)")
        }
    }

    @Test(arguments: [(.jpeg, true), (.avif, true), (.webp, false)] as [(ImageFormat, Bool)])
    func `a size in bytes may be searched twice after a search that may choose full chroma`(
        output: ImageFormat, isTwice: Bool
    ) throws {
        var recipe = Recipe()
        (recipe.output, recipe.width, recipe.quality) = (.format(output), .pixels(2000), .likeness(nil))
        let header = ImageHeader(format: .jpeg, width: 4000, height: 3000)
        let free = JobTime(header: header, recipe: recipe)
        recipe.maxBytes = 90_000
        let limited = JobTime(header: header, recipe: recipe)
        let fitting = limited.expected - free.expected
        let more = limited.longestSearch - free.longestSearch
        #expect(fitting > 0 && (isTwice ? more > fitting : more == 0))
        recipe.quality = .number(70)
        #expect(JobTime(header: header, recipe: recipe).longestSearch == 0)
    }

    @Test func `a search has more time on a slow machine, and no less on a fast one`() async throws {
        let times = JobTimes()
        let searched = try time(.jpeg, 4000, 3000, "output=avif&q=auto&w=700")
        #expect(times.longestSearch(searched) == searched.longestSearch)
        times.learn(searched, taken: searched.expected * 5)
        #expect(times.longestSearch(searched) == searched.longestSearch * 2)
        for _ in 0..<1000 { times.learn(searched, taken: searched.expected / 10) }
        #expect(times.microseconds(searched) < searched.expected)
        #expect(times.longestSearch(searched) == searched.longestSearch)
        // The deadline uses the longest search.
        let usual = Duration.seconds(3600)
        let node = NodeUnderTest { $0.renderTimeout = usual }
        var request = node.request(output: .format(.avif))
        request.recipe.quality = .likeness(nil)
        #expect(await node.client(request).value.failure == nil)
        let job = try #require(node.decoder.jobs.last)
        let estimate = JobTime(header: job.original.header, recipe: job.recipe)
        for _ in 0..<1000 { node.pipeline.times.learn(estimate, taken: .max) }
        request.recipe.width = .pixels(101)
        #expect(await node.client(request).value.failure == nil)
        let slow = try #require(node.decoder.jobs.last)
        let (least, learned) = ((job.timeout - usual) * 10, slow.timeout - usual)
        #expect(node.decoder.jobs.count == 2 && learned > least)
    }

    @Test func `no size is too large to be told`() throws {
        let huge = try time(.png, .max, .max, pages: .max, "h=16384&l=9&output=png&w=16384&we=0")
        #expect(huge.expected == 3_600_000_000)
    }

    @Test func `a kind's time rises soon and falls slowly, and stays within bounds`() throws {
        let times = JobTimes()
        let png = try time(.png, 2000, 2000, "output=png")
        let other = try time(.png, 2000, 2000, "output=webp")
        #expect(times.microseconds(png) == png.expected)
        times.learn(png, taken: png.expected * 5)
        #expect(times.microseconds(png) == png.expected * 2)
        times.learn(png, taken: png.expected)
        #expect(times.microseconds(png) > png.expected * 19 / 10)
        #expect(times.microseconds(other) == other.expected)
        for _ in 0..<1000 { times.learn(png, taken: .max) }
        #expect(times.microseconds(png) <= png.expected * 16)
        for _ in 0..<1000 { times.learn(png, taken: -1) }
        #expect(times.microseconds(png) >= png.expected / 32)
        // A job of the same kind with another size.
        let larger = try time(.png, 4000, 2000, "output=png")
        #expect(times.microseconds(larger) >= larger.expected / 4)
    }

    @Test func `a size's time is learned by itself, and an unseen size goes by its kind's`() throws {
        let times = JobTimes()
        let thumbnail = try time(.jpeg, 4000, 3000, "output=jpg&w=160")
        let large = try time(.jpeg, 4000, 3000, "output=jpg&w=1600")
        let other = try time(.jpeg, 1000, 750, "output=jpg&w=160")
        for _ in 0..<200 {
            times.learn(thumbnail, taken: thumbnail.expected / 20)
            times.learn(large, taken: large.expected)
        }
        #expect(times.microseconds(thumbnail) < thumbnail.expected / 15)
        #expect(times.microseconds(large) > large.expected * 9 / 10)
        #expect((other.expected / 4...other.expected).contains(times.microseconds(other)))
        #expect(times.count == 2)
    }

    @Test func `what progressive files take is learned by itself`() throws {
        let times = JobTimes()
        let recipe = try Recipe(canonical: "output=jpg&w=160")
        var header = ImageHeader(format: .jpeg, width: 4000, height: 3000)
        let baseline = JobTime(header: header, recipe: recipe)
        header.isProgressive = true
        let progressive = JobTime(header: header, recipe: recipe)
        for _ in 0..<200 {
            times.learn(baseline, taken: baseline.expected / 20)
            times.learn(progressive, taken: progressive.expected)
        }
        #expect(times.microseconds(baseline) < baseline.expected / 15)
        #expect(times.microseconds(progressive) > progressive.expected * 9 / 10)
    }

    @Test func `no more sizes are remembered than there is room for, and their kinds stay`() throws {
        let times = JobTimes()
        var most = 0
        for level in 0...9 {
            for (read, made) in (0...20).flatMap({ read in (0...20).map { (read, $0) } }) {
                let result = "h=\(1 << (made - made / 2))&l=\(level)&output=png&w=\(1 << (made / 2))&we=0"
                let job = try time(.png, 1 << (read / 2), 1 << (read - read / 2), "fit=fill&" + result)
                times.learn(job, taken: max(10_000, 3 * job.expected))
                most = max(most, times.count)
            }
        }
        #expect(most == JobTimes.capacity)
        #expect(times.count < most)
        let unseen = try time(.png, 8000, 8000, "l=0&output=png")
        #expect(times.microseconds(unseen) > unseen.expected)
    }

    @Test func `what a decoder was stopped at is not tried again in another width`() async throws {
        let node = NodeUnderTest { $0.decodes.long = 100_000 }
        node.decoder.fails(.timedOut)
        func failure(_ width: Int, _ output: ImageFormat) async -> PipelineFailure? {
            await node.client(node.request(width: width, output: .format(output))).value.failure
        }
        #expect(await failure(3001, .png)?.isFromMemory == false)
        #expect(node.decoder.jobs.count == 1)
        for width in 3002...3010 {
            let again = await failure(width, .png)
            #expect(again?.reason == .decode(.timedOut))
            #expect(again?.isFromMemory == true)
        }
        #expect(node.decoder.jobs.count == 1)
        // A much smaller size, or another encoder, may succeed.
        #expect(await failure(300, .png)?.isFromMemory == false)
        #expect(await failure(3001, .webp)?.isFromMemory == false)
        node.decoder.fails(nil)
        node.clock.advance(seconds: 61)
        #expect(await failure(3010, .png) == nil)
    }

    @Test func `a stranger enlarges up to a limit, and who is vouched for up to that of all`() async throws {
        let node = NodeUnderTest { $0.pictures.enlargedPixels = 16_000_000 }
        func failure(_ width: Int, vouched: Bool = false) async -> PipelineFailure.Reason? {
            var request = node.request(width: width)
            request.recipe.withoutEnlargement = false
            request.isVouchedFor = vouched
            return await node.client(request).value.failure?.reason
        }
        // 4000 × 3000 is the picture's own size.
        #expect(await failure(4000) == nil)
        #expect(await failure(4600) == nil)
        // The result would have 4700 × 3525 pixels.
        #expect(await failure(4700) == .decode(.enlargedTooFar(asked: 16_567_500, limit: 16_000_000)))
        #expect(await failure(4700, vouched: true) == nil)
        let large = NodeUnderTest { $0.pictures.enlargedPixels = 1_000_000 }
        #expect(await large.client(large.request(width: 3999)).value.failure == nil)
    }

    @Test func `a margin that enlarges too far is refused in words that are true where nothing is cut`()
        async throws
    {
        let node = NodeUnderTest { $0.pictures.enlargedPixels = 16_000_000 }
        var request = node.request(width: 100)
        request.recipe.padding = Padding(Clockwise(2_000))
        let reason = await node.client(request).value.failure?.reason
        // The picture has 100 × 75 pixels without its margin.
        let refusal = DecodeFailure.enlargedTooFar(asked: 4_100 * 4_075, limit: 16_000_000)
        #expect(reason == .decode(refusal))
        let words = refusal.row.message
        #expect(words.hasPrefix("The result, or what it is cut from, would have 16707500 pixels, "))
    }

    @Test func `what a stranger has cut out first may not be enlarged further`() async throws {
        let node = NodeUnderTest { $0.pictures.enlargedPixels = 16_000_000 }
        for (side, isRefused) in [(500, false), (100, true)] {
            var request = node.request(width: 800)
            var crop = Crop()
            (crop.width, crop.beforeResize) = (.pixels(side), true)
            (request.recipe.crop, request.recipe.withoutEnlargement) = (crop, false)
            // The results would have 800 × 4,800 and 800 × 24,000 pixels.
            let reason = await node.client(request).value.failure?.reason
            let refusal = DecodeFailure.enlargedTooFar(asked: 19_200_000, limit: 16_000_000)
            #expect((reason == .decode(refusal)) == isRefused, "\(side)")
        }
    }
}
