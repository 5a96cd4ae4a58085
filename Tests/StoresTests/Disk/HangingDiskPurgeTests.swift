// SPDX-License-Identifier: Apache-2.0

import HTTPCaching
import Pipeline
@testable import Stores
import TestSupport
import Testing

@Suite("A purge that comes while a disk hangs is made up for", .timeLimit(.minutes(1)))
struct HangingDiskPurgeTests {
    private let hanging: HangingDisk

    init() throws { hanging = try HangingDisk() }

    private var disk: DiskCache { hanging.disk }

    /// Makes the cache miss a purge while the disk is away, and then lets the disk answer again.
    private func missPurge() async {
        await hanging.begin()
        disk.notePurgeMissed()
        hanging.hang.letGo()
        await hanging.until("the disk answers again") {
            $0.health == .absent(reason: "it has missed purges, and makes up for them first")
        }
    }

    @Test func `what a purge has missed is confirmed before it is served again`() async throws {
        let store = try #require(disk.store)
        let original = Picture(9_000).fresh(at: hanging.cache.now)
        _ = store.keepOriginal(
            original, cachingFields: "etag", body: try store.file(Picture(9_000).bytes))
        await missPurge()
        #expect(disk.store == nil)
        disk.makeUpForPurges()
        #expect(disk.health == .good)
        let found = try #require(disk.store?.original(original.key)).freshness
        #expect(found.secondsLeft(at: hanging.cache.now) <= 0)
        #expect((found.staleWhileRevalidate, found.staleIfError) == (0, 0))
        #expect(hanging.events.contains(.unconfirmed(1)))
    }

    @Test func `a purge that comes while others are made up for is carried out, and not missed as well`()
        async throws
    {
        let store = try #require(disk.store)
        try store.keep(original: Picture(1), url: "http://a.test/1")
        await missPurge()
        // A restart would bring back what the purge should have removed.
        #expect(await disk.performOrder { $0.settles() } == nil)
        let count = await disk.performPurge {
            (try? $0.purgeOriginals(PurgeOrder(.host("a.test"))))?.count ?? -1
        }
        #expect(count == 1)
        disk.makeUpForPurges()
        #expect(disk.health == .good)
        #expect(disk.statistics.originals == 0)
    }
}
