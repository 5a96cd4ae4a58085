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
