// SPDX-License-Identifier: Apache-2.0

@testable import Fleet
import Testing

/// A link's decisions in a class, so that the expectations' macros can change them. The longest pause is 1 s, and the proving
/// time is 2 s, or 15 s where greetings are in doubt.
private final class Link {
    static let redis = RedisAddress(.host("a.test", port: 6379))
    static let node = RedisAddress(.host("b.test", port: 7001))
    private var value: RedisLinkState

    init() {
        var configuration = RedisConfiguration([Self.redis])
        (configuration.longestRest, configuration.provingTime) = (.seconds(1), .seconds(2))
        configuration.doubtfulProvingTime = .seconds(15)
        value = RedisLinkState(configuration)
    }

    var isUp: Bool { value.isUp }
    var isMoving: Bool { isUnderWay(1) }
    func isUnderWay(_ move: Int) -> Bool { value.isUnderWay(move) }
    var why: String { value.why }
    var proof: Int64? { value.proof }
    var connects: Int { value.connects }
    func refusal(waits: Bool = false) -> RedisFailure? { value.refusal(waits: waits) }
    func connecting() -> RedisAddress? { value.connecting().moved }
    func turn() -> Int { value.connecting().turn }
    func connected(at now: Int64 = 0) { value.connected(at: now) }
    func answered() -> RedisEvent? { value.answered(by: Self.redis) }
    func lasted(at now: Int64) -> RedisEvent? { value.lasted(with: Self.redis, at: now) }
    func ended(afterQuiet quiet: Int64) -> RedisLinkState.Action? { value.ended(afterQuiet: quiet) }
    func move() { value.move(to: Self.node) }
    func doubtGreetings() { value.doubtGreetings() }
    func close() { value.close() }
    @discardableResult
    func failed(_ words: String = "away", at now: Int64 = 0, chance: Double = 0) -> RedisLinkState.Action {
        value.failed(.away(words), at: now, chance: chance)
    }

    /// When the pause after one more failure, at time 0, ends.
    func rest(chance: Double = 0) -> Int64? {
        if case .rest(let end, _) = failed(chance: chance) { end } else { nil }
    }
}

@Suite("A link decides by what happens to it")
struct RedisLinkStateTests {
    private static let first = RedisLinkState.firstRest

    @Test func `before a connection only those are taken that wait for one`() {
        let link = Link()
        #expect(!link.isUp && link.refusal() == .away("not connected yet"))
        #expect(link.refusal(waits: true) == nil)
    }

    @Test func `what has greeted takes commands`() {
        let link = Link()
        link.connected()
        #expect(link.isUp && link.refusal() == nil && link.connects == 1)
    }

    @Test func `what greets is tried for a while, then counts as good`() {
        let link = Link()
        link.connected(at: 5)
        #expect(link.proof == 2_000_005)
        #expect(link.lasted(at: 2_000_004) == nil && link.proof != nil)
        #expect(link.lasted(at: 2_000_005) == nil && link.proof == nil)
        #expect(link.isUp)
    }

    @Test func `a command that is carried out proves the connection at once`() {
        let link = Link()
        link.connected()
        #expect(link.answered() == nil && link.proof == nil && link.isUp)
    }

    @Test func `a failure refuses commands with its reason`() {
        let link = Link()
        link.connected()
        link.failed("the connection ended")
        #expect(!link.isUp && link.why == "the connection ended")
        #expect(link.refusal() == .away("the connection ended") && link.refusal(waits: true) == nil)
    }

    @Test func `operators hear of the first failure alone, and of the first command after it`() {
        let link = Link()
        #expect(link.failed("one") == .rest(until: Self.first / 2, .away("one")))
        #expect(link.failed("two") == .rest(until: Self.first, nil))
        link.connected()
        #expect(link.answered() == .back("a.test:6379"))
        #expect(link.answered() == nil)
    }

    @Test func `operators hear that a connection lasts`() {
        let link = Link()
        link.failed()
        link.connected()
        #expect(link.lasted(at: 2_000_000) == .back("a.test:6379"))
        #expect(link.lasted(at: 4_000_000) == nil)
    }

    @Test func `after a greeting and a refusal, a connection without commands is back later`() {
        let link = Link()
        link.connected()
        link.doubtGreetings()
        link.failed("CLUSTERDOWN")
        link.connected()
        #expect(link.lasted(at: 14_999_999) == nil)
        #expect(link.lasted(at: 15_000_000) == .back("a.test:6379"))
    }

    @Test func `after a node has led on, a connection is back later, or with a command at once`() {
        let link = Link()
        link.connected()
        link.move()
        link.failed("moved")
        #expect(link.connecting() == Link.node)
        link.failed("dead")
        link.connected()
        #expect(link.lasted(at: 2_000_000) == nil)
        #expect(link.answered() == .back("a.test:6379"))
    }

    @Test func `one that greets and ends before it carries anything out is neither back nor away again`() {
        let link = Link()
        link.failed()
        link.connected()
        #expect(link.failed() == .rest(until: Self.first, nil))
    }

    @Test func `a connection that began well and ended is away again`() {
        let link = Link()
        link.failed()
        link.connected()
        _ = link.answered()
        #expect(link.failed("again") == .rest(until: Self.first / 2, .away("again")))
    }

    @Test func `a good connection that Redis closes while it is idle is made again at once`() {
        let link = Link()
        link.connected()
        #expect(link.ended(afterQuiet: 5_000_000) == nil, "it has proved nothing yet")
        _ = link.answered()
        #expect(link.ended(afterQuiet: 999_999) == nil, "it was not idle")
        #expect(link.ended(afterQuiet: 1_000_000) == .goOn(move: 1))
        #expect(link.isMoving && link.isUp && link.refusal() == nil)
        #expect(link.connecting() == nil && link.turn() == 0, "the same address is tried first")
        link.connected()
        #expect(link.answered() == nil)
    }

    @Test func `where that fails, Redis is away as ever`() {
        let link = Link()
        link.connected()
        _ = link.answered()
        #expect(link.ended(afterQuiet: 1_000_000) == .goOn(move: 1))
        #expect(link.failed("dead") == .rest(until: Self.first / 2, .away("dead")))
        #expect(link.ended(afterQuiet: 1_000_000) == nil && !link.isUp)
    }

    @Test func `rests double up to the longest`() {
        let link = Link()
        #expect((0..<6).map { _ in link.rest() } == [50_000, 100_000, 200_000, 400_000, 500_000, 500_000])
        for _ in 0..<100 { link.failed() }
        #expect(link.rest() == 500_000)
    }

    @Test func `half of a rest is by chance`() {
        let link = Link()
        #expect(link.rest(chance: 0.5) == Self.first * 3 / 4)
    }

    @Test func `rests begin anew once a connection was proven, and not when one has greeted`() {
        let link = Link()
        for _ in 0..<3 { link.failed() }
        link.connected()
        #expect(link.rest() == 400_000)
        link.connected()
        _ = link.answered()
        #expect(link.rest() == 50_000)
    }

    @Test func `each failure begins with the next address`() {
        let link = Link()
        #expect(link.turn() == 0)
        link.failed()
        #expect(link.turn() == 1)
        link.connected()
        _ = link.answered()
        link.failed()
        #expect(link.turn() == 2)
    }

    @Test func `a move goes on at once, and takes commands meanwhile`() {
        let link = Link()
        link.connected()
        link.move()
        #expect(link.failed("moved") == .goOn(move: 1))
        #expect(link.isMoving && link.isUp && link.refusal() == nil)
        #expect(link.connecting() == Link.node && link.turn() == 0)
        #expect(link.isMoving, "while it connects")
        link.connected()
        #expect(!link.isMoving && link.isUp && link.connects == 2)
    }

    @Test func `a node that is moved to and away is left for the addresses`() {
        let link = Link()
        link.connected()
        link.move()
        link.failed("moved")
        #expect(link.connecting() == Link.node)
        #expect(link.failed("dead") == .rest(until: Self.first / 2, .away("dead")))
        #expect(!link.isMoving && !link.isUp && link.connecting() == nil)
    }

    @Test func `a move ends with its connection, though the next node leads on at once`() {
        let link = Link()
        for move in 1...3 {
            link.connected()
            link.move()
            #expect(link.failed("moved") == .goOn(move: move))
            #expect(link.isUnderWay(move) && !link.isUnderWay(move - 1))
            #expect(link.connecting() == Link.node)
        }
        link.connected()
        #expect(!link.isUnderWay(3))
    }

    @Test func `a closed link takes nothing and reports nothing`() {
        let link = Link()
        link.connected()
        link.close()
        #expect(link.refusal() == .closed && link.refusal(waits: true) == .closed)
        #expect(link.failed() == .rest(until: Self.first / 2, nil))
    }

    @Test(arguments: [
        (RedisReply.number(1), RedisLinkState.Meaning.carriedOut), (.none, .carriedOut),
        (.error("ERR no such command"), .refused), (.error(""), .refused),
        (.error("MOVED 1 b.test:7001"), .moved(Link.node)), (.error("MOVED 1 nowhere"), .refused),
        (.error("MOVED 1"), .refused), (.error("ASK 1 b.test:7001"), .asked(Link.node)),
        (.error("ASK 1 nowhere"), .refused), (.error("ASK"), .refused),
        (.error("READONLY a replica"), .unfit("READONLY a replica")), (.error("LOADING"), .unfit("LOADING")),
        (.error("MASTERDOWN"), .unfit("MASTERDOWN")), (.error("CLUSTERDOWN"), .unfit("CLUSTERDOWN")),
    ])
    func `a reply tells whether the node is the right one`(reply: RedisReply, meaning: RedisLinkState.Meaning)
    {
        #expect(RedisLinkState.meaning(of: reply, after: 0, from: Link.redis) == meaning)
    }

    /// A link that sends only scripts could not tell a replica in another way.
    @Test func `a replica before Redis 7 is known by what it says of a script`() {
        func meaning(_ reason: String) -> RedisLinkState.Meaning {
            let words =
                "ERR Error running script (call to f_0a1b): @user_script:3: @user_script: 3: \(reason)"
            return RedisLinkState.meaning(of: .error(words), after: 0, from: Link.redis)
        }
        guard case .unfit(let words) = meaning("-READONLY You can't write against a read only replica.")
        else {
            Issue.record("it counts as refused")
            return
        }
        #expect(words.hasSuffix("read only replica."))
        #expect(meaning("-OOM command not allowed when used memory > 'maxmemory'.") == .refused)
        let other = RedisReply.error("ERR unknown command '-READONLY', with args")
        #expect(RedisLinkState.meaning(of: other, after: 0, from: Link.redis) == .refused)
    }

    @Test func `a command that is sent about goes no further than three nodes`() {
        let moved = RedisReply.error("MOVED 1 b.test:7001")
        let most = RedisLinkState.mostMoves
        #expect(
            RedisLinkState.meaning(of: moved, after: most - 1, from: Link.redis) == .moved(Link.node))
        #expect(RedisLinkState.meaning(of: moved, after: most, from: Link.redis) == .refused)
        let asked = RedisReply.error("ASK 1 b.test:7001")
        #expect(RedisLinkState.meaning(of: asked, after: most, from: Link.redis) == .refused)
    }

    @Test func `a link to one node takes commands before it is connected, and comes back to that node`() {
        var configuration = RedisConfiguration([Link.redis])
        configuration.longestRest = .seconds(1)
        var link = RedisLinkState(configuration, connectingTo: Link.node)
        #expect(link.isUp && link.isUnderWay(RedisLinkState.firstMove))
        #expect(link.refusal(waits: false) == nil)
        let first = link.connecting().moved
        #expect(first == Link.node)
        let action = link.failed(.away("dead"), at: 0, chance: 0)
        #expect(action == .rest(until: Self.first / 2, .away("dead")))
        #expect(link.refusal(waits: false) == .away("dead"))
    }
}
