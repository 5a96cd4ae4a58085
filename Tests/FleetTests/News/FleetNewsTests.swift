// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import HTTPSemantics
import Kernel
import Pipeline
import SourceURLs
import Synchronization
import TestSupport
import Testing

@Suite("News of a fleet, by a real Redis")
struct FleetNewsTests {
    private typealias Node = NewsNode

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    private func selections(_ paths: String...) -> [PurgeSelection] { paths.map(Node.selection) }

    private func close(_ node: Node) async { await node.end() }

    /// True once the nodes have carried out the stream so far and can send their own purges.
    private func caughtUp(_ nodes: Node...) async -> Bool {
        for node in nodes { if await !node.isReady() { return false } }
        return true
    }

    @Test func `a purge is carried out once at each other node, in order, and not at its own`() async throws {
        let (a, b, c) = (try Node(redis), try Node(redis), try Node(redis))
        #expect(await caughtUp(a, b, c))
        #expect(try await a.purge("1") == .told)
        #expect(try await b.purge("2", isSoft: true) == .told)
        #expect(try await a.purge("3") == .told)
        #expect(Patience.until { a.orders.count == 1 && b.orders.count == 2 && c.orders.count == 3 })
        #expect(a.selections == selections("2") && b.selections == selections("1", "3"))
        #expect(c.selections == selections("1", "2", "3"))
        #expect(c.orders.map(\.isSoft) == [false, true, false] && c.orders.allSatisfy(\.isRelayed))
        #expect(c.orders.allSatisfy { $0.time == Timestamp(milliseconds: 1_732_545_256_000) })
        // The order has the time at which Redis took it.
        #expect(Patience.until { c.news.position.flatMap { StreamID($0) }?.time == c.orders.last?.announced })
        #expect(a.news.statistics.sent == 2 && c.news.statistics.received == 3)
        #expect(a.gaps.isEmpty && b.gaps.isEmpty && c.gaps.isEmpty)
        for node in [a, b, c] { await close(node) }
    }

    @Test func `a node that was away catches up, once`() async throws {
        let a = try Node(redis)
        let folder = TemporaryFolder()
        let b = try Node(redis, folder: folder)
        #expect(await caughtUp(a, b))
        await close(b)
        for number in 0..<300 { #expect(try await a.purge("\(number)") == .told) }
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(await caughtUp(again))
        #expect(again.selections == (0..<300).map { Node.selection("\($0)") } && again.gaps.isEmpty)
        await close(again)
        let last = try Node(redis, folder: folder, isEmpty: false)
        #expect(await caughtUp(last) && last.orders.isEmpty)
        await close(last)
        await close(a)
    }

    @Test func `what was purged without Redis is told once it is there, in order, after a restart too`()
        async throws
    {
        let folder = TemporaryFolder()
        let (a, b) = (try Node(redis, folder: folder), try Node(redis))
        #expect(await caughtUp(a, b))
        redis.kill()
        for path in ["1", "2"] { #expect(try await a.purge(path) == .waiting) }
        #expect(a.news.statistics.outbox == 2)
        await close(a)
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(try await again.purge("3") == .waiting)
        #expect(b.orders.isEmpty)
        try redis.start()
        #expect(Patience.until { b.orders.count == 3 && again.news.statistics.outbox == 0 })
        #expect(b.selections == selections("1", "2", "3") && again.orders.isEmpty && b.gaps.isEmpty)
        await close(again)
        await close(b)
    }

    @Test func `a purge that a lost master took along is told again by its node, on the next connection`()
        async throws
    {
        let folder = TemporaryFolder()
        let (a, b) = (try Node(redis), try Node(redis, folder: folder))
        #expect(await caughtUp(a, b))
        await close(b)
        let before = a.news.position
        #expect(try await a.purge("1") == .told)
        #expect(Patience.until { a.news.position != before })
        let entry = try #require(a.news.position)
        // As on a replica that becomes the master without having received the entry: the entry is gone, and so is the connection.
        let other = try RedisLink(
            RedisConfiguration([try #require(RedisAddress(redis.socket))]), name: "other"
        ) { _ in }
        try other.start()
        for words in [["XDEL", "{pictor}:news", entry], ["CLIENT", "KILL", "TYPE", "normal"]] {
            _ = try await other.send(RedisCommand(words), within: .seconds(60), waits: true)
        }
        #expect(Patience.until { a.events.contains(.lost(purges: 1)) })
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(await caughtUp(again))
        #expect(Patience.until { again.selections == selections("1") })
        #expect(again.gaps.isEmpty)
        #expect(a.selections.allSatisfy { $0 == .all }, "it has carried out its own before")
        #expect(Patience.until { a.news.statistics.sent == 2 })
        other.close()
        await close(again)
        await close(a)
    }

    @Test(arguments: [0, 1])
    func `each of a node's connections that is lost is counted once it is made again`(index: Int) async throws
    {
        let node = try Node(redis)
        #expect(await caughtUp(node))
        let before = node.news.statistics.connects
        #expect(before >= node.links.count)
        let reply = try await node.links[index].send(["CLIENT", "ID"], within: .seconds(60), waits: true)
        guard case .number(let client) = reply else {
            Issue.record("\(reply)")
            return
        }
        let other = try RedisLink(
            RedisConfiguration([try #require(RedisAddress(redis.socket))]), name: "other"
        ) { _ in }
        try other.start()
        _ = try await other.send(
            ["CLIENT", "KILL", "ID", "\(client)"], within: .seconds(60), waits: true)
        #expect(Patience.until { node.news.statistics.connects > before })
        other.close()
        await close(node)
    }

    @Test func `a purge that is delivered twice counts once`() async throws {
        let b = try Node(redis)
        #expect(await caughtUp(b))
        let news = PurgeNews(
            node: String(repeating: "c", count: 32), number: 5, time: Timestamp(milliseconds: 1),
            selection: Node.selection("x"), isSoft: false)
        for _ in 0..<3 {
            let words = ["XADD", "{pictor}:news", "*"] + news.fields
            _ = try await b.links[0].send(RedisCommand(words), within: .seconds(60), waits: true)
        }
        #expect(Patience.until { b.news.statistics.repeated == 2 })
        #expect(b.selections == selections("x") && b.news.statistics.received == 1)
        await close(b)
    }

    @Test(arguments: ["FLUSHALL", "XTRIM {pictor}:news MAXLEN 1", "DEL {pictor}:news"])
    func `a node that cannot know what it missed has everything confirmed`(loss: String) async throws {
        let a = try Node(redis)
        let folder = TemporaryFolder()
        let b = try Node(redis, folder: folder)
        #expect(await caughtUp(a, b))
        await close(b)
        for path in ["1", "2", "3"] { _ = try await a.purge(path) }
        _ = try await a.links[0].send(RedisCommand(loss.split(separator: " ").map(String.init)))
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(await caughtUp(again) && again.gaps == [.forgotten])
        let first = try #require(again.orders.first)
        #expect(first.selection == .all && first.isSoft && first.isStrict && first.isRelayed)
        // Entries that are still in the stream are carried out as ordered.
        #expect(Array(again.selections.dropFirst()) == (loss.hasPrefix("XTRIM") ? selections("3") : []))
        #expect(again.news.statistics.gaps == 1)
        _ = try await a.purge("4")
        #expect(Patience.until { again.selections.last == Node.selection("4") } && again.gaps.count == 1)
        await close(again)
        await close(a)
    }

    @Test func `a stream that is emptied beside nodes that read is noticed`() async throws {
        let a = try Node(redis)
        #expect(await caughtUp(a))
        try redis.cli("FLUSHALL")
        #expect(Patience.until { a.gaps == [.forgotten] })
        // Emptying an empty stream would change nothing, so the test waits for the node's anchor.
        #expect(try Patience.until { try redis.cli("XLEN", "{pictor}:news")?.hasPrefix("1") == true })
        try redis.cli("FLUSHALL")
        #expect(Patience.until { a.gaps.count == 2 })
        await close(a)
    }

    @Test func `a new node begins at the end, one that holds pictures has them confirmed`() async throws {
        let a = try Node(redis)
        #expect(await caughtUp(a))
        for path in ["1", "2"] { _ = try await a.purge(path) }
        let empty = try Node(redis)
        let full = try Node(redis, isEmpty: false)
        let shared = try Node(redis) { $0.readsAll = true }
        #expect(await caughtUp(empty, full, shared))
        #expect(empty.orders.isEmpty && empty.gaps.isEmpty)
        #expect(full.gaps == [.unknown] && full.selections == [.all] + selections("1", "2"))
        #expect(shared.selections == selections("1", "2") && shared.gaps.isEmpty)
        for node in [a, empty, full, shared] { await close(node) }
    }

    @Test func `an entry that nobody can read may be any purge`() async throws {
        let a = try Node(redis)
        #expect(await caughtUp(a))
        try redis.cli("XADD", "{pictor}:news", "*", "v", "2", "what", "ever")
        #expect(Patience.until { a.gaps == [.unreadable] && a.selections == [.all] })
        await close(a)
    }

    @Test func `a number that a node cannot have come to is not believed, nor after a restart`() async throws
    {
        let folder = TemporaryFolder()
        let (a, b) = (try Node(redis), try Node(redis, folder: folder))
        #expect(await caughtUp(a, b))
        _ = try await a.purge("1")
        #expect(Patience.until { b.selections == selections("1") })
        let forged = PurgeNews(
            node: try #require(NewsRecord(text: record(in: a.folder))?.node), number: .max,
            time: Timestamp(milliseconds: .max), selection: Node.selection("2"), isSoft: false)
        try redis.run(["XADD", "{pictor}:news", "*"] + forged.fields)
        #expect(Patience.until { b.gaps == [.ahead] })
        _ = try await a.purge("3")
        #expect(Patience.until { b.selections == selections("1") + [.all] + selections("3") })
        #expect(b.orders[1].isSoft && b.orders[1].isStrict && b.news.statistics.repeated == 0)
        // A node that accepted the number and has it on disk.
        await close(b)
        let text = try record(in: folder).replacing(/seen ([0-9a-f]+) [0-9]+/) {
            "seen \($0.1) \(UInt64.max)"
        }
        try Data(text.utf8).write(to: URL(filePath: folder.path + "/fleet-news"))
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(await caughtUp(again))
        _ = try await a.purge("4")
        #expect(Patience.until { again.selections == selections("4") })
        #expect(again.gaps.isEmpty)
        await close(a)
        await close(again)
    }

    private func record(in folder: TemporaryFolder) throws -> String {
        try String(contentsOfFile: folder.path + "/fleet-news", encoding: .utf8)
    }

    @Test(arguments: ["bytes", "fields"])
    func `an entry that is too large to be read holds up no other`(size: String) async throws {
        let (a, b) = (try Node(redis), try Node(redis))
        #expect(await caughtUp(a, b))
        let fields =
            size == "bytes"
            ? ["what", String(repeating: "a", count: ReplyReader.limit + (1 << 20))]
            : Array(repeating: "a", count: 5000)
        let entry = RedisCommand(["XADD", "{pictor}:news", "*"] + fields)
        _ = try await a.links[0].send(entry, within: .seconds(60), waits: true)
        #expect(Patience.until { a.gaps == [.unreadable] && b.gaps == [.unreadable] })
        _ = try await a.purge("1")
        #expect(Patience.until { b.selections == [.all] + selections("1") })
        #expect(a.selections == [.all] && a.orders.allSatisfy { $0.isSoft && $0.isStrict && $0.isRelayed })
        #expect(a.news.statistics.gaps == 1 && b.news.statistics.gaps == 1)
        // It has no effect either at a node that reads the whole stream.
        let c = try Node(redis) { $0.readsAll = true }
        #expect(await caughtUp(c) && c.gaps == [.unreadable])
        for node in [a, b, c] { await close(node) }
    }

    @Test func `a purge that the cache refuses is tried until it is carried out`() async throws {
        let (a, b) = (try Node(redis), try Node(redis))
        #expect(await caughtUp(a, b))
        b.state.withLock { $0.isBroken = true }
        _ = try await a.purge("1")
        #expect(Patience.until { b.state.withLock { $0.events.contains(.reading("There is no cache.")) } })
        b.state.withLock { $0.isBroken = false }
        #expect(Patience.until { b.selections == selections("1") })
        await close(a)
        await close(b)
    }

    @Test func `another's key is no stream: it is told once, and over when the key is gone`() async throws {
        try redis.cli("SET", "{pictor}:news", "x")
        let a = try Node(redis)
        #expect(try await a.purge("1") == .waiting)
        #expect(
            Patience.until {
                a.state.withLock { state in
                    state.events.contains { if case .sending = $0 { true } else { false } }
                        && state.events.contains { if case .reading = $0 { true } else { false } }
                }
            })
        try redis.cli("DEL", "{pictor}:news")
        #expect(await caughtUp(a))
        #expect(Patience.until { a.news.statistics.outbox == 0 })
        await close(a)
    }

    @Test func `the stream is kept short`() async throws {
        let a = try Node(redis) { $0.streamLength = 100 }
        for number in 0..<400 { _ = try await a.purge("\(number)") }
        let length = try #require(try redis.cli("XLEN", "{pictor}:news")).trimmingCharacters(in: .newlines)
        #expect(try #require(Int(length)) < 400)
        await close(a)
    }
}
