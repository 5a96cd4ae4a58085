// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import HTTPSemantics
@testable import Pipeline
import Recipes
import Synchronization
import Testing

/// The tokens of one client, from which all of its requests pay.
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

/// A ticket whose payment waits for a distant bucket.
private final class DistantTicket: Allowance {
    private let ticket: any Allowance
    private let gate: Gate

    init(_ ticket: any Allowance, _ gate: Gate) { (self.ticket, self.gate) = (ticket, gate) }

    func pay() async -> Payment {
        _ = await gate.pass()
        return await ticket.pay()
    }

    func giveBack() { ticket.giveBack() }
}

@Suite("What is made for a client is paid for, and what is held is not", .timeLimit(.minutes(1)))
struct AllowanceTests {
    private func node(
        maxAge: Int = 60, fetching: Gate = Gate(open: true), rendering: Gate = Gate(open: true),
        staleIfError: Bool = false
    ) -> NodeUnderTest {
        let node = NodeUnderTest(fetching: fetching, rendering: rendering) {
            if staleIfError { $0.caching.defaultStaleIfError = 1000 }
        }
        node.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": "max-age=\(maxAge)"]))
        return node
    }

    private func ask(
        _ node: NodeUnderTest, _ tokens: ClientTokens, _ path: String = "/a.jpg", width: Int = 100
    ) async throws(PipelineFailure) -> Answer<TestBody> {
        var request = node.request(path, width: width)
        request.allowance = tokens.allowance()
        return try await node.pipeline.answer(request)
    }

    private func failure(_ node: NodeUnderTest, _ tokens: ClientTokens, width: Int) async -> PipelineFailure?
    {
        do throws(PipelineFailure) {
            _ = try await ask(node, tokens, width: width)
            return nil
        } catch { return error }
    }

    @Test func `who has nothing left has no watermark fetched either`() async throws {
        let (node, tokens) = (node(), ClientTokens(1))
        _ = try await ask(node, tokens)
        #expect(tokens.left.withLock { $0 } == 0)
        var request = node.request("/a.jpg", width: 100)
        request.allowance = tokens.allowance()
        request.recipe.watermark = Watermark(source: "http://origin.test/logo.png")
        let outcome = await node.client(request).value
        #expect(outcome.failure?.reason == .throttled(retryAfter: 7))
        #expect(node.origin.requests.count == 1)
    }

    @Test func `a fetch and its rendering cost one, and a hit costs nothing`() async throws {
        let (node, tokens) = (node(), ClientTokens(2))
        #expect(try await ask(node, tokens).outcome == .rendered)
        #expect(tokens.left.withLock { $0 } == 1)
        _ = try await ask(node, tokens)
        #expect(tokens.left.withLock { $0 } == 1)
        #expect(try await ask(node, tokens, width: 50).outcome == .rendered)
        #expect(tokens.left.withLock { $0 } == 0)
        #expect(await failure(node, tokens, width: 60)?.reason == .throttled(retryAfter: 7))
        // A held picture is answered without a token.
        _ = try await ask(node, tokens, width: 50)
        #expect(node.decoder.jobs.count == 2)
        #expect(node.origin.requests.count == 1)
    }

    @Test func `a refusal to one client is nobody else's`() async throws {
        let node = node()
        #expect(await failure(node, ClientTokens(0), width: 10)?.reason == .throttled(retryAfter: 7))
        #expect(node.origin.requests.isEmpty)
        #expect(try await ask(node, ClientTokens(1), width: 10).outcome == .rendered)
    }

    @Test func `who joins another's work gets its own back`() async throws {
        let (gate, rendering) = (Gate(), Gate())
        let (node, first, second) = (
            node(fetching: gate, rendering: rendering), ClientTokens(1), ClientTokens(1)
        )
        let leader = TestTask { try? await ask(node, first).outcome }
        try await until { gate.held == 1 }
        let follower = TestTask { try? await ask(node, second).outcome }
        try await until { node.pipeline.originals.waiting == 2 }
        gate.open()
        try await until { node.pipeline.renditions.waiting == 2 }
        rendering.open()
        let outcomes = [try #require(await leader.value), try #require(await follower.value)]
        #expect(outcomes.sorted { $0.rawValue < $1.rawValue } == [.coalesced, .rendered])
        #expect(first.left.withLock { $0 } == 0)
        // Either client may have started the rendering.
        #expect(second.left.withLock { $0 } == (outcomes[1] == .rendered ? 0 : 1))
    }

    @Test func `who was paying while another had the same made gets its own back`() async throws {
        let (node, tokens, paying) = (node(), ClientTokens(2), Gate())
        _ = try await ask(node, tokens, width: 50)
        var request = node.request(width: 100)
        request.allowance = DistantTicket(tokens.allowance(), paying)
        let client = node.client(request)
        try await until { paying.held == 1 }
        try await node.answer(width: 100)
        paying.open()
        #expect(try await client.value.get().outcome == .memoryHit)
        #expect(tokens.left.withLock { $0 } == 1)
    }

    @Test func `who is refused what is being made for another does not take it off the picture's count`()
        async throws
    {
        let gate = Gate()
        let node = node(rendering: gate)
        let maker = TestTask { try? await ask(node, ClientTokens(1)).outcome }
        try await until { gate.held == 1 }
        #expect(await failure(node, ClientTokens(0), width: 100)?.reason == .throttled(retryAfter: 7))
        gate.open()
        #expect(await maker.value == .rendered)
        let explanation = await node.pipeline.explain(node.request(width: 200))
        #expect(explanation.held?.renditionsThisHour == 1)
    }

    @Test func `who waits for another's fetch that fails gets its own back`() async throws {
        let gate = Gate()
        let (node, first, second) = (node(fetching: gate), ClientTokens(1), ClientTokens(1))
        node.origin.says(.status(404, ["Cache-Control": "no-store"]))
        let leader = TestTask { await failure(node, first, width: 100)?.reason }
        try await until { gate.held == 1 }
        let follower = TestTask { await failure(node, second, width: 100)?.reason }
        try await until { node.pipeline.originals.waiting == 2 }
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
            let (node, tokens) = (node(fetching: gate), ClientTokens(1))
            node.origin.says(.failure(.overloaded(retryAfter: 1), hasConnected: hasConnected))
            let client = TestTask { await failure(node, tokens, width: 100)?.reason }
            try await until { gate.held == 1 }
            node.clock.advance(seconds: seconds)
            gate.open()
            #expect(await client.value == .overloaded(retryAfter: 1))
            #expect(tokens.left.withLock { $0 } == (hasConnected ? 0 : 1))
        }
    }

    @Test func `a request that was answered is paid for, also where the second one behind it is refused`()
        async throws
    {
        let (node, tokens) = (node(), ClientTokens(1))
        node.origin.says(
            .picture(TestBody(content: "one"), ["Cache-Control": "max-age=60", "ETag": "\"1\""]))
        try await node.answer()
        node.clock.advance(seconds: 61)
        node.origin.says([
            .notModified(["ETag": "\"other\""]), .failure(.overloaded(retryAfter: 1), hasConnected: false),
        ])
        #expect(await failure(node, tokens, width: 50)?.reason == .overloaded(retryAfter: 1))
        #expect(node.origin.requests.count == 3)
        #expect(tokens.left.withLock { $0 } == 0)
    }

    @Test func `who finds no room for what is to be made gets its own back, however long that took`()
        async throws
    {
        let gate = Gate(open: true)
        let (node, tokens) = (node(rendering: gate), ClientTokens(2))
        _ = try await ask(node, tokens)
        node.decoder.fails(.overloaded(retryAfter: 1))
        gate.close()
        let client = TestTask { await failure(node, tokens, width: 50)?.reason }
        try await until { gate.held == 1 }
        node.clock.advance(seconds: 1)
        gate.open()
        #expect(await client.value == .overloaded(retryAfter: 1))
        #expect(tokens.left.withLock { $0 } == 1)
    }

    @Test func `who had a decoder for all of its time has had its work, however busy the machine was`()
        async throws
    {
        let gate = Gate(open: true)
        let (node, tokens) = (node(rendering: gate), ClientTokens(2))
        _ = try await ask(node, tokens)
        node.decoder.fails(.overloaded(retryAfter: 1))
        gate.close()
        let client = TestTask { await failure(node, tokens, width: 50)?.reason }
        try await until { gate.held == 1 }
        node.clock.advance(seconds: Double(node.pipeline.configuration.renderTimeout.components.seconds))
        gate.open()
        #expect(await client.value == .overloaded(retryAfter: 1))
        #expect(tokens.left.withLock { $0 } == 0)
        let explanation = await node.pipeline.explain(node.request(width: 200))
        #expect(explanation.held?.renditionsThisHour == 2)
    }

    @Test func `who waits for another's fetch only until the stale picture is served gets its own back`()
        async throws
    {
        let gate = Gate(open: true)
        let node = NodeUnderTest(fetching: gate) {
            $0.caching.defaultStaleIfError = 1000
            $0.staleWait = 1_000_000
        }
        node.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": "max-age=60"]))
        let (first, second) = (ClientTokens(2), ClientTokens(1))
        _ = try await ask(node, first)
        node.clock.advance(seconds: 100)
        gate.close()
        // Each request has an alarm of its own, which it sets once it waits.
        let alarms = node.clock.alarms
        let leader = TestTask { try? await ask(node, first).outcome }
        try await until { gate.held == 1 && node.clock.alarms > alarms }
        let follower = TestTask { try? await ask(node, second).outcome }
        try await until { node.pipeline.originals.waiting == 2 && node.clock.alarms > alarms + 1 }
        node.clock.advance(seconds: 2)
        #expect(await leader.value == .stale)
        #expect(await follower.value == .stale)
        #expect(first.left.withLock { $0 } == 0 && second.left.withLock { $0 } == 1)
        gate.open()
    }

    @Test func `a stale picture stands in for one that may not be asked for`() async throws {
        let (node, tokens) = (node(staleIfError: true), ClientTokens(1))
        _ = try await ask(node, tokens)
        node.clock.advance(seconds: 100)
        #expect(try await ask(node, tokens).outcome == .stale)
        #expect(node.origin.requests.count == 1)
    }
}
