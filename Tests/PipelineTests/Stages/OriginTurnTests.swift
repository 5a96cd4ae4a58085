// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import Synchronization
import Testing

@Suite("A fetch waits for its turn in the fleet", .timeLimit(.minutes(1)))
struct OriginTurnTests {
    /// Gives its answers in turn, and repeats the last one.
    private final class ScriptedOriginLimits: OriginLimitPort {
        private let answers: Mutex<[OriginVerdict]>
        private let questions = Mutex<[OriginLimits]>([])
        private let entered = Mutex(0)
        private let left = Mutex<[OriginSlot]>([])

        init(_ answers: OriginVerdict...) { self.answers = Mutex(answers) }

        func enter(_ name: String, _ limits: OriginLimits) async -> OriginVerdict {
            questions.withLock { $0.append(limits) }
            let verdict = answers.withLock { answers in
                answers.count > 1 ? answers.removeFirst() : answers.first ?? .unavailable
            }
            if case .entered = verdict { entered.withLock { $0 += 1 } }
            return verdict
        }
        func leave(_ slot: OriginSlot) { left.withLock { $0.append(slot) } }
        func running(_ name: String) async -> Int? { 7 }

        func says(_ verdicts: OriginVerdict...) { answers.withLock { $0 = verdicts } }
        var asked: [OriginLimits] { questions.withLock { $0 } }
        /// The number of slots that were given.
        var enteredCount: Int { entered.withLock { $0 } }
        var leftSlots: [OriginSlot] { left.withLock { $0 } }
    }

    private static let slot = OriginSlot(token: "1")

    private func node(_ turns: ScriptedOriginLimits, fetching: Gate = Gate(open: true)) -> NodeUnderTest {
        NodeUnderTest(fetching: fetching, originLimits: turns) { configuration in
            configuration.fetches = AdmissionLimits(
                permits: 100, permitsPerGroup: 8, ratePerGroup: 50, queueAge: 3_000_000)
        }
    }

    /// Moves time from one question to the next, until the condition holds.
    private func pass(_ node: NodeUnderTest, until condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            node.clock.advanceToNextAlarm(within: 1)
            await Task.yield()
        }
    }

    @Test func `a slot is taken by the settings' limits, and left after the fetch`() async throws {
        let turns = ScriptedOriginLimits(.entered(Self.slot))
        let fetching = Gate(open: false)
        let node = node(turns, fetching: fetching)
        let client = node.client(node.request())
        try await until { fetching.held == 1 }
        #expect(turns.asked == [OriginLimits(fetches: 8, rate: 50)] && turns.leftSlots.isEmpty)
        fetching.open()
        _ = try await client.value.get()
        #expect(turns.leftSlots == [Self.slot])
        // A cached answer asks for no slot.
        try await node.answer()
        #expect(turns.asked.count == 1)
        #expect(node.pipeline.originTurnStatistics.granted == 1)
    }

    @Test func `the fleet's limit is the one of the settings, where this node has fewer permits`()
        async throws
    {
        let turns = ScriptedOriginLimits(.entered(Self.slot))
        let node = NodeUnderTest(originLimits: turns) { configuration in
            configuration.fetches = AdmissionLimits(permits: 2, permitsPerGroup: 1)
            configuration.fleetFetchesPerHost = 8
        }
        try await node.answer()
        #expect(turns.asked == [OriginLimits(fetches: 8, rate: 0)])
    }

    @Test func `a fetch waits for others', and for the rate`() async throws {
        let turns = ScriptedOriginLimits(.full, .full, .early(500_000), .entered(Self.slot))
        let node = node(turns)
        let client = node.client(node.request())
        try await pass(node) { turns.enteredCount == 1 }
        _ = try await client.value.get()
        #expect(turns.asked.count == 4 && turns.leftSlots.count == 1)
        #expect(node.pipeline.originTurnStatistics.waited >= 500_000)
    }

    @Test func `of those that wait here one asks, and who came first is served first`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let node = node(turns)
        var clients: [TestTask<Result<Answer<TestBody>, PipelineFailure>>] = []
        for number in 0..<5 {
            clients.append(node.client(node.request("/\(number).jpg")))
            try await until {
                node.pipeline.fetches.running == number + 1 && node.pipeline.waitingForSlots == number + 1
            }
        }
        // The first request asked when it arrived; those behind it have not asked.
        #expect(turns.asked.count == 1)
        try await pass(node) { turns.asked.count >= 10 }
        for (number, client) in clients.enumerated() {
            turns.says(.entered(Self.slot), .full)
            // Time moves no further, because otherwise the requests behind may time out before this fetch runs on a thread.
            try await pass(node) { turns.enteredCount == number + 1 }
            _ = try await client.value.get()
            #expect(turns.leftSlots.count == number + 1)
        }
    }

    @Test func `who waits behind others is refused in time, and leaves the line`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let node = node(turns)
        let clients = (0..<3).map { node.client(node.request("/\($0).jpg")) }
        try await until { node.pipeline.waitingForSlots == 3 }
        clients[1].cancel()
        #expect(await clients[1].value.failure != nil)
        try await until { node.pipeline.waitingForSlots == 2 }
        try await pass(node) { node.pipeline.originTurnStatistics.refused == 3 }
        for client in [clients[0], clients[2]] {
            #expect(await client.value.failure?.reason == .overloaded(retryAfter: 1))
        }
        #expect(node.pipeline.waitingForSlots == 0 && node.pipeline.fetches.running == 0)
    }

    @Test func `a fleet that is lost meanwhile frees all who wait at once`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let node = node(turns)
        let clients = (0..<4).map { node.client(node.request("/\($0).jpg")) }
        try await until { node.pipeline.waitingForSlots == 4 }
        let asked = turns.asked.count
        turns.says(.unavailable)
        try await pass(node) { node.pipeline.originTurnStatistics.unavailable == 4 }
        for client in clients { _ = try await client.value.get() }
        #expect(turns.asked.count == asked + 1)
    }

    @Test func `it waits as long as for a permit, and is refused then`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let node = node(turns)
        let client = node.client(node.request())
        try await pass(node) { node.pipeline.originTurnStatistics.refused == 1 }
        let failure = try #require(await client.value.failure)
        #expect(failure.reason == .overloaded(retryAfter: 1))
        #expect(node.origin.requests.isEmpty && node.pipeline.fetches.running == 0)
    }

    @Test func `where the rate allows it too late, it is refused at once and not told to come too early`()
        async throws
    {
        let node = node(ScriptedOriginLimits(.early(4_200_000)))
        let failure = try #require(await node.client(node.request()).value.failure)
        #expect(failure.reason == .overloaded(retryAfter: 5))
    }

    @Test func `who leaves waits no more, and keeps no slot`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let node = node(turns)
        let client = node.client(node.request())
        try await until { !turns.asked.isEmpty }
        client.cancel()
        #expect(await client.value.failure != nil)
        try await until { node.pipeline.fetches.running == 0 }
        #expect(node.origin.requests.isEmpty)
    }

    @Test func `a fleet that cannot be asked holds up nobody`() async throws {
        let turns = ScriptedOriginLimits(.unavailable)
        let node = node(turns)
        try await node.answer()
        #expect(turns.leftSlots.isEmpty)
        #expect(node.pipeline.originTurnStatistics.unavailable == 1)
    }

    @Test func `explain tells of the fetches at all nodes`() async {
        let node = node(ScriptedOriginLimits(.unavailable))
        #expect(await node.pipeline.explain(node.request()).fleetFetches == 7)
        #expect(await NodeUnderTest().pipeline.explain(node.request()).fleetFetches == nil)
    }
}

extension Pipeline {
    /// Fetches that ask for a slot or wait to ask, after the first was told to wait.
    fileprivate var waitingForSlots: Int { originQueue.count }
}
