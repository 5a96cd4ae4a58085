// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import ImageHeaders
@testable import Pipeline
import Recipes
import Testing

@Suite(.timeLimit(.minutes(1)))
struct CoalescingTests {
    @Test func `300 requests for one cold URL in three sizes make one fetch and three renderings`()
        async throws
    {
        let fetching = Gate()
        let rendering = Gate()
        let node = NodeUnderTest(fetching: fetching, rendering: rendering)
        let clients = (0..<300).map { node.client(node.request(width: 100 + $0 % 3)) }
        try await until { node.pipeline.originals.waiting == 300 && fetching.held == 1 }
        fetching.open()
        try await until { node.pipeline.renditions.waiting == 300 && rendering.held == 3 }
        rendering.open()
        var outcomes: [Outcome: Int] = [:]
        for client in clients {
            guard case .success(let answer) = await client.value else {
                Issue.record("A request failed.")
                continue
            }
            outcomes[answer.outcome, default: 0] += 1
            #expect(answer.body.content.hasPrefix("one as "))
        }
        #expect(node.origin.requests.count == 1)
        #expect(node.decoder.jobs.count == 3)
        #expect(outcomes == [.rendered: 3, .coalesced: 297])
        #expect(node.pipeline.workInFlight == 0)
        #expect(node.pipeline.counters.fetches.read() == 1)
        #expect(node.pipeline.counters.renders.read() == 3)
    }

    @Test
    func
        `however 300 requests are strewn over the in-flight request and its completion, it is one fetch and three renderings`()
        async throws
    {
        let node = NodeUnderTest()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { try await node.answer(width: 100 + number % 3) }
            }
            try await group.waitForAll()
        }
        #expect(node.origin.requests.count == 1)
        #expect(node.decoder.jobs.count == 3)
    }

    //   one request         another             its in-flight requests
    //                       looks: nothing
    //   is answered whole
    //                       joins → starts     look again: it is all there
    @Test func `an in-flight request that starts just after another has completed asks nobody`() async throws
    {
        let node = NodeUnderTest()
        let first = try await node.answer()
        let late = LivePriority(.interactive)
        let arrival = try await node.pipeline.fetch(
            node.request().fetchRequest, late, purpose: .decoding)
        #expect(arrival.forwarding == nil)
        let recipe = try #require(node.decoder.jobs.first).recipe
        let planned = node.pipeline.planned(recipe, from: arrival.original)
        #expect(planned.key == first.rendition.key)
        let making = try await node.pipeline.render(
            RenderAttempt(planned: planned, arrival: arrival, watermark: nil, priority: late, client: nil))
        guard case .found(let rendition, _, .memory) = making else {
            Issue.record("It was made once more.")
            return
        }
        #expect(rendition == first.rendition)
        #expect(node.origin.requests.count == 1)
        #expect(node.decoder.jobs.count == 1)
    }

    //   one             another          the in-flight request
    //   finds it stale                   asks whether "1" has changed
    //   waits           finds it stale
    //                   waits
    //   ◀──────── 304: the answer to both ────────
    @Test func `those who find it stale share one conditional request, whatever their size`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching)
        try await node.answer()
        node.clock.advance(seconds: 60)
        fetching.close()
        node.origin.says(.notModified(["ETag": "\"1\""]))
        let clients = (0..<10).map { node.client(node.request(width: $0 % 2 == 0 ? 100 : 200)) }
        try await until { node.pipeline.originals.waiting == 10 && fetching.held == 1 }
        fetching.open()
        for client in clients { _ = try await client.value.get() }
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false])
        #expect(node.pipeline.counters.revalidations.read() == 1)
        #expect(node.decoder.jobs.count == 2)
    }

    //   in its grace            past its grace        the in-flight request
    //   is served stale ──────────────────────────▶   refreshes, at the lowest priority
    //                           waits for it ───────▶ goes on, at the highest
    //                       ◀── the answer ────────── completes
    //   is served fresh
    @Test func `who may not be served stale joins the refresh behind those who may`() async throws {
        let fetching = Gate(open: true)
        let node = NodeUnderTest(fetching: fetching)
        node.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60, stale-while-revalidate=10"]))
        try await node.answer()
        node.clock.advance(seconds: 60)
        fetching.close()
        #expect(try await node.answer().outcome == .stale)
        node.clock.advance(seconds: 10)
        let waiting = node.client(node.request())
        try await until { node.pipeline.originals.waiting == 1 }
        fetching.open()
        #expect(try await waiting.value.get().forwarding?.isCollapsed == true)
        #expect(try await node.answer().outcome == .memoryHit)
        #expect(node.origin.requests.count == 2)
        #expect(node.pipeline.counters.backgroundRefreshes.read() == 1)
    }

    //   a request             two from which the cache is withheld
    //   asks for a 304
    //                         one asks for the picture, for both
    //   reads the held bytes  get the bytes with the answer
    @Test func `a request from which the cache is withheld waits for no answer without bytes`() async throws {
        let fetching = Gate(open: true)
        let node = try await NodeUnderTest.holding("max-age=60", fetching: fetching)
        node.clock.advance(seconds: 60)
        fetching.close()
        node.origin.says(.unchanged(NodeUnderTest.one, ["ETag": "\"1\""]))
        var clients = [node.client(node.request(width: 200))]
        try await until { fetching.held == 1 }
        for width in [300, 400] { clients.append(node.clientWithoutCache(node.request(width: width))) }
        try await until { node.pipeline.originals.waiting == 3 && fetching.held == 2 }
        fetching.open()
        for client in clients { _ = try await client.value.get() }
        #expect(node.origin.requests.map(\.validators.isEmpty) == [true, false, true])
        #expect(node.pipeline.counters.vanishedBodies.read() == 0)
    }

    @Test func `who waits for another's in-flight request says so`() async throws {
        let fetching = Gate()
        let rendering = Gate()
        let node = NodeUnderTest(fetching: fetching, rendering: rendering)
        let first = node.client(node.request())
        try await until { fetching.held == 1 }
        let second = node.client(node.request())
        try await until { node.pipeline.originals.waiting == 2 }
        fetching.open()
        try await until { node.pipeline.renditions.waiting == 2 }
        rendering.open()
        let answers = [try await first.value.get(), try await second.value.get()]
        #expect(answers.filter { $0.outcome == .rendered }.count == 1)
        #expect(answers.filter { $0.outcome == .coalesced }.count == 1)
        #expect(answers.map { $0.forwarding?.isCollapsed } == [false, true])
        #expect(answers.allSatisfy { $0.forwarding?.isStored == true && $0.forwarding?.status == 200 })
    }

    @Test func `the second answer comes from memory, and from disk where memory has lost it`() async throws {
        let node = NodeUnderTest()
        let first = try await node.answer()
        #expect(first.outcome == .rendered)
        #expect(first.times.decode == 20)
        #expect(first.times.encode == 300)
        let second = try await node.answer()
        #expect(second.outcome == .memoryHit)
        #expect(second.forwarding == nil)
        #expect(second.body == first.body)
        node.cache.moveAway()
        #expect(try await node.answer().outcome == .diskHit)
        #expect(node.origin.requests.count == 1)
        #expect(node.decoder.jobs.count == 1)
    }

    @Test func `another size needs no second fetch`() async throws {
        let node = NodeUnderTest()
        try await node.answer(width: 100)
        #expect(try await node.answer(width: 200).outcome == .rendered)
        #expect(node.origin.requests.count == 1)
        #expect(node.decoder.jobs.count == 2)
    }

    @Test func `two URLs with the same bytes share their renditions`() async throws {
        let node = NodeUnderTest()
        try await node.answer("/a.jpg")
        let other = try await node.answer("/b.jpg")
        // The origin was asked for the second URL, but its bytes were rendered before.
        #expect(other.outcome == .revalidated)
        #expect(node.origin.requests.count == 2)
        #expect(node.decoder.jobs.count == 1)
    }

    @Test func `spellings that make no difference to this picture share a rendition`() async throws {
        let node = NodeUnderTest()
        _ = try await node.pipeline.answer(node.request(output: .source))
        let named = try await node.pipeline.answer(node.request(output: .format(.jpeg), pages: -1))
        #expect(named.outcome == .memoryHit)
        #expect(node.decoder.jobs.map(\.recipe.output) == [.format(.jpeg)])
    }

    @Test func `another engine makes another key`() async throws {
        let old = NodeUnderTest()
        let new = NodeUnderTest { $0.engine = EngineVersion(library: "test 2") }
        #expect(try await old.answer().rendition.key != new.answer().rendition.key)
    }
}
