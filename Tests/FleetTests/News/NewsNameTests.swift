// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import HTTPSemantics
import Pipeline
import Synchronization
import TestSupport
import Testing

@Suite("By which name and number a node's purges are known")
struct NewsNameTests {
    private typealias Node = NewsNode

    private let redis: RedisServer

    init() throws { redis = try RedisServer() }

    @Test func `a node whose clock was ahead is believed once it is started again`() async throws {
        let (folder, other) = (TemporaryFolder(), try Node(redis))
        #expect(await other.isReady())
        let ahead = try Node(redis, folder: folder)
        #expect(await ahead.isReady())
        let wrong = Timestamp(milliseconds: 2_082_758_400_000)
        ahead.state.withLock { $0.now = wrong }
        #expect(try await ahead.news.publish(PurgeOrder(Node.selection("1")), at: wrong) == .told)
        #expect(Patience.until { other.gaps == [.ahead] })
        await ahead.end()
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(await again.isReady())
        for path in ["2", "3"] { #expect(try await again.purge(path) == .told) }
        let expected = [.all] + ["2", "3"].map { Node.selection($0) }
        #expect(Patience.until { other.selections == expected })
        #expect(other.gaps == [.ahead])
        // While the clock is right, a restart keeps the name.
        await again.end()
        let name = try name(in: folder)
        try await Node(redis, folder: folder, isEmpty: false).end()
        #expect(try self.name(in: folder) == name)
        await other.end()
    }

    @Test func `a copied node's purge reaches all, however late, and a node of its name takes another`()
        async throws
    {
        let (a, other) = (try Node(redis), try Node(redis))
        for node in [a, other] { #expect(await node.isReady()) }
        let shared = try #require(try name(in: a.folder))
        for (path, seconds) in [("1", Int64(0)), ("3", 60)] {
            let order = PurgeOrder(Node.selection(path))
            #expect(try await a.news.publish(order, at: Node.now.adding(seconds: seconds)) == .told)
        }
        // The copy was ordered between the two, and was cut off from Redis. Its purge is delivered twice.
        let time = Node.now.adding(seconds: 30)
        let late = PurgeNews(
            node: shared, number: UInt64(time.milliseconds) * 1_000, time: time,
            selection: Node.selection("2"), isSoft: false)
        for _ in 0..<2 { try redis.run(["XADD", "{pictor}:news", "*"] + late.fields) }
        #expect(Patience.until { other.news.statistics.repeated == 1 })
        #expect(other.selections == ["1", "3", "2"].map { Node.selection($0) })
        #expect(try Patience.until { try name(in: a.folder) != shared })
        #expect(try await a.purge("4") == .told)
        #expect(Patience.until { other.selections.last == Node.selection("4") })
        // It has read its own purge as well.
        #expect(Patience.until { a.news.position == other.news.position })
        #expect(other.orders.count == 4 && a.selections == [Node.selection("2")])
        #expect(a.events.filter { $0 == .nameShared }.count == 1 && !other.events.contains(.nameShared))
        await a.end()
        await other.end()
    }

    @Test func `a node that is restarted before it has read its own purge keeps its name`() async throws {
        let folder = TemporaryFolder()
        let a = try Node(redis, folder: folder)
        #expect(await a.isReady())
        let name = try name(in: folder)
        await a.end()
        // Redis takes the purge, and the node ends before it reads it back.
        var outbox = try NewsOutbox(path: folder.path + "/fleet-outbox", node: try #require(name))
        let order = PurgeOrder(Node.selection("1"))
        let number = outbox.add(order, at: Node.now).number
        let news = try #require(outbox.waiting.first)
        try redis.run(["XADD", "{pictor}:news", "*"] + news.fields)
        outbox.markSent(upTo: number)
        let again = try Node(redis, folder: folder, isEmpty: false)
        #expect(await again.isReady())
        #expect(again.selections == [Node.selection("1")] && !again.events.contains(.nameShared))
        await again.end()
        #expect(try self.name(in: folder) == name)
    }

    private func name(in folder: TemporaryFolder) throws -> String? {
        NewsRecord(text: try String(contentsOfFile: folder.path + "/fleet-news", encoding: .utf8))?.node
    }

    @Test func `what cannot be read of purges that wait has all nodes confirm what they hold`() async throws {
        let (folder, other) = (TemporaryFolder(), try Node(redis))
        #expect(await other.isReady())
        let path = folder.path + "/fleet-outbox"
        // A line of a later version.
        try Data("sent 2\norder 3 1732545256000 hard later bGF0ZXI\n".utf8).write(to: URL(filePath: path))
        let node = try Node(redis, folder: folder)
        #expect(Patience.until { other.selections == [.all] })
        #expect(other.orders.allSatisfy { $0.isSoft && $0.isStrict } && other.gaps.isEmpty)
        await node.end()
        let isDamaged = try NewsOutbox(path: path, node: NewsRecord.randomNode()).isDamaged
        #expect(!isDamaged)
        await other.end()
    }
}
