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
        let world = World(fetching: fetching, rendering: rendering)
        let clients = (0..<300).map { world.client(world.request(width: 100 + $0 % 3)) }
        try await until { world.pipeline.originals.waiting == 300 && fetching.held == 1 }
        fetching.open()
        try await until { world.pipeline.renditions.waiting == 300 && rendering.held == 3 }
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
        #expect(world.origin.requests.count == 1)
        #expect(world.decoder.jobs.count == 3)
        #expect(outcomes == [.rendered: 3, .coalesced: 297])
        #expect(world.pipeline.workInFlight == 0)
        #expect(world.pipeline.counters.fetches.read() == 1)
        #expect(world.pipeline.counters.renders.read() == 3)
    }

    @Test
    func
        `however 300 requests are strewn over the in-flight request and its completion, it is one fetch and three renderings`()
        async throws
    {
        let world = World()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 {
                group.addTask { try await world.answer(width: 100 + number % 3) }
            }
            try await group.waitForAll()
        }
        #expect(world.origin.requests.count == 1)
        #expect(world.decoder.jobs.count == 3)
    }

    //   one request         another             its in-flight requests
    //                       looks: nothing
    //   is answered whole
    //                       joins → starts     look again: it is all there
    @Test func `an in-flight request that starts just after another has completed asks nobody`() async throws
    {
        let world = World()
        let first = try await world.answer()
        let late = LivePriority(.interactive)
        let arrival = try await world.pipeline.fetch(
            world.request().fetchRequest, late, purpose: .decoding)
        #expect(arrival.forwarding == nil)
        let recipe = try #require(world.decoder.jobs.first).recipe
        let planned = PlannedRendition(
            key: first.rendition.key, engine: world.pipeline.configuration.engine, recipe: recipe,
            original: arrival.original)
        let making = try await world.pipeline.render(planned, arrival, nil, late)
        guard case .found(let rendition, _, .memory) = making else {
            Issue.record("It was made once more.")
            return
        }
        #expect(rendition == first.rendition)
        #expect(world.origin.requests.count == 1)
        #expect(world.decoder.jobs.count == 1)
    }

    //   one             another          the in-flight request
    //   finds it stale                   asks whether "1" has changed
    //   waits           finds it stale
    //                   waits
    //   ◀──────── 304: the answer to both ────────
    @Test func `those who find it stale share one conditional request, whatever their size`() async throws {
        let fetching = Gate(open: true)
        let world = World(fetching: fetching)
        try await world.answer()
        world.clock.advance(seconds: 60)
        fetching.close()
        world.origin.says(.notModified(["ETag": "\"1\""]))
        let clients = (0..<10).map { world.client(world.request(width: $0 % 2 == 0 ? 100 : 200)) }
        try await until { world.pipeline.originals.waiting == 10 && fetching.held == 1 }
        fetching.open()
        for client in clients { _ = try await client.value.get() }
        #expect(world.origin.requests.map(\.validators.isEmpty) == [true, false])
        #expect(world.pipeline.counters.revalidations.read() == 1)
        #expect(world.decoder.jobs.count == 2)
    }

    //   in its grace            past its grace        the in-flight request
    //   is served stale ──────────────────────────▶   refreshes, at the lowest priority
    //                           waits for it ───────▶ goes on, at the highest
    //                       ◀── the answer ────────── completes
    //   is served fresh
    @Test func `who may not be served stale joins the refresh behind those who may`() async throws {
        let fetching = Gate(open: true)
        let world = World(fetching: fetching)
        world.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60, stale-while-revalidate=10"]))
        try await world.answer()
        world.clock.advance(seconds: 60)
        fetching.close()
        #expect(try await world.answer().outcome == .stale)
        world.clock.advance(seconds: 10)
        let waiting = world.client(world.request())
        try await until { world.pipeline.originals.waiting == 1 }
        fetching.open()
        #expect(try await waiting.value.get().forwarding?.isCollapsed == true)
        #expect(try await world.answer().outcome == .memoryHit)
        #expect(world.origin.requests.count == 2)
        #expect(world.pipeline.counters.backgroundRefreshes.read() == 1)
    }

    @Test func `who waits for another's in-flight request says so`() async throws {
        let fetching = Gate()
        let rendering = Gate()
        let world = World(fetching: fetching, rendering: rendering)
        let first = world.client(world.request())
        try await until { fetching.held == 1 }
        let second = world.client(world.request())
        try await until { world.pipeline.originals.waiting == 2 }
        fetching.open()
        try await until { world.pipeline.renditions.waiting == 2 }
        rendering.open()
        let answers = [try await first.value.get(), try await second.value.get()]
        #expect(answers.filter { $0.outcome == .rendered }.count == 1)
        #expect(answers.filter { $0.outcome == .coalesced }.count == 1)
        #expect(answers.map { $0.forwarding?.isCollapsed } == [false, true])
        #expect(answers.allSatisfy { $0.forwarding?.isStored == true && $0.forwarding?.status == 200 })
    }

    @Test func `the second answer comes from memory, and from disk where memory has lost it`() async throws {
        let world = World()
        let first = try await world.answer()
        #expect(first.outcome == .rendered)
        #expect(first.times.decode == 20)
        #expect(first.times.encode == 300)
        let second = try await world.answer()
        #expect(second.outcome == .memoryHit)
        #expect(second.forwarding == nil)
        #expect(second.body == first.body)
        world.cache.moveAway()
        #expect(try await world.answer().outcome == .diskHit)
        #expect(world.origin.requests.count == 1)
        #expect(world.decoder.jobs.count == 1)
    }

    @Test func `another size needs no second fetch`() async throws {
        let world = World()
        try await world.answer(width: 100)
        #expect(try await world.answer(width: 200).outcome == .rendered)
        #expect(world.origin.requests.count == 1)
        #expect(world.decoder.jobs.count == 2)
    }

    @Test func `two URLs with the same bytes share their renditions`() async throws {
        let world = World()
        try await world.answer("/a.jpg")
        let other = try await world.answer("/b.jpg")
        // The origin was asked, and what it brought was made already.
        #expect(other.outcome == .revalidated)
        #expect(world.origin.requests.count == 2)
        #expect(world.decoder.jobs.count == 1)
    }

    @Test func `spellings that make no difference to this picture share a rendition`() async throws {
        let world = World()
        _ = try await world.pipeline.answer(world.request(output: .source))
        let named = try await world.pipeline.answer(world.request(output: .format(.jpeg), pages: -1))
        #expect(named.outcome == .memoryHit)
        #expect(world.decoder.jobs.map(\.recipe.output) == [.format(.jpeg)])
    }

    @Test func `another engine makes another key`() async throws {
        let old = World()
        let new = World { $0.engine = EngineVersion(library: "test 2") }
        #expect(try await old.answer().rendition.key != new.answer().rendition.key)
    }
}
