// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import TestSupport
import Testing

@Suite struct DiskFailureTests {
    @Test func `on a full disk new files are made in memory, and nothing is kept`() throws {
        let cache = try CacheUnderTest()
        let second = try cache.open { $0.minimumFree = .bytes(.max) }
        let body = try second.keep(rendition: Picture(2))
        #expect(body.contents == Picture(2).bytes)
        #expect(second.rendition(Picture.renditionKey(2)) == nil)
        #expect(second.statistics.writeErrors == 1)
        guard case .notKeeping(let reason) = second.health else {
            Issue.record("healthy")
            return
        }
        #expect(reason.contains("No space left on device"))
        // A body that was made in memory meanwhile is kept by copying once there is room again.
        let unkept = try second.file(Picture(3).bytes)
        second.close()
        let third = try cache.open()
        defer { third.close() }
        _ = third.keepRendition(Picture(3).rendition, of: Picture(3).original(), body: unkept)
        #expect(third.bytes(rendition: 3) == Picture(3).bytes)
    }

    @Test func `a body that is not as long as was said is not kept`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        var rendition = Picture(1).rendition
        rendition.length += 1
        _ = store.keepRendition(rendition, of: Picture(1).original(), body: try store.file(Picture(1).bytes))
        #expect(store.rendition(rendition.key) == nil)
        #expect(store.statistics.writeErrors == 1)
    }

    @Test func `a body whose place in the cache is no file leaves nothing behind`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let place = FilePath(Picture.renditionKey(1).digest).relative
        try FileManager.default.createDirectory(
            atPath: cache.folder + "/renditions/" + place, withIntermediateDirectories: true)
        let body = try store.keep(rendition: Picture(1))
        #expect(body.contents == Picture(1).bytes)
        #expect(store.statistics.writeErrors == 1)
        #expect(Directory.names(in: AT_FDCWD, cache.folder + "/incoming").isEmpty)
    }

    @Test func `after the end nothing is written, and nobody waits for ever`() async throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        try store.keep(rendition: Picture(1))
        store.close()
        store.forgetRendition(Picture.renditionKey(1))
        store.flush()
        let found = await store.perform { $0.rendition(Picture.renditionKey(1)) } ?? nil
        #expect(found == nil)
        let second = try cache.open()
        defer { second.close() }
        #expect(second.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `when the folder is deleted under the daemon, bodies stay usable and the trouble is told`()
        throws
    {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1))
        try FileManager.default.removeItem(atPath: cache.folder)
        let body = try store.keep(rendition: Picture(2))
        #expect(body.contents == Picture(2).bytes)
        #expect(store.rendition(Picture.renditionKey(2)) == nil)
        let original = try store.keep(original: Picture(3))
        #expect(original.contents == Picture(3).bytes)
        #expect(store.bytes(rendition: 1) == nil)
        #expect(store.statistics.writeErrors == 2)
        #expect(store.health != .good)
    }

    @Test func `what cannot be put in its place is not kept, and a later success sets the health right`()
        throws
    {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        // A plain file where the folder of the first two digits should be.
        let obstacle = "\(cache.folder)/renditions/\(Picture.renditionKey(1).digest.hex.prefix(2))"
        try FileManager.default.removeItem(atPath: obstacle)
        try Data().write(to: URL(fileURLWithPath: obstacle))
        for body in [try store.file(Picture(1).bytes), .bytes(ImmutableBytes(Picture(1).bytes))] {
            let kept = store.keepRendition(Picture(1).rendition, of: Picture(1).original(), body: body)
            #expect(kept.contents == Picture(1).bytes)
            #expect(store.rendition(Picture.renditionKey(1)) == nil)
            #expect(store.health != .good)
        }
        #expect(store.statistics.writeErrors == 2)
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder + "/incoming") == [])
        try store.keep(rendition: Picture(2))
        #expect(store.health == .good)
        try FileManager.default.removeItem(atPath: obstacle)
        try store.keep(rendition: Picture(1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `a folder that has become read-only goes on serving`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        for number in 0..<300 { try store.keep(rendition: Picture(number, length: 100)) }
        store.flush()
        let folders = try FileManager.default.contentsOfDirectory(atPath: cache.folder + "/renditions")
        let paths = ["/renditions", "/incoming"] + folders.map { "/renditions/\($0)" }
        try cache.lock(paths)
        defer { cache.unlock(paths) }
        #expect(store.bytes(rendition: 7) == Picture(7, length: 100).bytes)
        let body = try store.keep(rendition: Picture(1_000))
        #expect(body.contents == Picture(1_000).bytes)
        #expect(store.statistics.writeErrors == 1)
        #expect(store.health != .good)
        store.lookAfter()
        #expect(store.health != .good)
        #expect(store.bytes(rendition: 8) == Picture(8, length: 100).bytes)
    }

    @Test func `a purge beside an index that cannot be written counts, and says that a restart undoes it`()
        throws
    {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.lockTimeout = 50 }
        defer { store.close() }
        for number in 1...2 { try store.keep(original: Picture(number), url: "http://a.test/\(number)") }
        store.flush()
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let order = PurgeOrder(.prefix("http://a.test/1"))
        let purged = try store.purgeOriginals(order)
        #expect(purged.count == 1 && purged.failure?.isCarriedOut == true)
        #expect(try store.purgeRenditions(order, of: purged) == 0)
        #expect(store.original(OriginalKey(url: "http://a.test/1")) == nil)
        #expect(!store.settles())
        try blocker.execute("ROLLBACK")
        #expect(store.settles())
        #expect(try store.purgeOriginals(PurgeOrder(.prefix("http://a.test/2"))).failure == nil)
    }

    @Test(
        arguments: [
            .url(OriginalKey(url: "http://a.test/1")), .prefix("http://a.test/"), .host("a.test"), .tag("t"),
        ] as [PurgeSelection])
    func `a purge takes what was kept while the index cannot be written`(selection: PurgeSelection) throws {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.lockTimeout = 50 }
        defer { store.close() }
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let (variant, other) = ("http://a.test/1#aa", "http://b.test/1")
        try store.keep(original: Picture(1), url: variant, fields: "cache-tag: t")
        try store.keep(original: Picture(2), url: other)
        let order = PurgeOrder(selection)
        let found = try store.countOriginals(order)
        let purged = try store.purgeOriginals(order)
        #expect(found.count == 1 && purged.count == 1 && purged.failure?.isCarriedOut == true)
        #expect([variant, other].map { store.original(OriginalKey(text: $0)) != nil } == [false, true])
        try blocker.execute("ROLLBACK")
    }

    @Test func `a purge that cannot find renditions yet says that it is to be given again, which finds them`()
        throws
    {
        let cache = try CacheUnderTest(inMemory: true)
        // The order that is given again may wait this long for the store's own writer.
        let store = try cache.open { $0.lockTimeout = 1_000 }
        defer { store.close() }
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        try store.keep(original: Picture(1), url: "http://a.test/1")
        try store.keep(rendition: Picture(1), url: "http://a.test/1")
        let order = PurgeOrder(.url(OriginalKey(url: "http://a.test/1")))
        let purged = try store.purgeOriginals(order)
        #expect(try store.purgeRenditions(order, of: purged) == 0)
        #expect(purged.failure?.description.contains("give the order again") == true)
        try blocker.execute("ROLLBACK")
        let again = try store.purgeOriginals(order)
        #expect(try store.purgeRenditions(order, of: again) == 1 && again.failure == nil)
    }

    //   writer                              purge
    //   takes entries out of memory
    //   waits for the lock, to commit
    //                                       finds nothing in memory
    //   cannot commit
    //                                       says that a restart undoes it
    @Test(
        arguments: [.url(OriginalKey(url: "http://a.test/1")), .prefix("http://a.test/"), .all]
            as [PurgeSelection])
    func `a purge of what is being evicted waits for its row, and tells where that stays`(
        selection: PurgeSelection
    ) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open { ($0.lockTimeout, $0.lowWater) = (1_000, 0) }
        defer { store.close() }
        try store.keep(original: Picture(1), url: "http://a.test/1")
        store.flush()
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let eviction = try WorkerThread("eviction") { store.queue.order(.shrink) }
        #expect(Patience.until { store.statistics.originals == 0 })
        let purged = try store.purgeOriginals(PurgeOrder(selection))
        let rows = try blocker.integer("SELECT count(*) FROM originals")
        #expect(purged.count == 0 && rows == 1)
        #expect(purged.failure?.isCarriedOut == true)
        try blocker.execute("ROLLBACK")
        eviction.join()
        #expect(store.settles())
        #expect(try blocker.integer("SELECT count(*) FROM originals") == 0)
    }

    @Test func `a purge that finds nothing does not wait for the medium again`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: "http://a.test/1")
        let order = PurgeOrder(.url(OriginalKey(url: "http://a.test/1")))
        #expect(try store.purgeOriginals(order).failure == nil)
        // From here on nobody can open the log by its name.
        let log = cache.folder + "/index.sqlite-wal"
        try FileManager.default.moveItem(atPath: log, toPath: log + ".away")
        try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: log)
        let again = try store.purgeOriginals(order)
        #expect(again.count == 0 && again.failure == nil)
        try store.keep(original: Picture(2), url: "http://a.test/2")
        #expect(!store.settles())
    }

    @Test func `in a folder that can only be read a purge by prefix counts until a restart`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        for number in 1...2 { try first.keep(original: Picture(number), url: "http://a.test/\(number)") }
        first.close()
        let paths = ["", "/originals", "/renditions", "/incoming"]
        try cache.lock(paths)
        defer { cache.unlock(paths) }
        let store = try cache.open()
        defer { store.close() }
        let purged = try store.purgeOriginals(PurgeOrder(.prefix("http://a.test/1")))
        #expect(purged.count == 1 && purged.failure?.isCarriedOut == true && !store.settles())
        #expect(
            (1...2).map { store.original(OriginalKey(url: "http://a.test/\($0)")) != nil } == [false, true])
    }

    @Test func `an index that cannot be written is told, and files are still served`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.lockTimeout = 50 }
        defer { store.close() }
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        try store.keep(rendition: Picture(1))
        store.flush()
        #expect(store.statistics.indexErrors == 1)
        #expect(store.health != .good)
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        try blocker.execute("ROLLBACK")
        // Changes that could not be written before are written now.
        store.flush()
        #expect(store.health == .good)
        #expect(try cache.accessed(1) != nil)
    }
}
