// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPCaching
import Kernel
import Pipeline
@testable import Stores
import Synchronization
import Testing
import TestSupport

/// A disk cache on a folder, and the events that it reported.
private final class DiskCacheUnderTest: Sendable {
    let diskCache: DiskCache
    private let told: Reports

    private final class Reports: Sendable {
        let events = Mutex<[DiskEvent]>([])
        let released = Mutex<Set<ReleasedFiles>>([])
    }

    /// - Parameter follow: called with each event, on the thread that reports it.
    init(
        _ cache: CacheUnderTest, _ adjust: (inout DiskConfiguration) -> Void = { _ in },
        following follow: @escaping @Sendable (DiskEvent) -> Void = { _ in }
    ) throws {
        let told = Reports()
        self.told = told
        diskCache = try DiskCache(cache.configuration(adjust), now: { cache.now }) { event in
            told.events.withLock { $0.append(event) }
            follow(event)
        } released: { files in
            _ = told.released.withLock { $0.insert(files) }
        }
        try diskCache.start()
    }

    var events: [DiskEvent] { told.events.withLock { $0 } }
    var released: Set<ReleasedFiles> { told.released.withLock { $0 } }

    /// True if the cache reaches this state within a minute.
    func waits(until isSo: (DiskCache) -> Bool) -> Bool {
        Patience.until { isSo(diskCache) }
    }

    func store() throws -> DiskStore { try #require(diskCache.store) }
}

@Suite struct DiskCacheTests {
    @Test func `a folder deleted while in use is made anew, and keeps again`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        try kept.store().keep(rendition: Picture(1))
        // Moved in one step, because the thread that watches the folder would not wait until all files are deleted.
        let aside = cache.folder + "-aside"
        #expect(rename(cache.folder, aside) == 0)
        try FileManager.default.removeItem(atPath: aside)
        #expect(kept.waits { $0.statistics.reopened == 1 && $0.store != nil })
        let store = try kept.store()
        #expect(store.rendition(Picture.renditionKey(1)) == nil)
        try store.keep(rendition: Picture(2))
        #expect(store.bytes(rendition: 2) == Picture(2).bytes)
        #expect(cache.files("renditions").count == 1)
        #expect(kept.diskCache.health == .good)
        #expect(kept.events.contains(.reopening("the folder or its index was replaced")))
    }

    @Test func `an open file that somebody deletes is not to be held open any longer`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        let body = try kept.store().keep(rendition: Picture(1))
        guard case .file(let file, _) = body else {
            Issue.record("no file")
            return
        }
        let number = try #require(file.state).number
        #expect(try unlink(#require(cache.files("renditions").first)) == 0)
        let isTold = withExtendedLifetime(body) {
            kept.waits { _ in kept.released.contains(.nameless([number])) }
        }
        #expect(isTold)
    }

    @Test func `a folder replaced by another is served from the other`() throws {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        let filled = try other.open()
        try filled.keep(rendition: Picture(7))
        filled.close()
        // A link is used because it can be replaced in one step.
        let (path, next) = (cache.folder + "/link", cache.folder + "/next")
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: cache.folder + "/own")
        try FileManager.default.createSymbolicLink(atPath: next, withDestinationPath: other.folder)
        try FileManager.default.createDirectory(
            atPath: cache.folder + "/own", withIntermediateDirectories: false)
        let kept = try DiskCacheUnderTest(cache) { $0.folder = path }
        defer { kept.diskCache.close() }
        #expect(rename(next, path) == 0)
        #expect(kept.waits { $0.store?.rendition(Picture.renditionKey(7)) != nil })
        #expect(try kept.store().bytes(rendition: 7) == Picture(7).bytes)
    }

    @Test(arguments: [false, true])
    func `a folder that is replaced while it is opened leaves the other's index alone`(settingAside: Bool)
        throws
    {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        let filled = try other.open()
        try filled.keep(original: Picture(1))
        filled.close()
        let configuration = cache.configuration()
        let folder = try CacheFolder(configuration, .readWrite)
        let away = cache.folder + "-away"
        try FileManager.default.moveItem(atPath: cache.folder, toPath: away)
        defer { try? FileManager.default.removeItem(atPath: away) }
        try FileManager.default.moveItem(atPath: other.folder, toPath: cache.folder)
        #expect(throws: DiskStoreError.replaced(folder: cache.folder)) {
            _ = try OpenedFolder(in: folder, configuration, settingAside: settingAside)
        }
        let store = try cache.open()
        defer { store.close() }
        #expect(store.original(Picture(1).original().key) != nil)
    }

    @Test func `a folder that comes while a damaged index is closed keeps its own index`() throws {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        let filled = try other.open()
        try filled.keep(original: Picture(1))
        filled.close()
        let (path, away, next) = (cache.folder, cache.folder + "-away", other.folder)
        defer { try? FileManager.default.removeItem(atPath: away) }
        let kept = try DiskCacheUnderTest(
            cache,
            following: { event in
                if case .reopening = event, rename(path, away) == 0 { _ = rename(next, path) }
            })
        defer { kept.diskCache.close() }
        let store = try kept.store()
        _ = try kept.diskCache.purgeOriginals(PurgeOrder(.all), in: store)
        store.hasFailedCheck.store(true, ordering: .relaxed)
        #expect(kept.waits { $0.store?.original(Picture(1).original().key) != nil })
        #expect(kept.events.contains(.reopening("the index is damaged")))
        #expect(!kept.events.contains(.indexSetAside(path + "/index.sqlite.damaged")))
        // It has missed the purge.
        #expect(kept.events.contains(.unconfirmed(1)))
        withExtendedLifetime(other) {}
    }

    @Test func `a path that leads elsewhere does not hold for what was opened`() throws {
        let (cache, other) = (try CacheUnderTest(inMemory: true), try CacheUnderTest(inMemory: true))
        let folder = open(cache.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { close(folder) }
        #expect(PathIdentity(cache.folder, of: folder)?.holds == true)
        #expect(PathIdentity(other.folder, of: folder)?.holds == false)
    }

    @Test(arguments: ["-wal", "-shm"])
    func `deleting a file beside the index loses no row`(suffix: String) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        for number in 0..<30 { try kept.store().keep(original: Picture(number), fields: "\(number)") }
        try kept.store().flush()
        try FileManager.default.removeItem(atPath: cache.folder + "/index.sqlite" + suffix)
        #expect(kept.waits { $0.statistics.reopened == 1 && $0.store != nil })
        #expect(kept.diskCache.statistics.originals == 30)
        for number in 0..<30 {
            #expect(try kept.store().cachingFields(of: Picture(number).original().key) == "\(number)")
        }
    }

    @Test func `a deleted index is made anew from what the files tell`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        for number in 0..<30 { try kept.store().keep(rendition: Picture(number)) }
        try kept.store().flush()
        try FileManager.default.removeItem(atPath: cache.folder + "/index.sqlite")
        #expect(kept.waits { $0.statistics.reopened == 1 && $0.statistics.renditions == 30 })
        #expect(try kept.store().bytes(rendition: 3) == Picture(3).bytes)
    }

    @Test func `an index found damaged while running is set aside, and made anew`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        for number in 0..<300 { try kept.store().keep(rendition: Picture(number)) }
        try kept.store().flush()
        // Damaged through another connection, so that the writer does not rely on the pages that it has in memory.
        let other = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try? other.execute(
            """
            PRAGMA writable_schema=ON; BEGIN; PRAGMA schema_version=999;
            UPDATE sqlite_schema SET rootpage=999999 WHERE name='renditions'; COMMIT;
            """)
        try kept.store().keep(rendition: Picture(1_000))
        try kept.store().flush()
        #expect(kept.waits { $0.statistics.reopened >= 1 && $0.statistics.renditions == 301 })
        #expect(kept.events.contains(.indexSetAside(cache.folder + "/index.sqlite.damaged")))
        #expect(try kept.store().bytes(rendition: 5) == Picture(5).bytes)
        #expect(kept.diskCache.health == .good)
    }

    @Test func `an index that seems damaged and is sound is opened anew, and keeps its originals`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        for number in 0..<30 { try kept.store().keep(original: Picture(number)) }
        try kept.store().flush()
        try kept.store().writer?.writer.hasFoundDamage.store(true, ordering: .relaxed)
        #expect(kept.waits { $0.statistics.reopened == 1 && $0.store != nil })
        #expect(kept.diskCache.statistics.originals == 30)
        #expect(!kept.events.contains(.indexSetAside(cache.folder + "/index.sqlite.damaged")))
    }

    @Test func `an index that seems damaged again and again is set aside`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        for time in 1...DiskCache.mostDoubts + 1 {
            try kept.store().writer?.writer.hasFoundDamage.store(true, ordering: .relaxed)
            #expect(kept.waits { $0.statistics.reopened == time && $0.store != nil })
        }
        #expect(kept.events.contains(.indexSetAside(cache.folder + "/index.sqlite.damaged")))
    }

    @Test func `an index that somebody locks is read, and written as soon as it is free`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        try first.keep(rendition: Picture(1))
        first.close()
        let other = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try other.execute("BEGIN IMMEDIATE")

        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        #expect(try kept.store().bytes(rendition: 1) == Picture(1).bytes)
        let body = try kept.store().keep(rendition: Picture(2))
        #expect(body.contents == Picture(2).bytes)
        #expect(try kept.store().rendition(Picture.renditionKey(2)) == nil)
        #expect(kept.diskCache.health.isTrouble("locked"))
        try other.execute("ROLLBACK")
        #expect(kept.waits { $0.health == .good })
        try kept.store().keep(rendition: Picture(2))
        #expect(try kept.store().bytes(rendition: 2) == Picture(2).bytes)
        #expect(try kept.store().bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `a folder that cannot be written is read, and written as soon as it can be`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        for number in 0..<20 { try first.keep(rendition: Picture(number)) }
        first.close()
        let paths = ["", "/originals", "/renditions", "/incoming"]
        try cache.lock(paths)
        defer { cache.unlock(paths) }
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        #expect(try kept.store().bytes(rendition: 3) == Picture(3).bytes)
        try kept.store().keep(rendition: Picture(30))
        #expect(kept.diskCache.health != .good)
        cache.unlock(paths)
        #expect(kept.waits { $0.health == .good })
        #expect(kept.events.contains(.reopening("the folder can be written again")))
        try kept.store().keep(rendition: Picture(30))
        #expect(try kept.store().bytes(rendition: 30) == Picture(30).bytes)
        #expect(try kept.store().bytes(rendition: 3) == Picture(3).bytes)
    }

    @Test func `what could not be written for a while is written when it can be, without a request`() throws {
        let cache = try CacheUnderTest()
        let kept = try DiskCacheUnderTest(cache) { $0.commitInterval = 10 }
        defer { kept.diskCache.close() }
        let paths = ["/renditions", "/incoming"] + FilePath.folders.map { "/renditions/\($0)" }
        try kept.store().keep(rendition: Picture(1))
        try kept.store().flush()
        try cache.lock(paths)
        defer { cache.unlock(paths) }
        try kept.store().keep(rendition: Picture(2))
        #expect(kept.diskCache.health != .good)
        // Its file stays for now.
        try kept.store().forgetRendition(Picture.renditionKey(1))
        try kept.store().flush()
        #expect(cache.files("renditions").count == 1)
        #expect(kept.waits { _ in kept.events.contains { $0.isTrouble } })
        // As chmod -R does, the upper folders are changed first, so the sweep that follows cannot remove the file yet.
        cache.unlock(Array(paths[..<2]))
        #expect(kept.waits { $0.health == .good })
        // The first sweep is the one at the start.
        #expect(kept.waits { _ in kept.events.count { $0.isSweep } >= 2 })
        #expect(cache.files("renditions").count == 1)
        cache.unlock(paths)
        #expect(kept.waits { _ in cache.files("renditions").isEmpty }, "swept")
        #expect(kept.waits { _ in kept.events.contains(.recovered) })
    }

    @Test func `a second store, a folder that cannot be made, and a file are refused`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        defer { kept.diskCache.close() }
        #expect(throws: DiskStoreError.inUse(folder: cache.folder)) { try DiskCacheUnderTest(cache) }
        #expect(throws: DiskStoreError.self) { try DiskCacheUnderTest(cache) { $0.folder = "/proc/nowhere" } }
        #expect(throws: DiskStoreError.self) {
            try DiskCacheUnderTest(cache) { $0.folder = cache.folder + "/index.sqlite" }
        }
    }

    @Test func `without a store files are made in memory, and nothing is found`() async throws {
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache)
        kept.diskCache.close()
        #expect(kept.diskCache.store == nil)
        #expect(kept.diskCache.health == .absent(reason: "it is closed"))
        _ = try kept.diskCache.makeFile()
        _ = try await kept.diskCache.makeFileAside()
        #expect(await kept.diskCache.perform { $0.statistics.renditions } == nil)
    }

    @Test func `a task gets its file from the store, within the same budget`() async throws {
        let cache = try CacheUnderTest(inMemory: true)
        let held = HeldBytes(memory: 1 << 20, disk: 1 << 20)
        let kept = try DiskCacheUnderTest(cache) { $0.held = held }
        defer { kept.diskCache.close() }
        let file = try await kept.diskCache.makeFileAside()
        try file.grow(to: 1 << 19)
        #expect(held.disk.used == 1 << 19 && held.memory.used == 0)
        let second = try await kept.diskCache.makeFileAside()
        #expect(throws: SystemError.heldBytesSpent) { try second.grow(to: 1 << 19) }
    }

    @Test(arguments: [(true, false), (false, true), (false, false)])
    func `what a folder holds that comes back is confirmed first, in a fleet, or where it is in doubt`(
        isFleet: Bool, isInDoubt: Bool
    ) throws {
        let isConfirmed = isFleet || isInDoubt
        let cache = try CacheUnderTest(inMemory: true)
        let kept = try DiskCacheUnderTest(cache) { $0.confirmsReopened = isFleet }
        defer { kept.diskCache.close() }
        kept.diskCache.confirmOpened { isInDoubt }
        var picture = Picture(9_000).original(url: "http://a.test/1")
        picture.freshness = Freshness(
            responseTime: cache.now, initialAge: 0, lifetime: 3_600, clientLifetime: 60,
            staleWhileRevalidate: 60, staleIfError: 60, flags: [])
        let store = try kept.store()
        _ = store.keepOriginal(picture, cachingFields: "etag", body: try store.file(Picture(9_000).bytes))
        store.flush()
        let (away, other) = (cache.folder + "-away", cache.folder + "-other")
        defer { for folder in [away, other] { try? FileManager.default.removeItem(atPath: folder) } }
        #expect(rename(cache.folder, away) == 0)
        #expect(kept.waits { $0.statistics.reopened == 1 && $0.store != nil })
        #expect(try kept.store().original(picture.key) == nil)
        // A new folder may be made in between.
        #expect(
            kept.waits { _ in
                try? FileManager.default.removeItem(atPath: other)
                _ = rename(cache.folder, other)
                return rename(away, cache.folder) == 0
            })
        #expect(kept.waits { $0.store?.original(picture.key) != nil })
        let found = try #require(try kept.store().original(picture.key)).freshness
        #expect((found.secondsLeft(at: cache.now) > 0) == !isConfirmed)
        #expect((found.staleWhileRevalidate, found.staleIfError) == (isConfirmed ? (0, 0) : (60, 60)))
        #expect(kept.events.contains(.unconfirmed(1)) == isConfirmed)
    }
}

extension DiskEvent {
    fileprivate var isSweep: Bool {
        if case .swept = self { true } else { false }
    }

    fileprivate var isTrouble: Bool {
        if case .trouble = self { true } else { false }
    }
}

extension DiskHealth {
    /// True if the cache keeps nothing, for a reason that contains these words.
    fileprivate func isTrouble(_ words: String) -> Bool {
        if case .notKeeping(let reason) = self { reason.contains(words) } else { false }
    }
}
