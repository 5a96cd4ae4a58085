// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPCaching
import Pipeline
@testable import Stores
import Synchronization
import Testing
import TestSupport

@Suite("A purge that the disk has missed is made up for, also after a restart")
struct MissedPurgeTests {
    private let cache: CacheUnderTest
    private let told = Reports()
    private let picture = Picture(9_000)

    private final class Reports: Sendable {
        let unconfirmed = Atomic<Int>(0)
        /// Runs after everything was marked in memory, and before that counts as made up for.
        let meanwhile = Mutex<(@Sendable () -> Void)?>(nil)
    }

    init() throws { cache = try CacheUnderTest(inMemory: true) }

    /// The note is outside of the folder, as if on another file system.
    private var note: String { cache.folder + "-missed" }
    private var isNoted: Bool { access(note, F_OK) == 0 }

    private func open(_ folder: String? = nil) throws -> DiskCache {
        let configuration = cache.configuration(in: folder) { $0.purgeNote = note }
        return try DiskCache(configuration, now: { cache.now }) { [told] event in
            guard case .unconfirmed = event else { return }
            told.unconfirmed.add(1, ordering: .relaxed)
            told.meanwhile.withLock { $0 }?()
        }
    }

    private func keep(on disk: DiskCache) throws {
        let store = try #require(disk.store)
        let body = try store.file(picture.bytes)
        _ = store.keepOriginal(picture.fresh(at: cache.now), cachingFields: "etag", body: body)
        store.flush()
    }

    /// A cache with the picture, which watches its folder.
    private func watched(_ folder: ReplaceableFolder) throws -> DiskCache {
        let disk = try open(folder.path)
        try keep(on: disk)
        try disk.start()
        return disk
    }

    /// True if the original is served without asking its origin.
    private func isFresh(on disk: DiskCache) throws -> Bool {
        let found = try #require(disk.store?.original(picture.original().key))
        return found.freshness.secondsLeft(at: cache.now) > 0
    }

    private var times: Int { told.unconfirmed.load(ordering: .relaxed) }

    @Test func `without one, a restart has nothing confirmed`() throws {
        let first = try open()
        try keep(on: first)
        first.close()
        let second = try open()
        defer { second.close() }
        #expect(try isFresh(on: second))
        #expect(times == 0)
    }

    @Test func `what is on a disk that missed one is confirmed after a restart, once`() throws {
        let first = try open()
        try keep(on: first)
        first.close()
        // The disk is away.
        #expect(first.notePurgeMissed())
        #expect(isNoted)
        let second = try open()
        #expect(try !isFresh(on: second))
        #expect(!isNoted, "it is on the disk now")
        second.close()
        let third = try open()
        defer { third.close() }
        #expect(try !isFresh(on: third))
        #expect(times == 1)
    }

    @Test func `a purge that is not on the disk is noted as well`() throws {
        let first = try open()
        try keep(on: first)
        first.notePurgeUnsettled(in: try #require(first.store))
        #expect(try isFresh(on: first), "it is carried out in memory, and the rest stays as it is")
        first.close()
        let second = try open()
        defer { second.close() }
        #expect(try !isFresh(on: second))
        #expect(!isNoted)
    }

    @Test func `a purge that is not on the disk stays noted, though an earlier one is made up for`() throws {
        let disk = try open()
        defer { disk.close() }
        try keep(on: disk)
        let store = try #require(disk.store)
        told.meanwhile.withLock { $0 = { disk.notePurgeUnsettled(in: store) } }
        defer { told.meanwhile.withLock { $0 = nil } }
        disk.notePurgeMissed()
        disk.makeUpForPurges()
        #expect(try !isFresh(on: disk))
        #expect(isNoted)
    }

    @Test func `without a place for a note, the one who orders is told so`() throws {
        let disk = try DiskCache(cache.configuration(), now: { cache.now }) { _ in }
        defer { disk.close() }
        #expect(!disk.notePurgeMissed())
    }

    @Test func `a folder that was away during a purge comes back, and all in it is confirmed first`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let disk = try watched(folder)
        defer { disk.close() }
        try folder.leave(disk)
        disk.notePurgeMissed()
        #expect(isNoted)
        try folder.comeBack()
        #expect(Patience.until { !isNoted && disk.store != nil })
        #expect(try !isFresh(on: disk))
        // Twice if the purge came in the middle of a look, which then could not write.
        #expect(1...2 ~= times)
    }

    @Test func `one that comes back and can only be read has all confirmed again once it is written`() throws
    {
        let folder = try ReplaceableFolder(in: cache)
        let disk = try watched(folder)
        defer { disk.close() }
        try folder.leave(disk)
        disk.notePurgeMissed()
        let other = try Database(path: folder.own + "/index.sqlite", .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        try folder.comeBack()
        #expect(Patience.until { disk.store?.isReadOnly == true })
        #expect(try !isFresh(on: disk))
        #expect(isNoted)
        try other.execute("ROLLBACK")
        #expect(Patience.until { !isNoted && disk.store != nil })
        #expect(try !isFresh(on: disk))
    }

    @Test func `a purge that is in memory alone is not lost with the store that has it`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let disk = try watched(folder)
        defer { disk.close() }
        disk.notePurgeUnsettled(in: try #require(disk.store))
        try folder.leave(disk)
        try folder.comeBack()
        #expect(Patience.until { !isNoted && disk.store != nil })
        #expect(try !isFresh(on: disk))
    }

    @Test func `a purge that comes to a closed store is made up for in the one in its place`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let disk = try watched(folder)
        defer { disk.close() }
        let former = try #require(disk.store)
        try folder.leave(disk)
        try folder.comeBack()
        #expect(Patience.until { disk.store != nil })
        #expect(try isFresh(on: disk))
        let purged = try disk.purgeOriginals(PurgeOrder(.url(picture.original().key)), in: former)
        #expect(purged.failure?.isCarriedOut == true)
        #expect(Patience.until { !isNoted && disk.store != nil })
        #expect(try !isFresh(on: disk))
    }

    @Test func `what an empty folder has made up for, another one that comes back has not`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let disk = try watched(folder)
        defer { disk.close() }
        try folder.leave(disk)
        disk.notePurgeMissed()
        try folder.lead(to: try folder.another())
        #expect(Patience.until { !isNoted && disk.store != nil })
        try folder.comeBack()
        #expect(Patience.until { disk.statistics.reopened == 2 && disk.store != nil })
        #expect(try !isFresh(on: disk))
    }

    @Test func `a folder that is put back just before a stop has all confirmed at the next start`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let first = try open(folder.path)
        try keep(on: first)
        first.close()
        try folder.lead(to: try folder.another())
        let second = try open(folder.path)
        let order = PurgeOrder(.url(picture.original().key))
        _ = try second.purgeOriginals(order, in: try #require(second.store))
        try folder.comeBack()
        second.close()
        #expect(isNoted)
        let third = try open(folder.path)
        defer { third.close() }
        #expect(try !isFresh(on: third))
        #expect(!isNoted)
    }

    @Test func `a folder that is put back while no daemon runs has all confirmed at the next start`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let first = try open(folder.path)
        try keep(on: first)
        try first.start()
        try folder.lead(to: try folder.another())
        #expect(Patience.until { first.statistics.reopened == 1 && first.store != nil })
        let order = PurgeOrder(.url(picture.original().key))
        _ = try first.purgeOriginals(order, in: try #require(first.store))
        first.close()
        #expect(isNoted)
        try folder.comeBack()
        let second = try open(folder.path)
        defer { second.close() }
        #expect(try !isFresh(on: second))
        #expect(!isNoted)
    }

    @Test func `a folder that is put back after a purge in another one has all confirmed first`() throws {
        let folder = try ReplaceableFolder(in: cache)
        let disk = try watched(folder)
        defer { disk.close() }
        try folder.lead(to: try folder.another())
        #expect(Patience.until { disk.statistics.reopened == 1 && disk.store != nil })
        let order = PurgeOrder(.url(picture.original().key))
        let purged = try disk.purgeOriginals(order, in: try #require(disk.store))
        #expect(purged.count == 0 && purged.failure == nil)
        try folder.comeBack()
        #expect(Patience.until { disk.statistics.reopened == 2 && disk.store != nil })
        #expect(try !isFresh(on: disk))
        #expect(!isNoted)
    }
}

/// A cache's folder that can be taken away and given back in one step, because it is a link to the folder or to a file.
private struct ReplaceableFolder {
    let path: String
    let own: String
    private let other: String
    private let file: String
    private let next: String

    init(in cache: CacheUnderTest) throws {
        (path, own, other) = (cache.folder + "/link", cache.folder + "/own", cache.folder + "/other")
        (file, next) = (cache.folder + "/file", cache.folder + "/next")
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: file))
        try lead(to: own)
    }

    func takeAway() throws { try lead(to: file) }

    /// Takes the folder away, and returns once the cache has noticed.
    func leave(_ disk: DiskCache) throws {
        try takeAway()
        #expect(Patience.until { disk.statistics.reopened == 1 && disk.opened == nil })
    }

    func comeBack() throws { try lead(to: own) }

    /// Makes an empty folder.
    func another() throws -> String {
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        return other
    }

    func lead(to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: next, withDestinationPath: target)
        #expect(rename(next, path) == 0)
    }
}
