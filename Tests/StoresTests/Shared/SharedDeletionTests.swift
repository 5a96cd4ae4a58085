// SPDX-License-Identifier: Apache-2.0

import Bytes
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("What a purge deletes in the shared store, over a bucket in memory")
struct SharedDeletionTests: BucketSuite {
    let bucket = Bucket()
    let cache: CacheUnderTest

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    @Test func `a purge of a URL that this node never held deletes what its entry names as well`()
        async throws
    {
        try fill()
        bucket.state.withLock { $0.objects["r/other/1"] = [1] }
        let store = try bucket.open(in: cache)
        try await purge(store, .url(Self.picture.original().key))
        store.close()
        #expect(bucket.state.withLock { Array($0.objects.keys) } == ["r/other/1"])
        #expect(store.statistics.deleted == 3)
    }

    @Test func `what an entry names stays where this node knows it by another URL, or the entry is damaged`()
        async throws
    {
        try fill()
        let name = ObjectName.entry(Self.picture.original().key).text
        let entry = bucket.state.withLock { $0.objects[name] }
        let store = try bucket.open(in: cache)
        let order = PurgeOrder(.url(Self.picture.original().key))
        var purged = PurgedOriginals()
        purged.count = 1
        try await store.purge(order, of: purged)
        store.close()
        #expect(bucket.state.withLock { $0.objects.count == 2 && $0.objects[name] == nil })
        bucket.state.withLock { $0.objects[name] = entry.map { Array($0.dropLast()) } }
        let again = try bucket.open(in: cache)
        try await again.purge(order, of: PurgedOriginals())
        again.close()
        #expect(bucket.state.withLock { $0.objects.count == 2 && $0.objects[name] == nil })
    }

    @Test(arguments: [(2, 0), (3, 2)])
    func `a look for what an entry names that fails is tried again, and keeps no entry for long`(
        failures: Int, left: Int
    ) async throws {
        try fill()
        bucket.state.withLock { $0.failingLooks = failures }
        let store = try bucket.open(in: cache)
        try await purge(store, .url(Self.picture.original().key))
        store.close()
        #expect(bucket.state.withLock { $0.objects.count } == left)
        let told: [SharedStoreEvent] = left > 0 ? [.purgeFailed("no")] : []
        #expect(bucket.state.withLock { $0.events } == told)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a purge deletes more renditions than a few lists name, and takes the store for none the worse`()
        async throws
    {
        try fill()
        let folder = ObjectName.folder(of: Self.picture.source)
        bucket.state.withLock { state in
            for number in 0..<300 { state.objects["\(folder)\(number)"] = [1] }
        }
        let store = try bucket.open(in: cache)
        try await purge(store, .url(Self.picture.original().key), orphans: [Self.picture.source])
        store.close()
        #expect(bucket.state.withLock { $0.objects.isEmpty && $0.events.isEmpty })
    }

    @Test(.timeLimit(.minutes(1)))
    func `lists that still name what is deleted hide nothing, and keep no purge going`() async throws {
        try fill()
        // More names than a list has, and ahead of all existing ones.
        bucket.state.withLock { state in
            state.lagging = (0..<3).map { ObjectName.folder(of: Self.picture.source) + "!\($0)" }
        }
        let store = try bucket.open(in: cache)
        try await purge(store, .url(Self.picture.original().key), orphans: [Self.picture.source])
        store.close()
        #expect(bucket.state.withLock { $0.objects.isEmpty && $0.begun == 3 + 6 })
    }
}
