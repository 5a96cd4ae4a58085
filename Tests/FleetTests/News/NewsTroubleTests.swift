// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import HTTPSemantics
import Pipeline
import Synchronization
import TestSupport
import Testing

@Suite("News of a fleet, where something is in its way")
struct NewsTroubleTests {
    private typealias Node = NewsNode

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    /// The folder of a node that has caught up once and has ended.
    private func knownFolder() async throws -> TemporaryFolder {
        let folder = TemporaryFolder()
        let node = try Node(redis, folder: folder)
        #expect(await node.news.catchUp(within: .seconds(60)))
        await node.end()
        return folder
    }

    /// A node that has passed these purges to the fleet.
    private func nodeThatPurged(_ paths: [String]) async throws -> Node {
        let node = try Node(redis)
        #expect(Patience.until { node.news.statistics.connected == 1 })
        for path in paths { #expect(try await node.purge(path) == .told) }
        return node
    }

    @Test func `a start waits for purges that come, however long they take`() async throws {
        let folder = try await knownFolder()
        let a = try await nodeThatPurged(["0", "1", "2"])
        let b = try Node(redis, folder: folder, isEmpty: false, starts: false)
        b.state.withLock { $0.isHeld = true }
        b.news.start()
        #expect(b.held.wait())
        // The purge that is held uses up the whole time limit.
        let start = Task { await b.news.catchUp(within: .seconds(2)) }
        // The time limit is over and begins again.
        let isGoingOn = Patience.until {
            b.events.contains { if case .catchingUp = $0 { true } else { false } }
        }
        b.gate.continuation.finish()
        #expect(isGoingOn)
        if isGoingOn {
            #expect(await start.value)
            #expect(b.selections == (0..<3).map { Node.selection("\($0)") })
            #expect(b.events.last == .caughtUp(purges: 3))
        }
        await b.end()
        await a.end()
    }

    @Test func `a start that cannot carry out purges says so, one without Redis something else`() async throws
    {
        let folder = try await knownFolder()
        let a = try await nodeThatPurged(["1"])
        let b = try Node(redis, folder: folder, isEmpty: false, starts: false)
        b.state.withLock { $0.isBroken = true }
        b.news.start()
        #expect(Patience.until { b.isStuck })
        #expect(await !b.news.catchUp(within: .milliseconds(1)))
        #expect(b.events.last == .behind(isSilent: false))
        await b.end()
        redis.kill()
        let c = try Node(redis, folder: folder, isEmpty: false)
        #expect(await !c.news.catchUp(within: .milliseconds(1)))
        #expect(c.events.last == .behind(isSilent: true))
        await c.end()
        await a.end()
    }

    @Test(arguments: [true, false])
    func `a start beside a Redis that is away, or refuses, ends its wait, and confirms once what it holds`(
        refuses: Bool
    ) async throws {
        let absent = refuses ? try RedisServer(flags: ["--requirepass", "secret"]) : redis
        if !refuses { redis.kill() }
        // First new and empty, with a shared store; then with pictures, and without a record.
        for isEmpty in [true, false] {
            let node = try Node(absent, isEmpty: isEmpty, starts: false) {
                $0.readsAll = true
                $0.commandTimeout = .milliseconds(20)
            }
            node.news.start()
            // This does not wait for Redis, but a busy machine may take its time.
            #expect(Patience.until { node.gaps == (isEmpty ? [] : [.unknown]) })
            #expect(await !node.news.catchUp(within: .milliseconds(500)))
            #expect(node.events.last == .behind(isSilent: true))
            #expect(node.selections == (isEmpty ? [] : [.all]) && node.orders.allSatisfy(\.isStrict))
            #expect(node.gaps == (isEmpty ? [] : [.unknown]))
            await node.end()
        }
    }

    @Test func `a gap is told once all is unconfirmed, and once`() async throws {
        let b = try Node(redis, isEmpty: false, starts: false)
        b.state.withLock { $0.isBroken = true }
        b.news.start()
        #expect(Patience.until { b.isStuck })
        #expect(b.gaps.isEmpty && b.news.statistics.gaps == 0)
        b.state.withLock { $0.isBroken = false }
        #expect(await b.news.catchUp(within: .seconds(60)))
        #expect(b.gaps == [.unknown] && b.news.statistics.gaps == 1)
        await b.end()
    }

    @Test func `what is trimmed while a node has no entry to stand at is a gap`() async throws {
        let a = try await nodeThatPurged(["1", "2"])
        // Once it has begun to read: it may have found the stream empty, and added an anchor behind the purges.
        #expect(await a.isReady())
        let last = try #require(try redis.cli("XREVRANGE", "{pictor}:news", "+", "-", "COUNT", "1"))
        let b = try Node(redis, starts: false) { $0.readsAll = true }
        b.state.withLock { ($0.isBroken, $0.isHeld) = (true, true) }
        b.news.start()
        // The node has read both purges, and fails with the first of them after that is trimmed.
        #expect(b.held.wait())
        try redis.cli("XTRIM", "{pictor}:news", "MAXLEN", last.contains("anchor") ? "2" : "1")
        b.state.withLock { ($0.isEmpty, $0.isHeld) = (false, false) }
        b.gate.continuation.finish()
        #expect(Patience.until { b.isStuck })
        b.state.withLock { $0.isBroken = false }
        #expect(await b.news.catchUp(within: .seconds(60)))
        #expect(b.gaps == [.unknown] && b.selections == [.all, Node.selection("2")])
        await b.end()
        await a.end()
    }

    @Test func `a disk that takes no purge holds up none, and a restart carries them out again`() async throws
    {
        let folder = try await knownFolder()
        let a = try await nodeThatPurged(["1", "2"])
        let b = try Node(redis, folder: folder, isEmpty: false, starts: false)
        b.state.withLock { $0.isUnsettled = true }
        b.news.start()
        #expect(await b.news.catchUp(within: .seconds(60)))
        #expect(try await a.purge("3") == .told)
        let all = ["1", "2", "3"].map { Node.selection($0) }
        #expect(Patience.until { b.selections == all })
        #expect(b.unwritten == 1 && !b.isStuck)
        await b.end()
        let c = try Node(redis, folder: folder, isEmpty: false)
        #expect(await c.news.catchUp(within: .seconds(60)))
        #expect(c.selections == all && c.gaps.isEmpty && c.unwritten == 0)
        await c.end()
        // The disk has stored them.
        let d = try Node(redis, folder: folder, isEmpty: false)
        #expect(await d.news.catchUp(within: .seconds(60)))
        #expect(d.orders.isEmpty && d.gaps.isEmpty)
        await d.end()
        await a.end()
    }

    @Test func `the position is written once the disk takes what was purged, without another purge`()
        async throws
    {
        let folder = try await knownFolder()
        let a = try await nodeThatPurged(["1"])
        let b = try Node(redis, folder: folder, isEmpty: false, starts: false)
        b.state.withLock { $0.isUnsettled = true }
        b.news.start()
        #expect(await b.news.catchUp(within: .seconds(60)))
        let position = try #require(b.news.position)
        func isWritten() throws -> Bool {
            try String(contentsOfFile: folder.path + "/fleet-news", encoding: .utf8)
                .contains("at \(position)\n")
        }
        #expect(try !isWritten())
        b.state.withLock { $0.isUnsettled = false }
        #expect(try Patience.until { try isWritten() })
        await b.end()
        await a.end()
    }

    @Test func `no position is written into a folder that has not got the purges before it`() async throws {
        let folder = try await knownFolder()
        let record = folder.path + "/fleet-news"
        let a = try await nodeThatPurged(["1"])
        let b = try Node(redis, folder: folder, isEmpty: false, starts: false)
        b.state.withLock { $0.isElsewhere = true }
        let before = try String(contentsOfFile: record, encoding: .utf8)
        b.news.start()
        #expect(await b.news.catchUp(within: .seconds(60)))
        #expect(b.selections == [Node.selection("1")])
        #expect(Patience.until { b.unwritten == 1 })
        #expect(try String(contentsOfFile: record, encoding: .utf8) == before)
        b.state.withLock { $0.isElsewhere = false }
        let position = try #require(b.news.position)
        #expect(
            try Patience.until {
                try String(contentsOfFile: record, encoding: .utf8).contains("at \(position)\n")
            })
        await b.end()
        await a.end()
    }

    @Test func `a stream that is lost beside such a disk is a gap, once`() async throws {
        let b = try Node(redis, starts: false)
        b.state.withLock { $0.isUnsettled = true }
        b.news.start()
        #expect(await b.news.catchUp(within: .seconds(60)))
        try redis.cli("FLUSHALL")
        #expect(Patience.until { b.gaps == [.forgotten] })
        let a = try await nodeThatPurged(["1"])
        #expect(Patience.until { b.selections == [.all, Node.selection("1")] })
        #expect(b.gaps == [.forgotten] && b.unwritten == 1)
        await b.end()
        await a.end()
    }

    @Test func `a position that cannot be written holds up nothing`() async throws {
        let a = try await nodeThatPurged(["1"])
        let folder = TemporaryFolder()
        // The new file, which would replace the old one, cannot be made.
        try FileManager.default.createDirectory(
            atPath: folder.path + "/fleet-news.new", withIntermediateDirectories: false)
        let b = try Node(redis, folder: folder, isEmpty: false)
        #expect(await b.news.catchUp(within: .seconds(60)))
        #expect(try await a.purge("2") == .told)
        #expect(Patience.until { b.selections == [.all] + ["1", "2"].map { Node.selection($0) } })
        #expect(b.gaps == [.unknown] && b.unwritten == 1 && !b.isStuck)
        await b.end()
        await a.end()
    }

    @Test func `a node that began with a copy of another's files gets its purges, and the other way round`()
        async throws
    {
        let (folder, copy) = (try await knownFolder(), TemporaryFolder())
        try FileManager.default.copyItem(
            atPath: folder.path + "/fleet-news", toPath: copy.path + "/fleet-news")
        let (a, b) = (
            try Node(redis, folder: folder, isEmpty: false), try Node(redis, folder: copy, isEmpty: false)
        )
        for node in [a, b] { #expect(await node.isReady()) }
        for (path, from, to) in [("1", a, b), ("2", b, a), ("3", a, b)] {
            #expect(try await from.purge(path) == .told)
            // A purge counts as received once its number is known, so that the next number is higher.
            let isReceived = Patience.until {
                to.selections.last == Node.selection(path) && to.news.statistics.received == to.orders.count
            }
            #expect(isReceived, "\(path)")
        }
        #expect(a.orders.count == 1 && b.orders.count == 2 && a.gaps.isEmpty && b.gaps.isEmpty)
        await a.end()
        await b.end()
    }

    @Test(arguments: [true, false])
    func `a folder that is restored gets back nothing, and no number comes again`(isUp: Bool) async throws {
        let (folder, copy) = (try await knownFolder(), TemporaryFolder())
        try FileManager.default.copyItem(
            atPath: folder.path + "/fleet-news", toPath: copy.path + "/fleet-news")
        let (a, b) = (try Node(redis, folder: folder, isEmpty: false), try Node(redis))
        for node in [a, b] { #expect(await node.isReady()) }
        let old = ["1", "2"].map { Node.selection($0) }
        for path in ["1", "2"] { #expect(try await a.purge(path) == .told) }
        #expect(Patience.until { b.selections == old })
        #expect(a.orders.isEmpty)
        await a.end()
        if !isUp { redis.kill() }
        let again = try Node(redis, folder: copy, isEmpty: false)
        if isUp {
            #expect(await again.isReady())
            // Ordered at the same moment as the first purges.
            #expect(try await again.purge("3") == .told)
        } else {
            let order = PurgeOrder(Node.selection("3"))
            #expect(try await again.news.publish(order, at: Node.now) == .waiting)
            try redis.start()
        }
        #expect(Patience.until { again.orders.count == 2 && b.orders.count == 3 })
        #expect(again.selections == old && b.selections == old + [Node.selection("3")])
        #expect(again.gaps.isEmpty && b.gaps.isEmpty && b.news.statistics.repeated == 0)
        await again.end()
        await b.end()
    }

    @Test func `numbers of a clock that was set back hide no purge`() async throws {
        let b = try Node(redis)
        #expect(await b.isReady())
        func tell(_ path: String, at time: Timestamp) throws {
            let news = PurgeNews(
                node: String(repeating: "c", count: 32), number: UInt64(time.milliseconds) * 1_000,
                time: time,
                selection: Node.selection(path), isSoft: false)
            try redis.run(["XADD", "{pictor}:news", "*"] + news.fields)
        }
        // Both clocks are in the year 2036.
        let wrong = Timestamp(milliseconds: 2_082_758_400_000)
        b.state.withLock { $0.now = wrong }
        try tell("1", at: wrong)
        #expect(Patience.until { b.selections == [Node.selection("1")] })
        // Both clocks are right again, and the other node has begun new numbers.
        b.state.withLock { $0.now = Node.now }
        try tell("2", at: Node.now)
        #expect(Patience.until { b.selections == ["1", "2"].map { Node.selection($0) } })
        #expect(b.gaps.isEmpty && b.news.statistics.repeated == 0)
        await b.end()
    }

    @Test(arguments: [(true, true), (true, false), (false, true)])
    func `by a clock that is behind, a node's own purge counts from when Redis took it`(
        isShared: Bool, isBehind: Bool
    ) async throws {
        let a = try Node(redis) { $0.readsAll = isShared }
        #expect(await a.isReady())
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        a.state.withLock { $0.now = now.adding(seconds: isBehind ? -3_600 : 600) }
        let before = a.news.position
        #expect(try await a.purge("1") == .told)
        #expect(Patience.until { a.news.position != before })
        let isAgain = isShared && isBehind
        #expect(a.selections == (isAgain ? [Node.selection("1")] : []))
        let order = a.orders.first
        #expect(order?.time == nil && (order?.announced.map { $0 >= now.adding(seconds: -60) } ?? !isAgain))
        await a.end()
    }

    @Test func `a Redis that tells the same again and again is not believed, and a start goes on`()
        async throws
    {
        let (folder, heard) = (TemporaryFolder(), Heard())
        var configuration = NewsConfiguration(folder: folder.path)
        configuration.page = 1
        let environment = NewsEnvironment(
            now: { Node.now }, ticks: { 0 }, isEmpty: { true },
            apply: { _ throws(IndexUnreadable) in heard.purges.add(1, ordering: .relaxed) },
            settles: { true }, report: { event in heard.events.withLock { $0.append(event) } })
        let news = try FleetNews(configuration, environment, link: Repeater(), reader: Repeater())
        news.start()
        let words = "Redis's answer is not in the order of the stream"
        #expect(Patience.until { heard.events.withLock { $0.contains(.reading(words)) } })
        let isComplete = await news.catchUp(within: .milliseconds(100))
        news.close()
        #expect(!isComplete)
        #expect(heard.events.withLock { $0.last } == .behind(isSilent: false))
        #expect(heard.purges.load(ordering: .relaxed) == 0)
    }

    @Test func `a Redis that does not wait for news is not asked as fast as it answers`() throws {
        let (folder, hasty) = (TemporaryFolder(), Hasty())
        let environment = NewsEnvironment(
            now: { Node.now }, ticks: { 0 }, isEmpty: { true }, apply: { _ throws(IndexUnreadable) in },
            settles: { true }, report: { _ in })
        let news = try FleetNews(
            NewsConfiguration(folder: folder.path), environment, link: hasty, reader: hasty)
        let start = ContinuousClock.now
        news.start()
        #expect(Patience.until { hasty.waits.load(ordering: .relaxed) >= 6 })
        #expect(start.duration(to: .now) >= .milliseconds(200))
        news.close()
    }

    @Test func `a Redis that gives entries and refuses to wait for news is reported once`() throws {
        let (folder, heard, redis) = (TemporaryFolder(), Heard(), Hasty(refuses: true))
        let environment = NewsEnvironment(
            now: { Node.now }, ticks: { 0 }, isEmpty: { true }, apply: { _ throws(IndexUnreadable) in },
            settles: { true }, report: { event in heard.events.withLock { $0.append(event) } })
        let news = try FleetNews(
            NewsConfiguration(folder: folder.path), environment, link: redis, reader: redis)
        news.start()
        // Whoever waits once more has reported what came of the waits before.
        #expect(Patience.until { redis.waits.load(ordering: .relaxed) >= 3 })
        news.close()
        #expect(heard.events.withLock { $0 } == [.reading("NOPERM")])
    }

    @Test func `a file that is none, or far too large, ends the start`() throws {
        let folder = TemporaryFolder()
        let record = folder.path + "/fleet-news"
        #expect(FileManager.default.createFile(atPath: record, contents: nil))
        #expect(truncate(record, 2 << 20) == 0)
        #expect(throws: NewsError.self) { _ = try Node(redis, folder: folder, starts: false) }
        try FileManager.default.removeItem(atPath: record)
        #expect(mkfifo(record, 0o600) == 0)
        #expect(throws: NewsError.self) { _ = try Node(redis, folder: folder, starts: false) }
        try FileManager.default.removeItem(atPath: record)
        #expect(mkfifo(folder.path + "/fleet-outbox", 0o600) == 0)
        #expect(throws: NewsError.self) { _ = try Node(redis, folder: folder, starts: false) }
    }
}

/// What a node without a cache hears.
private final class Heard: Sendable {
    let purges = Atomic<Int>(0)
    let events = Mutex<[NewsEvent]>([])
}

/// A Redis that answers each XRANGE with the same two entries.
private struct Repeater: RedisSending {
    let isUp = true
    let connects = 1

    func leave(_: Int, because _: String) {}

    func send(
        _ command: RedisCommand, within _: Duration?, waits _: Bool
    ) async throws(RedisFailure) -> RedisReply {
        guard command.words.first?.hasSuffix("RANGE") == true else { return .none }
        let fields = ["v", "1", "anchor", "1"].map { RedisReply.text(Array($0.utf8)) }
        return .list(["1-0", "2-0"].map { .list([.text(Array($0.utf8)), .list(fields)]) })
    }
}

/// A Redis with one entry, which answers at once when it is asked to wait for another, or refuses to wait.
private final class Hasty: RedisSending {
    let isUp = true
    let connects = 1
    private let refuses: Bool
    /// How often it was asked to wait.
    let waits = Atomic<Int>(0)

    init(refuses: Bool = false) { self.refuses = refuses }

    func leave(_: Int, because _: String) {}

    func send(
        _ command: RedisCommand, within _: Duration?, waits _: Bool
    ) async throws(RedisFailure) -> RedisReply {
        if command.words.first == "XREAD" {
            waits.add(1, ordering: .relaxed)
            if refuses { throw .refused("NOPERM") }
        }
        guard command.words.first?.hasSuffix("RANGE") == true else { return .none }
        let fields = ["v", "1", "anchor", "1"].map { RedisReply.text(Array($0.utf8)) }
        return .list([.list([.text(Array("1-0".utf8)), .list(fields)])])
    }
}
