// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Daemon
import HTTPSemantics
import Pipeline
import Stores
import TestSupport
import Testing

@Suite("The caches answer the pipeline also where one of them is away")
struct CacheAdapterTests {
    private let folder = TemporaryFolder()

    @Test func `a purge while there is no cache on disk is carried out, and tells what may come back`()
        async throws
    {
        let disk = try DiskCache(
            DiskConfiguration(
                folder: folder.path + "/cache", originalsBudget: 1 << 20, renditionsBudget: 1 << 20),
            now: { Timestamp(seconds: 1) }
        ) { _ in }
        disk.close()
        let cache = CacheAdapter(
            memory: AnswerCache(budget: 1 << 20, openFiles: 8), disk: disk, shared: nil)
        let order = PurgeOrder(.host("a.test"))
        let purged = try await cache.purgeOriginals(order)
        #expect(purged.failure?.isCarriedOut == true)
        let rest = try await cache.purgeRenditions(order, of: purged)
        #expect(rest == (0, 0))
        // What it holds nobody can tell.
        await #expect(throws: IndexUnreadable("There is no cache on disk at present.")) {
            try await cache.countOriginals(order)
        }
    }
}
