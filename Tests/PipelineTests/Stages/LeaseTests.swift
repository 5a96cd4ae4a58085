// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
@testable import Pipeline
import Recipes
import SourceURLs
import Testing

/// Several nodes with one shared store and one table of leases. They share a clock and gates, and have an origin each.
private struct Fleet {
    let clock = HandMovedClock()
    let fetching: Gate
    let rendering: Gate
    let writing: Gate
    let store: SharedStoreDouble
    let board: LeaseBoard
    let nodes: [NodeUnderTest]

    init(
        _ names: [String] = ["a", "b", "c"], fetching: Gate = Gate(open: true),
        rendering: Gate = Gate(open: true), writing: Gate = Gate(open: true),
        wait: Int64 = 3_600_000_000
    ) {
        (self.fetching, self.rendering, self.writing) = (fetching, rendering, writing)
        let (clock, store, board) = (clock, SharedStoreDouble(gate: writing), LeaseBoard(clock: clock))
        (self.store, self.board) = (store, board)
        nodes = names.map { name in
            NodeUnderTest(
                fetching: fetching, rendering: rendering, clock: clock, store: store,
                leases: LeaseBoard.Port(board: board, node: name)
            ) { $0.leaseWait = wait }
        }
    }

    var fetches: Int { nodes.reduce(0) { $0 + $1.origin.requests.count } }
    var renderings: Int { nodes.reduce(0) { $0 + $1.decoder.jobs.count } }
    func total(_ way: KeyPath<LeaseStatistics, Int>) -> Int {
        nodes.reduce(0) { $0 + $1.pipeline.leaseStatistics[keyPath: way] }
    }

    /// Moves time from one request for a lease to the next, until the condition holds.
    func pass(until condition: () -> Bool) async throws {
        while !condition() {
            try Task.checkCancellation()
            clock.advanceToNextAlarm(within: 0.1)
            await Task.yield()
        }
    }

    /// The bodies that the clients get while time passes; nil for a failure.
    func bodies(_ clients: [Client]) async -> [TestBody?] {
        let time = Task { try await pass { Task.isCancelled } }
        defer { time.cancel() }
        var bodies: [TestBody?] = []
        for client in clients { bodies.append(try? await client.value.get().body) }
        return bodies
    }
}

private typealias Client = TestTask<Result<Answer<TestBody>, PipelineFailure>>

@Suite(.timeLimit(.minutes(1)))
struct LeaseTests {
    private typealias Client = TestTask<Result<Answer<TestBody>, PipelineFailure>>

    private func bodies(_ clients: [Client]) async -> [TestBody?] {
        var bodies: [TestBody?] = []
        for client in clients { bodies.append(try? await client.value.get().body) }
        return bodies
    }

    @Test func `nodes wait for one another's fetches with the same parameters alone`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        func client(_ node: Int, _ signature: String) -> Client {
            var request = fleet.nodes[node].request()
            request.source = SourceURL(
                scheme: .http, host: "origin.test", port: 80, target: "/a.jpg",
                sentTarget: "/a.jpg?sig=\(signature)")
            return fleet.nodes[node].client(request)
        }
        let first = client(0, "one")
        try await until { fleet.fetching.held == 1 }
        let other = client(1, "two")
        try await until { fleet.fetching.held == 2 }
        let same = client(1, "one")
        try await until { fleet.board.questions(of: "b") >= 2 }
        fleet.fetching.open()
        let bodies = await fleet.bodies([first, other, same])
        #expect(bodies.allSatisfy { $0 != nil } && fleet.fetches == 2)
    }

    @Test
    func `300 requests over three nodes for one cold URL in three sizes are one fetch and three renderings`()
        async throws
    {
        let fleet = Fleet(fetching: Gate(), rendering: Gate())
        let clients = (0..<300).map { number in
            let node = fleet.nodes[number % 3]
            return node.client(node.request(width: 100 + number / 3 % 3))
        }
        try await until {
            fleet.nodes.allSatisfy { $0.pipeline.originals.waiting == 100 } && fleet.fetching.held == 1
                && fleet.nodes.count { $0.pipeline.fetches.running > 0 } == 1
        }
        fleet.fetching.open()
        try await fleet.pass { fleet.nodes.allSatisfy { $0.pipeline.renditions.waiting == 100 } }
        // One lease for the original and three for the renditions.
        try await until { ["a", "b", "c"].allSatisfy { fleet.board.leases(askedBy: $0) == 4 } }
        try await until { fleet.rendering.held == 3 }
        fleet.rendering.open()
        let made = await fleet.bodies(clients)
        #expect(!made.contains(nil) && Set(made).count == 3)
        #expect(fleet.fetches == 1 && fleet.renderings == 3)
        #expect(fleet.total(\.led) == 4 && fleet.total(\.followed) == 8)
        try await until { fleet.board.held == 0 }
        #expect(fleet.board.ends == [.done, .done, .done, .done])
    }

    @Test func `what is held is asked no lease for`() async throws {
        let fleet = Fleet()
        try await fleet.nodes[0].answer()
        let asked = fleet.board.questions(of: "a")
        #expect(asked == 2)
        try await fleet.nodes[0].answer()
        #expect(fleet.board.questions(of: "a") == asked)
    }

    @Test func `what the store has is asked no lease for`() async throws {
        let fleet = Fleet()
        try await fleet.nodes[0].answer()
        try await until { fleet.board.held == 0 }
        let answer = try await fleet.nodes[1].answer()
        #expect(answer.outcome == .sharedHit && fleet.board.questions(of: "b") == 0)
    }

    @Test func `a node without a shared store asks for no leases`() async throws {
        let clock = HandMovedClock()
        let board = LeaseBoard(clock: clock)
        let node = NodeUnderTest(clock: clock, leases: LeaseBoard.Port(board: board, node: "a"))
        try await node.answer()
        #expect(board.questions(of: "a") == 0)
    }

    @Test func `without leases each node works for itself`() async throws {
        let fleet = Fleet()
        fleet.board.goAway()
        for node in fleet.nodes { try await node.answer() }
        #expect(fleet.fetches == 3 && fleet.renderings == 3 && fleet.total(\.unavailable) == 6)
    }

    @Test func `leases that go away meanwhile free those who wait`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        fleet.board.goAway()
        try await fleet.pass { fleet.fetching.held == 2 }
        #expect(fleet.nodes[1].pipeline.leaseStatistics.unavailable == 1)
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
    }

    @Test func `a leader that takes too long is waited for so long`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate(), wait: 2_000_000)
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await fleet.pass { fleet.fetching.held == 2 }
        let waited = Double(fleet.clock.ticks()) / 1_000_000
        #expect((2.0..<2.1).contains(waited), "\(waited)")
        #expect(fleet.total(\.expired) == 1)
        #expect(fleet.nodes[1].pipeline.leaseStatistics.waited >= 2_000_000)
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
    }

    @Test func `a leader that died is followed once its lease is over`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        fleet.board.kill("a")
        fleet.clock.advance(seconds: LeaseBoard.seconds - 1)
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await fleet.pass { fleet.fetching.held == 2 }
        let waited = Double(fleet.clock.ticks()) / 1_000_000
        #expect((10.0..<10.1).contains(waited), "\(waited)")
        #expect(fleet.nodes[1].pipeline.leaseStatistics.led == 1)
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
    }

    @Test func `what a leader wrote before it died is used`() async throws {
        let fleet = Fleet(["a", "b"], writing: Gate())
        try await fleet.nodes[0].answer()
        fleet.board.kill("a")
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        fleet.store.takeOffers()
        #expect(!(await fleet.bodies([second])).contains(nil))
        #expect(fleet.clock.ticks() >= 10_000_000)
        #expect(fleet.nodes[1].origin.requests.isEmpty && fleet.renderings == 1)
        #expect(fleet.nodes[1].pipeline.leaseStatistics.followed == 1)
    }

    @Test func `an original is followed when it is written, not before`() async throws {
        let fleet = Fleet(["a", "b"], writing: Gate())
        try await fleet.nodes[0].answer()
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        #expect(fleet.board.held == 2)
        fleet.writing.open()
        try await until { fleet.board.held == 0 }
        #expect(!(await fleet.bodies([second])).contains(nil))
        #expect(fleet.fetches == 1 && fleet.renderings == 1)
    }

    @Test func `a store that does not take it frees those who wait`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        fleet.store.refuse()
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        fleet.fetching.open()
        try await fleet.pass { fleet.nodes[1].origin.requests.count == 1 }
        #expect(!(await fleet.bodies([first, second])).contains(nil))
        #expect(fleet.total(\.unshared) > 0 && fleet.total(\.expired) == 0)
    }

    @Test(arguments: ["no-store", "no-cache", "max-age=0"])
    func `what each node must ask for itself is not waited for in turns`(rule: String) async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        for node in fleet.nodes {
            node.origin.says(.picture(TestBody(content: "one"), ["Cache-Control": rule]))
        }
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        fleet.fetching.open()
        try await fleet.pass { fleet.nodes[1].origin.requests.count == 1 }
        #expect(!(await fleet.bodies([first, second])).contains(nil))
        #expect(fleet.board.ends.first == .unshared)
    }

    @Test func `a failure frees those who wait, and they ask for themselves`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        for node in fleet.nodes { node.origin.says(.status(404)) }
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        fleet.fetching.open()
        try await fleet.pass { fleet.nodes[1].origin.requests.count == 1 }
        for client in [first, second] {
            guard case .originStatus(404, _)? = await client.value.failure?.reason else {
                Issue.record("no 404")
                continue
            }
        }
        #expect(fleet.board.ends == [.unshared])
    }

    @Test func `a leader whose clients have left gives its lease to another`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        first.cancel()
        try await until { fleet.board.ends == [.abandoned] }
        try await fleet.pass { fleet.fetching.held == 2 }
        #expect(fleet.nodes[1].pipeline.leaseStatistics.led == 1)
        fleet.fetching.open()
        #expect(!(await fleet.bodies([second])).contains(nil))
    }

    @Test func `who waits for another node leaves at once, and asks for nothing any more`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        second.cancel()
        #expect(await second.value.failure?.reason == .cancelled)
        try await until { fleet.nodes[1].pipeline.workInFlight == 0 }
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first])).contains(nil))
        #expect(fleet.nodes[1].origin.requests.isEmpty)
    }

    @Test func `who waits holds no permit`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        let second = fleet.nodes[1].client(fleet.nodes[1].request())
        try await until { fleet.board.questions(of: "b") == 1 }
        #expect(fleet.nodes[1].pipeline.fetches.running == 0)
        #expect(fleet.nodes[0].pipeline.fetches.running == 1)
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
    }

    //   its fetch             a purge              a new request
    //   holds the lease
    //                         closes it
    //                                              the lease is this node's: asks without
    @Test func `after a purge, a node waits for no fetch of its own from before`() async throws {
        let fleet = Fleet(["a"], fetching: Gate())
        let node = fleet.nodes[0]
        let first = node.client(node.request())
        try await until { fleet.fetching.held == 1 }
        _ = try await node.pipeline.purge(PurgeOrder(.all))
        let second = node.client(node.request())
        try await until { fleet.fetching.held == 2 }
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
        #expect(fleet.clock.ticks() == 0)
    }

    @Test func `one node confirms a stale original for all`() async throws {
        let fleet = Fleet(["a", "b"])
        for node in fleet.nodes { try await node.answer() }
        try await until { fleet.board.held == 0 }
        fleet.clock.advance(seconds: 61)
        fleet.fetching.close()
        for node in fleet.nodes { node.origin.says(.notModified(["Cache-Control": "max-age=60"])) }
        let before = fleet.fetches
        let clients = fleet.nodes.map { $0.client($0.request()) }
        try await until { fleet.nodes.allSatisfy { $0.pipeline.originals.waiting == 1 } }
        try await until { fleet.fetching.held == 1 }
        fleet.fetching.open()
        #expect(!(await fleet.bodies(clients)).contains(nil))
        #expect(fleet.fetches == before + 1)
    }

    /// Two nodes that hold an original; the first one is making its rendition of this width.
    private func making(width: Int) async throws -> (Fleet, first: Client) {
        let fleet = Fleet(["a", "b"], rendering: Gate(open: true))
        try await fleet.nodes[0].answer()
        try await until { fleet.board.held == 0 }
        try await fleet.nodes[1].answer()
        fleet.rendering.close()
        let first = fleet.nodes[0].client(fleet.nodes[0].request(width: width))
        try await until { fleet.rendering.held == 1 }
        return (fleet, first)
    }

    @Test func `a client's only-if-cached waits for no rendering of another node`() async throws {
        let (fleet, first) = try await making(width: 50)
        var request = fleet.nodes[1].request(width: 50)
        request.directives.onlyIfCached = true
        let second = fleet.nodes[1].client(request)
        try await until { fleet.rendering.held == 2 }
        #expect(fleet.board.questions(of: "b") == 0)
        fleet.rendering.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
    }

    @Test func `a client's only-if-cached joins no request that waits for another node`() async throws {
        let (fleet, first) = try await making(width: 50)
        var request = fleet.nodes[1].request(width: 50)
        let second = fleet.nodes[1].client(request)
        try await until { fleet.board.questions(of: "b") == 1 }
        request.directives.onlyIfCached = true
        let third = fleet.nodes[1].client(request)
        try await until { fleet.rendering.held == 2 }
        fleet.rendering.open()
        #expect(!(await fleet.bodies([first, second, third])).contains(nil))
        #expect(fleet.nodes[1].decoder.jobs.count == 1)
    }

    @Test func `a client's no-cache waits for nobody`() async throws {
        let fleet = Fleet(["a", "b"], fetching: Gate())
        let first = fleet.nodes[0].client(fleet.nodes[0].request())
        try await until { fleet.fetching.held == 1 }
        var request = fleet.nodes[1].request()
        request.directives.noCache = true
        let second = fleet.nodes[1].client(request)
        try await until { fleet.fetching.held == 2 }
        fleet.fetching.open()
        #expect(!(await fleet.bodies([first, second])).contains(nil))
    }
}
