// SPDX-License-Identifier: Apache-2.0

@testable import Pipeline
import Synchronization
import Testing

@Suite("A fetch waits for its turn in the fleet", .timeLimit(.minutes(1)))
struct OriginTurnTests {
    /// Answers in turn, the last answer again and again.
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
        /// How many slots were given.
        var enteredCount: Int { entered.withLock { $0 } }
        var leftSlots: [OriginSlot] { left.withLock { $0 } }
    }

    private static let slot = OriginSlot(token: "1")

    private func world(_ turns: ScriptedOriginLimits, fetching: Gate = Gate(open: true)) -> World {
        World(fetching: fetching, originLimits: turns) { configuration in
            configuration.fetches = AdmissionLimits(
                permits: 100, permitsPerGroup: 8, ratePerGroup: 50, queueAge: 3_000_000)
        }
    }

    /// Moves time from one question to the next, until the condition holds.
    private func pass(_ world: World, until condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            world.clock.advanceToNextAlarm(within: 1)
            await Task.yield()
        }
    }

    @Test func `a slot is taken by the settings' limits, and left after the fetch`() async throws {
        let turns = ScriptedOriginLimits(.entered(Self.slot))
        let fetching = Gate(open: false)
        let world = world(turns, fetching: fetching)
        let client = world.client(world.request())
        try await until { fetching.held == 1 }
        #expect(turns.asked == [OriginLimits(fetches: 8, rate: 50)] && turns.leftSlots.isEmpty)
        fetching.open()
        _ = try await client.value.get()
        #expect(turns.leftSlots == [Self.slot])
        // A hit asks nobody.
        try await world.answer()
        #expect(turns.asked.count == 1)
        #expect(world.pipeline.originTurnCounters.statistics.granted == 1)
    }

    @Test func `the fleet's limit is the one of the settings, where this node has fewer permits`()
        async throws
    {
        let turns = ScriptedOriginLimits(.entered(Self.slot))
        let world = World(originLimits: turns) { configuration in
            configuration.fetches = AdmissionLimits(permits: 2, permitsPerGroup: 1)
            configuration.fleetFetchesPerHost = 8
        }
        try await world.answer()
        #expect(turns.asked == [OriginLimits(fetches: 8, rate: 0)])
    }

    @Test func `a fetch waits for others', and for the rate`() async throws {
        let turns = ScriptedOriginLimits(.full, .full, .early(500_000), .entered(Self.slot))
        let world = world(turns)
        let client = world.client(world.request())
        try await pass(world) { turns.enteredCount == 1 }
        _ = try await client.value.get()
        #expect(turns.asked.count == 4 && turns.leftSlots.count == 1)
        #expect(world.pipeline.originTurnCounters.statistics.waited >= 500_000)
    }

    @Test func `of those that wait here one asks, and who came first is served first`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let world = world(turns)
        var clients: [TestTask<Result<Answer<TestBody>, PipelineFailure>>] = []
        for number in 0..<5 {
            clients.append(world.client(world.request("/\(number).jpg")))
            try await until {
                world.pipeline.fetches.running == number + 1 && world.pipeline.waitingForSlots == number + 1
            }
        }
        // The first at its arrival; those behind have not asked.
        #expect(turns.asked.count == 1)
        try await pass(world) { turns.asked.count >= 10 }
        for (number, client) in clients.enumerated() {
            turns.says(.entered(Self.slot), .full)
            // No further, or the time of those behind is over before this fetch has had its turn on a thread.
            try await pass(world) { turns.enteredCount == number + 1 }
            _ = try await client.value.get()
            #expect(turns.leftSlots.count == number + 1)
        }
    }

    @Test func `who waits behind others is refused in time, and leaves the line`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let world = world(turns)
        let clients = (0..<3).map { world.client(world.request("/\($0).jpg")) }
        try await until { world.pipeline.waitingForSlots == 3 }
        clients[1].cancel()
        #expect(await clients[1].value.failure != nil)
        try await until { world.pipeline.waitingForSlots == 2 }
        try await pass(world) { world.pipeline.originTurnCounters.statistics.refused == 3 }
        for client in [clients[0], clients[2]] {
            #expect(await client.value.failure?.reason == .overloaded(retryAfter: 1))
        }
        #expect(world.pipeline.waitingForSlots == 0 && world.pipeline.fetches.running == 0)
    }

    @Test func `a fleet that is lost meanwhile frees all who wait at once`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let world = world(turns)
        let clients = (0..<4).map { world.client(world.request("/\($0).jpg")) }
        try await until { world.pipeline.waitingForSlots == 4 }
        let asked = turns.asked.count
        turns.says(.unavailable)
        try await pass(world) { world.pipeline.originTurnCounters.statistics.unavailable == 4 }
        for client in clients { _ = try await client.value.get() }
        #expect(turns.asked.count == asked + 1)
    }

    @Test func `it waits as long as for a permit, and is refused then`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let world = world(turns)
        let client = world.client(world.request())
        try await pass(world) { world.pipeline.originTurnCounters.statistics.refused == 1 }
        let failure = try #require(await client.value.failure)
        #expect(failure.reason == .overloaded(retryAfter: 1))
        #expect(world.origin.requests.isEmpty && world.pipeline.fetches.running == 0)
    }

    @Test func `who leaves waits no more, and keeps no slot`() async throws {
        let turns = ScriptedOriginLimits(.full)
        let world = world(turns)
        let client = world.client(world.request())
        try await until { !turns.asked.isEmpty }
        client.cancel()
        #expect(await client.value.failure != nil)
        try await until { world.pipeline.fetches.running == 0 }
        #expect(world.origin.requests.isEmpty)
    }

    @Test func `a fleet that cannot be asked holds up nobody`() async throws {
        let turns = ScriptedOriginLimits(.unavailable)
        let world = world(turns)
        try await world.answer()
        #expect(turns.leftSlots.isEmpty)
        #expect(world.pipeline.originTurnCounters.statistics.unavailable == 1)
    }

    @Test func `explain tells of the fetches at all nodes`() async {
        let world = world(ScriptedOriginLimits(.unavailable))
        #expect(await world.pipeline.explain(world.request()).fleetFetches == 7)
        #expect(await World().pipeline.explain(world.request()).fleetFetches == nil)
    }
}

extension Pipeline {
    /// Fetches that ask for a slot or wait to, where the first has been told to wait.
    fileprivate var waitingForSlots: Int { originQueue.count }
}
