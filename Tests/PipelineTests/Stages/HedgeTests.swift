// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import SourceURLs
import Testing

@Suite("The origin is asked beside a late look into the shared store", .timeLimit(.minutes(1)))
struct HedgeTests {
    private static let late = 0.02
    private static let old = TestBody(content: "the store's")
    private static let new = TestBody(content: "the origin's")

    /// A node whose store is late after 20 ms, and is waited for until 300 ms.
    private struct HedgingNode {
        let fetching: Gate
        let store: SharedStoreDouble
        let node: NodeUnderTest

        /// - Parameter known: the fields of the original that another node has written before; nil for none.
        init(
            fetching: Gate = Gate(open: true), looking: Gate = Gate(), reading: Gate = Gate(open: true),
            known: [String: String]? = nil, leases: (any LeasePort)? = nil,
            clock: HandMovedClock = HandMovedClock()
        ) async throws {
            self.fetching = fetching
            store = SharedStoreDouble(
                looking: looking, reading: reading, times: LookTimes(late: 20_000, deadline: 300_000))
            node = NodeUnderTest(fetching: fetching, clock: clock, store: store, leases: leases)
            node.origin.says(.picture(new, ["Cache-Control": "max-age=60"]))
            guard let known else { return }
            let other = SharedStoreDouble()
            let writer = NodeUnderTest(clock: clock, store: other)
            writer.origin.says(.picture(old, known))
            try await writer.answer()
            other.takeOffers()
            await other.copy(to: store, "http://origin.test/a.jpg")
        }

        var hedges: HedgeStatistics { node.pipeline.hedgeStatistics }
        var requests: Int { node.origin.requests.count }

        /// A client whose look into the store has become late.
        func lateClient(
            _ path: String = "/a.jpg", sentTarget: String? = nil, priority: Priority = .interactive
        ) async throws -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
            let looks = store.looking.held
            var request = node.request(path, priority: priority)
            request.source = SourceURL(
                scheme: .http, host: "origin.test", port: 80, target: path, sentTarget: sentTarget)
            let client = node.client(request)
            try await until { store.looking.held == looks + 1 && node.pipeline.alarms.count == 1 }
            node.clock.advance(seconds: late)
            return client
        }
    }

    @Test func `what the origin gives first is the answer, and nothing waits for the store`() async throws {
        let hedging = try await HedgingNode(known: ["Cache-Control": "max-age=60"])
        let client = try await hedging.lateClient()
        let answer = try await client.value.get()
        #expect(answer.original.digest == Self.new.digest && answer.outcome == .rendered)
        #expect(hedging.requests == 1 && hedging.hedges == HedgeStatistics(origin: 1))
        #expect(answer.store == StorePart(.late))
        // The store was not asked for the rendition.
        #expect(hedging.store.looks == 0)
        // The look's answer now comes too late to be used.
        hedging.store.looking.open()
        try await hedging.node.answer()
        #expect(hedging.requests == 1)
        #expect(hedging.node.cache.original(answer.original.key)?.digest == Self.new.digest)
    }

    @Test func `a look in time asks no origin`() async throws {
        let hedging = try await HedgingNode(known: ["Cache-Control": "max-age=60"])
        let client = hedging.node.client(hedging.node.request())
        try await until { hedging.store.looking.held == 1 }
        hedging.node.clock.advance(seconds: Self.late - 0.001)
        hedging.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(hedging.requests == 0 && hedging.hedges == HedgeStatistics())
    }

    @Test func `a late look that is first after all ends the fetch, which is nobody's failure`() async throws
    {
        let hedging = try await HedgingNode(fetching: Gate(), known: ["Cache-Control": "max-age=60"])
        let client = try await hedging.lateClient()
        try await until { hedging.fetching.held == 1 }
        hedging.store.looking.open()
        let answer = try await client.value.get()
        #expect(answer.original.digest == Self.old.digest && answer.forwarding == nil)
        #expect(answer.store == StorePart(.hit(for: .uriMiss)))
        #expect(hedging.node.origin.cancelled == 1 && hedging.hedges == HedgeStatistics(store: 1))
        #expect(
            hedging.node.pipeline.fetches.running == 0 && hedging.node.pipeline.health.rememberedCount == 0)
        #expect(hedging.node.pipeline.failures.count == 0)
    }

    @Test func `a look that finds nothing leaves it to the origin, which is asked once`() async throws {
        let hedging = try await HedgingNode(fetching: Gate())
        let client = try await hedging.lateClient()
        try await until { hedging.fetching.held == 1 }
        hedging.store.looking.open()
        hedging.fetching.open()
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(hedging.requests == 1 && hedging.hedges == HedgeStatistics(origin: 1))
    }

    @Test(arguments: [OriginDouble.Line.status(503), .failure(.cannotConnect)])
    func `an origin that fails waits for the look`(line: OriginDouble.Line) async throws {
        let hedging = try await HedgingNode(known: ["Cache-Control": "max-age=60"])
        hedging.node.origin.says(line)
        let client = try await hedging.lateClient()
        try await until { hedging.requests == 1 && hedging.node.pipeline.fetches.running == 0 }
        hedging.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(hedging.hedges == HedgeStatistics(store: 1))
    }

    @Test func `an origin that fails fails the request if the store has nothing`() async throws {
        let hedging = try await HedgingNode()
        hedging.node.origin.says(.status(503))
        let client = try await hedging.lateClient()
        try await until { hedging.requests == 1 && hedging.node.pipeline.fetches.running == 0 }
        hedging.store.looking.open()
        guard case .originStatus(503, _)? = await client.value.failure?.reason else {
            Issue.record("no 503")
            return
        }
        #expect(hedging.requests == 1 && hedging.hedges == HedgeStatistics(neither: 1))
    }

    @Test func `what the origin has no more is not taken from the store`() async throws {
        let hedging = try await HedgingNode(known: ["Cache-Control": "max-age=60"])
        hedging.node.origin.says(.status(404))
        let client = try await hedging.lateClient()
        guard case .originStatus(404, _)? = await client.value.failure?.reason else {
            Issue.record("no 404")
            return
        }
        hedging.store.looking.open()
        #expect(await hedging.node.failure()?.isFromMemory == true)
        #expect(hedging.node.cache.originalCount == 0 && hedging.hedges == HedgeStatistics(origin: 1))
    }

    @Test func `parameters that the origin refuses are no news of what the store has`() async throws {
        let hedging = try await HedgingNode(known: ["Cache-Control": "max-age=60"])
        hedging.node.origin.says(.status(403))
        let client = try await hedging.lateClient("/a.jpg", sentTarget: "/a.jpg?sig=bad")
        try await until { hedging.requests == 1 && hedging.node.pipeline.fetches.running == 0 }
        hedging.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(hedging.hedges == HedgeStatistics(store: 1) && hedging.node.pipeline.failures.count == 0)
    }

    @Test func `a stale original that comes late is no answer`() async throws {
        let known = ["Cache-Control": "max-age=60", "Age": "3600", "ETag": "\"1\""]
        let hedging = try await HedgingNode(fetching: Gate(), reading: Gate(), known: known)
        let client = try await hedging.lateClient()
        try await until { hedging.fetching.held == 1 }
        hedging.store.looking.open()
        try await until { hedging.store.reading.held == 1 }
        hedging.store.reading.open()
        hedging.fetching.open()
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(hedging.requests == 1 && hedging.node.origin.cancelled == 0)
    }

    @Test func `bytes that come late are overtaken by the origin, and read no further`() async throws {
        let hedging = try await HedgingNode(
            looking: Gate(open: true), reading: Gate(), known: ["Cache-Control": "max-age=60"])
        let client = hedging.node.client(hedging.node.request())
        try await until { hedging.store.reading.held == 1 && hedging.node.pipeline.alarms.count == 1 }
        // The body's 11 bytes move the deadline by one microsecond.
        hedging.node.clock.advance(seconds: Self.late + 0.000_1)
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(hedging.store.cancelled == 1 && hedging.hedges == HedgeStatistics(origin: 1))
    }

    @Test func `a client that leaves ends the look and the fetch`() async throws {
        let hedging = try await HedgingNode(fetching: Gate())
        let client = try await hedging.lateClient()
        try await until { hedging.fetching.held == 1 }
        client.cancel()
        #expect(await client.value.failure?.reason == .cancelled)
        try await until { hedging.node.pipeline.workInFlight == 0 && hedging.store.cancelled == 1 }
        #expect(hedging.node.origin.cancelled == 1 && hedging.node.pipeline.fetches.running == 0)
        #expect(hedging.hedges == HedgeStatistics())
    }

    @Test func `a finding without bytes is taken over only for the bytes that it was found for`() async throws
    {
        let hedging = try await HedgingNode(looking: Gate(open: true), known: ["Cache-Control": "max-age=60"])
        let held = try await hedging.node.answer().original
        let entry = await hedging.store.original(held.key)
        let finding = SharedFinding<TestBody>(entry: try #require(entry))
        let epoch = hedging.node.pipeline.purges.epoch
        var other = held
        other.digest = Self.new.digest
        let laid = await hedging.node.pipeline.takeOver(finding, over: other, since: epoch)
        #expect(laid?.original.digest == nil)
        let taken = await hedging.node.pipeline.takeOver(finding, over: held, since: epoch)
        #expect(taken?.original.digest == Self.old.digest)
    }

    //   the look             the fetch            a purge
    //   is late              is held
    //                                             of everything
    //   finds the old one
    //                        is cancelled
    //   is not taken over
    //                        begins anew
    @Test func `what was purged while the look was late is not taken over`() async throws {
        let hedging = try await HedgingNode(fetching: Gate(), known: ["Cache-Control": "max-age=60"])
        let client = try await hedging.lateClient()
        try await until { hedging.fetching.held == 1 }
        _ = try await hedging.node.pipeline.purge(PurgeOrder(.all))
        hedging.store.looking.open()
        try await until { hedging.fetching.held == 2 }
        hedging.fetching.open()
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(hedging.node.cache.originalCount == 0)
    }

    // MARK: Bounds

    @Test func `a store that is late as a whole sends ten at once to the origins, and a tenth of the rest`()
        async throws
    {
        let hedging = try await HedgingNode(fetching: Gate())
        let clients = (0..<30).map { hedging.node.client(hedging.node.request("/\($0).jpg")) }
        try await until { hedging.store.looking.held == 30 && hedging.node.pipeline.alarms.count == 30 }
        hedging.node.clock.advance(seconds: Self.late)
        try await until { hedging.fetching.held == 10 }
        hedging.store.looking.open()
        hedging.fetching.open()
        for client in clients { _ = try await client.value.get() }
        #expect(hedging.hedges == HedgeStatistics(origin: 10) && hedging.requests == 30)
        var budget = HedgeBudget()
        var hedged = 0
        for _ in 0..<1_000 {
            budget.earn()
            if budget.spend() { hedged += 1 }
        }
        #expect((109...111).contains(hedged))
    }

    @Test(arguments: [Priority.prefetch, .refresh])
    func `nobody's wait is worth no second request`(priority: Priority) async throws {
        let hedging = try await HedgingNode()
        let client = try await hedging.lateClient(priority: priority)
        hedging.store.looking.open()
        _ = try await client.value.get()
        #expect(hedging.requests == 1 && hedging.hedges == HedgeStatistics())
    }

    @Test func `an origin that takes longer than the store's deadline is not asked before it`() async throws {
        let hedging = try await HedgingNode(fetching: Gate(), looking: Gate(open: true))
        let first = hedging.node.client(hedging.node.request("/first.jpg"))
        try await until { hedging.fetching.held == 1 }
        hedging.node.clock.advance(seconds: 0.3)
        hedging.fetching.open()
        _ = try await first.value.get()
        hedging.store.looking.close()
        let client = try await hedging.lateClient()
        hedging.store.looking.open()
        _ = try await client.value.get()
        #expect(hedging.requests == 2 && hedging.hedges == HedgeStatistics())
    }

    @Test func `an origin that was given up after longer than that is not asked before it either`()
        async throws
    {
        let hedging = try await HedgingNode(fetching: Gate(), looking: Gate(open: true))
        let first = hedging.node.client(hedging.node.request("/first.jpg"))
        try await until { hedging.fetching.held == 1 }
        hedging.node.clock.advance(seconds: 0.3)
        first.cancel()
        #expect(await first.value.failure?.reason == .cancelled)
        try await until { hedging.node.pipeline.fetches.running == 0 }
        hedging.fetching.open()
        hedging.store.looking.close()
        let client = try await hedging.lateClient()
        hedging.store.looking.open()
        _ = try await client.value.get()
        #expect(hedging.requests == 2 && hedging.hedges == HedgeStatistics())
    }

    // MARK: Leases

    @Test func `the lease is taken before the origin is asked, and given back if the store is first`()
        async throws
    {
        let clock = HandMovedClock()
        let board = LeaseBoard(clock: clock)
        let hedging = try await HedgingNode(
            fetching: Gate(), known: ["Cache-Control": "max-age=60"],
            leases: LeaseBoard.Port(board: board, node: "a"), clock: clock)
        let client = try await hedging.lateClient()
        try await until { hedging.fetching.held == 1 }
        #expect(board.held == 1)
        hedging.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(board.ends.first == .abandoned)
    }

    @Test func `a late look asks no origin that another node asks`() async throws {
        let clock = HandMovedClock()
        let board = LeaseBoard(clock: clock)
        let hedging = try await HedgingNode(
            known: ["Cache-Control": "max-age=60"], leases: LeaseBoard.Port(board: board, node: "a"),
            clock: clock)
        let name = LeaseName.original(OriginalKey(url: "http://origin.test/a.jpg"), clock)
        guard case .led = await LeaseBoard.Port(board: board, node: "b").take(name, over: nil) else {
            Issue.record("no lease")
            return
        }
        let client = try await hedging.lateClient()
        try await until { board.questions(of: "a") == 1 }
        hedging.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(hedging.requests == 0 && hedging.hedges == HedgeStatistics(store: 1))
    }
}
