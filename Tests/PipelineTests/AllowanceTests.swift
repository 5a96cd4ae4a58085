// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import Synchronization
import Testing

/// The tokens of one client, which all of its requests take from.
private final class ClientTokens: Sendable {
    let left: Mutex<Int>

    init(_ count: Int) { left = Mutex(count) }

    func allowance() -> any Allowance { Ticket(tokens: self) }

    private final class Ticket: Allowance {
        let tokens: ClientTokens
        let isPaid = Mutex(false)

        init(tokens: ClientTokens) { self.tokens = tokens }

        func pay() -> Payment {
            if isPaid.withLock({ $0 }) { return .alreadyPaid }
            let isGranted = tokens.left.withLock { left in
                guard left > 0 else { return false }
                left -= 1
                return true
            }
            guard isGranted else { return .refused(retryAfter: 7) }
            isPaid.withLock { $0 = true }
            return .paid
        }

        func giveBack() {
            isPaid.withLock { $0 = false }
            tokens.left.withLock { $0 += 1 }
        }
    }
}

@Suite("What is made for a client is paid for, and what is held is not", .timeLimit(.minutes(1)))
struct AllowanceTests {
    private func world(
        maxAge: Int = 60, fetching: Gate = Gate(open: true), rendering: Gate = Gate(open: true),
        staleIfError: Bool = false
    ) -> World {
        let world = World(fetching: fetching, rendering: rendering) {
            if staleIfError { $0.caching.defaultStaleIfError = 1000 }
        }
        world.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": "max-age=\(maxAge)"]))
        return world
    }

    private func ask(
        _ world: World, _ tokens: ClientTokens, _ path: String = "/a.jpg", width: Int = 100
    ) async throws(PipelineFailure) -> Answer<TestBody> {
        var request = world.request(path, width: width)
        request.allowance = tokens.allowance()
        return try await world.pipeline.answer(request)
    }

    private func failure(_ world: World, _ tokens: ClientTokens, width: Int) async -> PipelineFailure? {
        do throws(PipelineFailure) {
            _ = try await ask(world, tokens, width: width)
            return nil
        } catch { return error }
    }

    @Test func `who has nothing left has no watermark fetched either`() async throws {
        let (world, tokens) = (world(), ClientTokens(1))
        _ = try await ask(world, tokens)
        #expect(tokens.left.withLock { $0 } == 0)
        var request = world.request("/a.jpg", width: 100)
        request.allowance = tokens.allowance()
        request.recipe.watermark = Watermark(source: "http://origin.test/logo.png")
        let outcome = await world.client(request).value
        #expect(outcome.failure?.reason == .throttled(retryAfter: 7))
        #expect(world.origin.requests.count == 1)
    }

    @Test func `a fetch and its rendering cost one, and a hit costs nothing`() async throws {
        let (world, tokens) = (world(), ClientTokens(2))
        #expect(try await ask(world, tokens).outcome == .rendered)
        #expect(tokens.left.withLock { $0 } == 1)
        _ = try await ask(world, tokens)
        #expect(tokens.left.withLock { $0 } == 1)
        #expect(try await ask(world, tokens, width: 50).outcome == .rendered)
        #expect(tokens.left.withLock { $0 } == 0)
        #expect(await failure(world, tokens, width: 60)?.reason == .throttled(retryAfter: 7))
        // What is held is answered all the same.
        _ = try await ask(world, tokens, width: 50)
        #expect(world.decoder.jobs.count == 2)
        #expect(world.origin.requests.count == 1)
    }

    @Test func `a refusal to one client is nobody else's`() async throws {
        let world = world()
        #expect(await failure(world, ClientTokens(0), width: 10)?.reason == .throttled(retryAfter: 7))
        #expect(world.origin.requests.isEmpty)
        #expect(try await ask(world, ClientTokens(1), width: 10).outcome == .rendered)
    }

    @Test func `who joins another's work gets its own back`() async throws {
        let (gate, rendering) = (Gate(), Gate())
        let (world, first, second) = (
            world(fetching: gate, rendering: rendering), ClientTokens(1), ClientTokens(1)
        )
        let leader = TestTask { try? await ask(world, first).outcome }
        try await until { gate.held == 1 }
        let follower = TestTask { try? await ask(world, second).outcome }
        try await until { world.pipeline.originals.waiting == 2 }
        gate.open()
        try await until { world.pipeline.renditions.waiting == 2 }
        rendering.open()
        let outcomes = [try #require(await leader.value), try #require(await follower.value)]
        #expect(outcomes.sorted { $0.rawValue < $1.rawValue } == [.coalesced, .rendered])
        #expect(first.left.withLock { $0 } == 0)
        // The rendering may be led by either.
        #expect(second.left.withLock { $0 } == (outcomes[1] == .rendered ? 0 : 1))
    }

    @Test func `who is refused what is being made for another does not take it off the picture's count`()
        async throws
    {
        let gate = Gate()
        let world = world(rendering: gate)
        let maker = TestTask { try? await ask(world, ClientTokens(1)).outcome }
        try await until { gate.held == 1 }
        #expect(await failure(world, ClientTokens(0), width: 100)?.reason == .throttled(retryAfter: 7))
        gate.open()
        #expect(await maker.value == .rendered)
        let explanation = await world.pipeline.explain(world.request(width: 200))
        #expect(explanation.held?.renditionsThisHour == 1)
    }

    @Test func `who waits for another's fetch that fails gets its own back`() async throws {
        let gate = Gate()
        let (world, first, second) = (world(fetching: gate), ClientTokens(1), ClientTokens(1))
        world.origin.says(.status(404, ["Cache-Control": "no-store"]))
        let leader = TestTask { await failure(world, first, width: 100)?.reason }
        try await until { gate.held == 1 }
        let follower = TestTask { await failure(world, second, width: 100)?.reason }
        try await until { world.pipeline.originals.waiting == 2 }
        gate.open()
        let reason = PipelineFailure.Reason.originStatus(404, retryAfter: nil)
        #expect(await leader.value == reason)
        #expect(await follower.value == reason)
        #expect(first.left.withLock { $0 } == 0)
        #expect(second.left.withLock { $0 } == 1)
    }

    @Test(arguments: [0.0, 5])
    func `a fetch that gives way is paid for, and one that is refused is not, however long they took`(
        seconds: Double
    ) async throws {
        for hasConnected in [true, false] {
            let gate = Gate()
            let (world, tokens) = (world(fetching: gate), ClientTokens(1))
            world.origin.says(.failure(.overloaded(retryAfter: 1), hasConnected: hasConnected))
            let client = TestTask { await failure(world, tokens, width: 100)?.reason }
            try await until { gate.held == 1 }
            world.clock.advance(seconds: seconds)
            gate.open()
            #expect(await client.value == .overloaded(retryAfter: 1))
            #expect(tokens.left.withLock { $0 } == (hasConnected ? 0 : 1))
        }
    }

    @Test func `a request that was answered is paid for, also where the second one behind it is refused`()
        async throws
    {
        let (world, tokens) = (world(), ClientTokens(1))
        world.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        try await world.answer()
        world.clock.advance(seconds: 61)
        world.origin.says([
            .notModified(["ETag": "\"other\""]), .failure(.overloaded(retryAfter: 1), hasConnected: false),
        ])
        #expect(await failure(world, tokens, width: 50)?.reason == .overloaded(retryAfter: 1))
        #expect(world.origin.requests.count == 3)
        #expect(tokens.left.withLock { $0 } == 0)
    }

    @Test func `who finds no room for what is to be made gets its own back, however long that took`()
        async throws
    {
        let gate = Gate(open: true)
        let (world, tokens) = (world(rendering: gate), ClientTokens(2))
        _ = try await ask(world, tokens)
        world.decoder.fails(.overloaded(retryAfter: 1))
        gate.close()
        let client = TestTask { await failure(world, tokens, width: 50)?.reason }
        try await until { gate.held == 1 }
        world.clock.advance(seconds: 1)
        gate.open()
        #expect(await client.value == .overloaded(retryAfter: 1))
        #expect(tokens.left.withLock { $0 } == 1)
    }

    @Test func `who had a decoder for all of its time has had its work, however busy the machine was`()
        async throws
    {
        let gate = Gate(open: true)
        let (world, tokens) = (world(rendering: gate), ClientTokens(2))
        _ = try await ask(world, tokens)
        world.decoder.fails(.overloaded(retryAfter: 1))
        gate.close()
        let client = TestTask { await failure(world, tokens, width: 50)?.reason }
        try await until { gate.held == 1 }
        world.clock.advance(seconds: Double(world.pipeline.configuration.renderTimeout.components.seconds))
        gate.open()
        #expect(await client.value == .overloaded(retryAfter: 1))
        #expect(tokens.left.withLock { $0 } == 0)
        let explanation = await world.pipeline.explain(world.request(width: 200))
        #expect(explanation.held?.renditionsThisHour == 2)
    }

    @Test func `who waits for another's fetch only until the stale picture is served gets its own back`()
        async throws
    {
        let gate = Gate(open: true)
        let world = World(fetching: gate) {
            $0.caching.defaultStaleIfError = 1000
            $0.staleWait = 1_000_000
        }
        world.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": "max-age=60"]))
        let (first, second) = (ClientTokens(2), ClientTokens(1))
        _ = try await ask(world, first)
        world.clock.advance(seconds: 100)
        gate.close()
        let leader = TestTask { try? await ask(world, first).outcome }
        try await until { gate.held == 1 }
        let follower = TestTask { try? await ask(world, second).outcome }
        try await until { world.pipeline.originals.waiting == 2 }
        world.clock.advance(seconds: 2)
        #expect(await leader.value == .stale)
        #expect(await follower.value == .stale)
        #expect(first.left.withLock { $0 } == 0 && second.left.withLock { $0 } == 1)
        gate.open()
    }

    @Test func `a stale picture stands in for one that may not be asked for`() async throws {
        let (world, tokens) = (world(staleIfError: true), ClientTokens(1))
        _ = try await ask(world, tokens)
        world.clock.advance(seconds: 100)
        #expect(try await ask(world, tokens).outcome == .stale)
        #expect(world.origin.requests.count == 1)
    }
}
