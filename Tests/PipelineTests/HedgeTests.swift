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

    /// A node whose store is late after 20 ms, and waited for 300.
    private struct Node {
        let fetching: Gate
        let store: SharedStoreDouble
        let world: World

        /// - Parameter known: what another node has written before.
        init(
            fetching: Gate = Gate(open: true), looking: Gate = Gate(), reading: Gate = Gate(open: true),
            known: [String: String]? = nil, leases: (any LeasePort)? = nil,
            clock: HandMovedClock = HandMovedClock()
        ) async throws {
            self.fetching = fetching
            store = SharedStoreDouble(
                looking: looking, reading: reading, times: LookTimes(late: 20_000, deadline: 300_000))
            world = World(fetching: fetching, clock: clock, store: store, leases: leases)
            world.origin.says(.picture(new, ["Cache-Control": "max-age=60"]))
            guard let known else { return }
            let other = SharedStoreDouble()
            let writer = World(clock: clock, store: other)
            writer.origin.says(.picture(old, known))
            try await writer.answer()
            other.takeOffers()
            await other.copy(to: store, "http://origin.test/a.jpg")
        }

        var hedges: HedgeStatistics { world.pipeline.hedgeCounters.statistics }
        var requests: Int { world.origin.requests.count }

        /// A client whose look has become late.
        func lateClient(
            _ path: String = "/a.jpg", sentTarget: String? = nil, priority: Priority = .interactive
        ) async throws -> TestTask<Result<Answer<TestBody>, PipelineFailure>> {
            let looks = store.looking.held
            var request = world.request(path, priority: priority)
            request.source = SourceURL(
                scheme: .http, host: "origin.test", port: 80, target: path, sentTarget: sentTarget)
            let client = world.client(request)
            try await until { store.looking.held == looks + 1 && world.pipeline.alarms.count == 1 }
            world.clock.advance(seconds: late)
            return client
        }
    }

    @Test func `what the origin gives first is the answer, and nothing waits for the store`() async throws {
        let node = try await Node(known: ["Cache-Control": "max-age=60"])
        let client = try await node.lateClient()
        let answer = try await client.value.get()
        #expect(answer.original.digest == Self.new.digest && answer.outcome == .rendered)
        #expect(node.requests == 1 && node.hedges == HedgeStatistics(origin: 1))
        // The store was not asked for the rendition either.
        #expect(node.store.looks == 0)
        // What the look finds now is too late.
        node.store.looking.open()
        try await node.world.answer()
        #expect(node.requests == 1)
        #expect(node.world.cache.original(answer.original.key)?.digest == Self.new.digest)
    }

    @Test func `a look in time asks no origin`() async throws {
        let node = try await Node(known: ["Cache-Control": "max-age=60"])
        let client = node.world.client(node.world.request())
        try await until { node.store.looking.held == 1 }
        node.world.clock.advance(seconds: Self.late - 0.001)
        node.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(node.requests == 0 && node.hedges == HedgeStatistics())
    }

    @Test func `a late look that is first after all ends the fetch, which is nobody's failure`() async throws
    {
        let node = try await Node(fetching: Gate(), known: ["Cache-Control": "max-age=60"])
        let client = try await node.lateClient()
        try await until { node.fetching.held == 1 }
        node.store.looking.open()
        let answer = try await client.value.get()
        #expect(answer.original.digest == Self.old.digest && answer.forwarding == nil)
        #expect(node.world.origin.cancelled == 1 && node.hedges == HedgeStatistics(store: 1))
        #expect(node.world.pipeline.fetches.running == 0 && node.world.pipeline.health.rememberedCount == 0)
        #expect(node.world.pipeline.failures.count == 0)
    }

    @Test func `a look that finds nothing leaves it to the origin, which is asked once`() async throws {
        let node = try await Node(fetching: Gate())
        let client = try await node.lateClient()
        try await until { node.fetching.held == 1 }
        node.store.looking.open()
        node.fetching.open()
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(node.requests == 1 && node.hedges == HedgeStatistics(origin: 1))
    }

    @Test(arguments: [ScriptedOrigin.Line.status(503), .failure(.cannotConnect)])
    func `an origin that fails waits for the look`(line: ScriptedOrigin.Line) async throws {
        let node = try await Node(known: ["Cache-Control": "max-age=60"])
        node.world.origin.says(line)
        let client = try await node.lateClient()
        try await until { node.requests == 1 && node.world.pipeline.fetches.running == 0 }
        node.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(node.hedges == HedgeStatistics(store: 1))
    }

    @Test func `an origin that fails fails the request if the store has nothing`() async throws {
        let node = try await Node()
        node.world.origin.says(.status(503))
        let client = try await node.lateClient()
        try await until { node.requests == 1 && node.world.pipeline.fetches.running == 0 }
        node.store.looking.open()
        guard case .originStatus(503, _)? = await client.value.failure?.reason else {
            Issue.record("no 503")
            return
        }
        #expect(node.requests == 1 && node.hedges == HedgeStatistics(neither: 1))
    }

    @Test func `what the origin has no more is not taken from the store`() async throws {
        let node = try await Node(known: ["Cache-Control": "max-age=60"])
        node.world.origin.says(.status(404))
        let client = try await node.lateClient()
        guard case .originStatus(404, _)? = await client.value.failure?.reason else {
            Issue.record("no 404")
            return
        }
        node.store.looking.open()
        #expect(await node.world.failure()?.isFromMemory == true)
        #expect(node.world.cache.originalCount == 0 && node.hedges == HedgeStatistics(origin: 1))
    }

    @Test func `parameters that the origin refuses are no news of what the store has`() async throws {
        let node = try await Node(known: ["Cache-Control": "max-age=60"])
        node.world.origin.says(.status(403))
        let client = try await node.lateClient("/a.jpg", sentTarget: "/a.jpg?sig=bad")
        try await until { node.requests == 1 && node.world.pipeline.fetches.running == 0 }
        node.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(node.hedges == HedgeStatistics(store: 1) && node.world.pipeline.failures.count == 0)
    }

    @Test func `a stale original that comes late is no answer`() async throws {
        let known = ["Cache-Control": "max-age=60", "Age": "3600", "ETag": "\"1\""]
        let node = try await Node(fetching: Gate(), reading: Gate(), known: known)
        let client = try await node.lateClient()
        try await until { node.fetching.held == 1 }
        node.store.looking.open()
        try await until { node.store.reading.held == 1 }
        node.store.reading.open()
        node.fetching.open()
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(node.requests == 1 && node.world.origin.cancelled == 0)
    }

    @Test func `bytes that come late are overtaken by the origin, and read no further`() async throws {
        let node = try await Node(
            looking: Gate(open: true), reading: Gate(), known: ["Cache-Control": "max-age=60"])
        let client = node.world.client(node.world.request())
        try await until { node.store.reading.held == 1 && node.world.pipeline.alarms.count == 1 }
        // 11 bytes take a microsecond more.
        node.world.clock.advance(seconds: Self.late + 0.000_1)
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(node.store.cancelled == 1 && node.hedges == HedgeStatistics(origin: 1))
    }

    @Test func `a client that leaves ends the look and the fetch`() async throws {
        let node = try await Node(fetching: Gate())
        let client = try await node.lateClient()
        try await until { node.fetching.held == 1 }
        client.cancel()
        #expect(await client.value.failure?.reason == .cancelled)
        try await until { node.world.pipeline.workInFlight == 0 && node.store.cancelled == 1 }
        #expect(node.world.origin.cancelled == 1 && node.world.pipeline.fetches.running == 0)
        #expect(node.hedges == HedgeStatistics())
    }

    @Test func `a finding without bytes is taken over only for the bytes that it was found for`() async throws
    {
        let node = try await Node(looking: Gate(open: true), known: ["Cache-Control": "max-age=60"])
        let held = try await node.world.answer().original
        let entry = await node.store.original(held.key)
        let finding = SharedFinding<TestBody>(entry: try #require(entry))
        let epoch = node.world.pipeline.purges.epoch
        var other = held
        other.digest = Self.new.digest
        let laid = await node.world.pipeline.takeOver(finding, over: other, since: epoch)
        #expect(laid?.original.digest == nil)
        let taken = await node.world.pipeline.takeOver(finding, over: held, since: epoch)
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
        let node = try await Node(fetching: Gate(), known: ["Cache-Control": "max-age=60"])
        let client = try await node.lateClient()
        try await until { node.fetching.held == 1 }
        _ = try await node.world.pipeline.purge(PurgeOrder(.all))
        node.store.looking.open()
        try await until { node.fetching.held == 2 }
        node.fetching.open()
        #expect(try await client.value.get().original.digest == Self.new.digest)
        #expect(node.world.cache.originalCount == 0)
    }

    // MARK: Bounds

    @Test func `a store that is late as a whole sends ten at once to the origins, and a tenth of the rest`()
        async throws
    {
        let node = try await Node(fetching: Gate())
        let clients = (0..<30).map { node.world.client(node.world.request("/\($0).jpg")) }
        try await until { node.store.looking.held == 30 && node.world.pipeline.alarms.count == 30 }
        node.world.clock.advance(seconds: Self.late)
        try await until { node.fetching.held == 10 }
        node.store.looking.open()
        node.fetching.open()
        for client in clients { _ = try await client.value.get() }
        #expect(node.hedges == HedgeStatistics(origin: 10) && node.requests == 30)
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
        let node = try await Node()
        let client = try await node.lateClient(priority: priority)
        node.store.looking.open()
        _ = try await client.value.get()
        #expect(node.requests == 1 && node.hedges == HedgeStatistics())
    }

    @Test func `an origin that takes longer than the store's deadline is not asked before it`() async throws {
        let node = try await Node(fetching: Gate(), looking: Gate(open: true))
        let first = node.world.client(node.world.request("/first.jpg"))
        try await until { node.fetching.held == 1 }
        node.world.clock.advance(seconds: 0.3)
        node.fetching.open()
        _ = try await first.value.get()
        node.store.looking.close()
        let client = try await node.lateClient()
        node.store.looking.open()
        _ = try await client.value.get()
        #expect(node.requests == 2 && node.hedges == HedgeStatistics())
    }

    @Test func `an origin that was given up after longer than that is not asked before it either`()
        async throws
    {
        let node = try await Node(fetching: Gate(), looking: Gate(open: true))
        let first = node.world.client(node.world.request("/first.jpg"))
        try await until { node.fetching.held == 1 }
        node.world.clock.advance(seconds: 0.3)
        first.cancel()
        #expect(await first.value.failure?.reason == .cancelled)
        try await until { node.world.pipeline.fetches.running == 0 }
        node.fetching.open()
        node.store.looking.close()
        let client = try await node.lateClient()
        node.store.looking.open()
        _ = try await client.value.get()
        #expect(node.requests == 2 && node.hedges == HedgeStatistics())
    }

    // MARK: Leases

    @Test func `the lease is taken before the origin is asked, and given back if the store is first`()
        async throws
    {
        let clock = HandMovedClock()
        let board = LeaseBoard(clock: clock)
        let node = try await Node(
            fetching: Gate(), known: ["Cache-Control": "max-age=60"],
            leases: LeaseBoard.Port(board: board, node: "a"), clock: clock)
        let client = try await node.lateClient()
        try await until { node.fetching.held == 1 }
        #expect(board.held == 1)
        node.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(board.ends.first == .abandoned)
    }

    @Test func `a late look asks no origin that another node asks`() async throws {
        let clock = HandMovedClock()
        let board = LeaseBoard(clock: clock)
        let node = try await Node(
            known: ["Cache-Control": "max-age=60"], leases: LeaseBoard.Port(board: board, node: "a"),
            clock: clock)
        let name = LeaseName.original(OriginalKey(url: "http://origin.test/a.jpg"), clock)
        guard case .led = await LeaseBoard.Port(board: board, node: "b").take(name, over: nil) else {
            Issue.record("no lease")
            return
        }
        let client = try await node.lateClient()
        try await until { board.questions(of: "a") == 1 }
        node.store.looking.open()
        #expect(try await client.value.get().original.digest == Self.old.digest)
        #expect(node.requests == 0 && node.hedges == HedgeStatistics(store: 1))
    }
}
