// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import HTTPCaching
import HTTPSemantics
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import Testing

@Suite("Purges of the shared store, over a bucket in memory")
struct SharedPurgeTests: BucketSuite {
    let bucket = Bucket()
    let cache: CacheUnderTest

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    @Test func `a purge deletes the entry, the bytes and all that was made of them`() async throws {
        try fill()
        for number in 20..<25 {
            let name = ObjectName.rendition(Picture.renditionKey(number), of: Self.picture.source)
            bucket.state.withLock { $0.objects[name.text] = [1] }
        }
        bucket.state.withLock { $0.objects["r/other/1"] = [1] }
        let store = try bucket.open(in: cache)
        try await purge(store, .url(Self.picture.original().key), orphans: [Self.picture.source])
        store.close()
        #expect(bucket.state.withLock { Array($0.objects.keys) } == ["r/other/1"])
        #expect(store.statistics.deleted == 8)
    }

    @Test(.timeLimit(.minutes(1)))
    func `purges that are being written down keep no read waiting`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let began = OneShot<Void>()
        let wasRead = DispatchSemaphore(value: 0)
        await withTaskGroup { group in
            // As many calls as there are threads for reading.
            for _ in 0..<2 {
                group.addTask {
                    _ = await store.performOrder {
                        began.settle(())
                        wasRead.wait()
                    }
                }
            }
            await began.value()
            #expect(await store.original(Self.picture.original().key) != nil)
            for _ in 0..<2 { wasRead.signal() }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a purge waits for no disk that hangs, counts at once, and is written down when the disk answers`()
        async throws
    {
        try fill()
        let store = try bucket.open(in: cache)
        let key = Self.picture.original().key
        let (began, end) = (OneShot<Void>(), DispatchSemaphore(value: 0))
        let caught = Task.immediate {
            await store.performOrder {
                began.settle(())
                end.wait()
            }
        }
        await began.value()
        let waiting = Task.immediate { try await store.mark(PurgeOrder(.url(key))) }
        #expect(await store.original(key) == nil)
        store.diskHangs(true)
        #expect(await caught.value == nil)
        let error = await #expect(throws: IndexUnreadable.self) { try await waiting.value }
        #expect(error?.isCarriedOut == true)
        #expect(await !store.settles())
        end.signal()
        store.diskHangs(false)
        #expect(await store.settles())
        store.close()
        let again = try bucket.open(in: cache)
        defer { again.close() }
        #expect(await again.original(key) == nil)
        #expect(again.statistics.purged == 1)
    }

    @Test(.timeLimit(.minutes(1)))
    func
        `while the disk hangs, objects that are read to memory are used, and those that are read to it are missing`()
        async throws
    {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let key = Self.picture.original().key
        store.diskHangs(true)
        #expect(await store.original(key) == nil)
        #expect(store.statistics.damaged == 0)
        bucket.state.withLock { $0.held = HeldBytes() }
        #expect(await store.original(key) != nil)
        bucket.state.withLock { $0.held = nil }
        store.diskHangs(false)
        #expect(await store.original(key) != nil)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a store whose disk hangs is closed all the same`() async throws {
        let store = try bucket.open(in: cache)
        let (began, end) = (OneShot<Void>(), DispatchSemaphore(value: 0))
        let caught = Task.immediate {
            await store.performOrder {
                began.settle(())
                end.wait()
            }
        }
        await began.value()
        store.diskHangs(true)
        #expect(await caught.value == nil)
        store.close()
        end.signal()
    }

    @Test func `another node's order deletes the entries of variants that this node held, and nothing else`()
        async throws
    {
        try fill()
        let whole = bucket.state.withLock { Set($0.objects.keys) }
        let variant = OriginalKey(url: Self.picture.original().key.url, variant: "aa")
        bucket.state.withLock { $0.objects[ObjectName.entry(variant).text] = [1] }
        let store = try bucket.open(in: cache)
        var order = PurgeOrder(.url(Self.picture.original().key))
        order.isRelayed = true
        var purged = PurgedOriginals()
        purged.keys = [variant]
        purged.orphans = [Self.picture.source]
        try await store.purge(order, of: purged)
        store.close()
        #expect(bucket.state.withLock { Set($0.objects.keys) } == whole)
    }

    @Test(arguments: [PurgeSelection.prefix("http://host/"), .host("host"), .tag("shop"), .all])
    func `what this node has purged it does not read back, after a restart neither`(selection: PurgeSelection)
        async throws
    {
        try fill()
        let key = Self.picture.original().key
        let whole = bucket.state.withLock { $0.objects }
        let store = try bucket.open(in: cache)
        try await purge(store, selection, orphans: [Self.picture.source])
        store.close()
        // As if another node, or a lost deletion, had left everything there.
        bucket.state.withLock { $0.objects = whole }
        let again = try bucket.open(in: cache)
        defer { again.close() }
        #expect(await again.original(key) == nil)
        #expect(await again.rendition(Self.picture.rendition.key, of: Self.picture.source) == nil)
        #expect(again.statistics.purged == 2)
    }

    @Test func `nor does it read back what bears a watermark that it has purged`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        defer { store.close() }
        let (key, source, logo) = (Self.picture.rendition.key, Self.picture.source, Picture(9))
        try await purge(store, .url(logo.original().key), orphans: [logo.source])
        #expect(await store.rendition(key, of: source, bearing: logo.source) == nil)
        #expect(store.statistics.purged == 1)
        #expect(await store.rendition(key, of: source, bearing: Picture(10).source) != nil)
    }

    @Test(arguments: [PurgeSelection.all, .url(picture.original().key)])
    func `a node whose clock is far ahead purges what is there, and nothing that comes later`(
        selection: PurgeSelection
    ) async throws {
        try fill()
        let key = Self.picture.original().key
        let store = try bucket.open(in: cache)
        var order = PurgeOrder(selection)
        (order.isRelayed, order.time) = (true, Timestamp(seconds: 4_070_908_800))
        try await store.mark(order)
        var purged = PurgedOriginals()
        purged.orphans = [Self.picture.source]
        try await store.purge(order, of: purged)
        #expect(await store.original(key) == nil)
        #expect(await store.rendition(Self.picture.rendition.key, of: Self.picture.source) == nil)
        store.close()
        pass(seconds: 60)
        try fill()
        let again = try bucket.open(in: cache)
        defer { again.close() }
        #expect(await again.original(key) != nil)
        #expect(await again.rendition(Self.picture.rendition.key, of: Self.picture.source) != nil)
    }

    @Test(arguments: [PurgeSelection.prefix("http://host/"), .all, .host("other")])
    func `what a node wrote whose clock is ahead comes back after no purge that means it`(
        selection: PurgeSelection
    ) async throws {
        pass(seconds: 3_600)
        try fill()
        pass(seconds: -3_600)
        let whole = bucket.state.withLock { $0.objects }
        let store = try bucket.open(in: cache)
        let isMeant = selection != .host("other")
        try await purge(store, selection, orphans: isMeant ? [Self.picture.source] : [])
        store.close()
        bucket.state.withLock { $0.objects = whole }
        let again = try bucket.open(in: cache)
        defer { again.close() }
        let original = await again.original(Self.picture.original().key)
        let rendition = await again.rendition(Self.picture.rendition.key, of: Self.picture.source)
        #expect((original == nil) == isMeant && (rendition == nil) == isMeant)
        #expect(again.statistics.purged == (isMeant ? 2 : 0))
    }

    @Test func `what is fetched and made after a purge is shared again`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        try await purge(store, .url(Self.picture.original().key), orphans: [Self.picture.source])
        store.close()
        pass(seconds: 60)
        try fill()
        let again = try bucket.open(in: cache)
        defer { again.close() }
        #expect(await again.original(Self.picture.original().key) != nil)
        #expect(await again.rendition(Self.picture.rendition.key, of: Self.picture.source) != nil)
    }

    @Test func `a soft purge deletes nothing, and makes what is read stale`() async throws {
        try fill()
        let key = Self.picture.original().key
        let store = try bucket.open(in: cache)
        defer { store.close() }
        func isFresh() async throws -> Bool {
            let now = bucket.state.withLock { $0.now }
            guard case .fresh = try #require(await store.original(key)?.entry).freshness.state(at: now) else {
                return false
            }
            return true
        }
        #expect(try await isFresh())
        try await purge(store, .url(key), isSoft: true)
        #expect(try await !isFresh())
        #expect(bucket.state.withLock { $0.objects.count } == 3)
    }

    @Test func `a write that waits when its URL is purged is not made`() async throws {
        let store = try bucket.open(in: cache)
        bucket.state.withLock { $0.isHolding = true }
        store.offer(Picture(1).rendition, of: Picture(1).source, body: Self.body(Picture(1)))
        bucket.awaitWrite()
        store.offer(
            Self.original(at: bucket.state.withLock { $0.now }), fields: Self.fields, body: Self.body())
        store.offer(Self.picture.rendition, of: Self.picture.source, body: Self.body())
        try await purge(store, .url(Self.picture.original().key), orphans: [Self.picture.source])
        bucket.state.withLock { $0.isHolding = false }
        bucket.state.wakeAll()
        store.close()
        #expect(bucket.state.withLock { $0.objects.count } == 1 && store.statistics.written == 1)
    }

    @Test func `a purge is tried again while the store refuses`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        bucket.state.withLock { $0.failingWrites = StoreBreaker.threshold - 1 }
        try await purge(store, .url(Self.picture.original().key), orphans: [Self.picture.source])
        store.close()
        #expect(bucket.state.withLock { $0.objects.isEmpty && $0.failingWrites == 0 })
    }

    @Test func `what is forgotten is gone at once, before it is deleted`() async throws {
        try fill()
        let store = try bucket.open(in: cache)
        bucket.state.withLock { $0.isHolding = true }
        store.forget(Self.picture.original().key)
        #expect(await store.original(Self.picture.original().key) == nil)
        bucket.awaitWrite()
        #expect(await store.original(Self.picture.original().key) == nil)
        bucket.state.withLock { $0.isHolding = false }
        bucket.state.wakeAll()
        store.close()
        #expect(bucket.state.withLock { $0.objects.keys.filter { $0.hasPrefix("u/") }.isEmpty })
    }

    @Test func `a purge of a host deletes the entries that this node held`() async throws {
        let store = try bucket.open(Self.enclose, in: cache)
        let original = Self.original(at: bucket.state.withLock { $0.now })
        store.offer(original, fields: Self.fields, body: Self.body())
        _ = await store.isWritten(original, tags: [])
        let order = PurgeOrder(.host("host"))
        var purged = PurgedOriginals()
        purged.matched = [original.key]
        try await store.mark(order)
        try await store.purge(order, of: purged)
        store.close()
        #expect(bucket.state.withLock { $0.objects.isEmpty })
    }
}
