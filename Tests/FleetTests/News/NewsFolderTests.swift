// SPDX-License-Identifier: Apache-2.0

import Fleet
import Foundation
import Kernel
import Pipeline
import Synchronization
import TestSupport
import Testing

@Suite("Orders that wait for Redis are on their node's disk")
struct NewsFolderTests {
    @Test func `what was ordered while the disk hung is on it once it answers, though Redis is away`()
        async throws
    {
        let redis = try RedisServer()
        redis.kill()
        let node = try NewsNode(redis, starts: false)
        node.state.withLock { $0.isHanging = true }
        await #expect(throws: SystemError.self) { _ = try await node.purge("1") }
        node.state.withLock { $0.isHanging = false }
        node.news.diskHangs(false)
        let path = node.folder.path + "/fleet-outbox"
        let isWritten = Patience.until {
            (try? String(contentsOfFile: path, encoding: .utf8))?.contains("\norder ") ?? false
        }
        #expect(isWritten)
        await node.end()
    }

    @Test func `what waits in a folder that comes back is carried out at its node as well`() async throws {
        let redis = try RedisServer()
        defer { redis.kill() }
        let node = try NewsNode(redis)
        #expect(await node.isReady())
        // An earlier run ordered the purge. What this run has read from a shared store since may be older than the purge.
        var former = try NewsOutbox(
            path: node.folder.path + "/fleet-outbox", node: String(repeating: "ab", count: 16))
        _ = former.add(PurgeOrder(NewsNode.selection("1")), at: NewsNode.now)
        node.news.folderOpened()
        #expect(Patience.until { node.selections == [NewsNode.selection("1")] })
        #expect(Patience.until { node.news.statistics.outbox == 0 })
        await node.end()
    }
}
