// SPDX-License-Identifier: Apache-2.0

import Foundation
import Kernel
import Pipeline
@testable import Stores
import TestSupport
import Testing

/// A test cannot choose the size of the file system, so it chooses the minimum near the free space.
@Suite struct DiskSpaceTests {
    private func free(_ cache: CacheUnderTest) throws -> Int {
        var status = statvfs()
        try #require(statvfs(cache.folder, &status) == 0)
        return Int(status.f_bavail) * Int(status.f_frsize)
    }

    private func fill(_ cache: CacheUnderTest) throws {
        let store = try cache.open()
        try fill(store)
        store.close()
    }

    /// Keeps 600 renditions and as many originals, each of one block.
    private func fill(_ store: DiskStore) throws {
        for number in 0..<600 {
            try store.keep(rendition: Picture(number, length: 100))
            try store.keep(original: Picture(number, length: 100))
        }
    }

    @Test func `below the minimum free entries leave, and new ones still come`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        try fill(cache)
        let minimum = try free(cache) * 3 / 2
        let store = try cache.open { $0.minimumFree = .bytes(minimum) }
        defer { store.close() }
        store.flush()
        #expect(store.statistics.renditions == 0 && store.statistics.originals == 0)
        #expect(store.statistics.evicted == 1_200)
        #expect(cache.files("renditions").isEmpty && cache.files("originals").isEmpty)
        try store.keep(rendition: Picture(1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        #expect(store.health == .good)
    }

    @Test func `below half of the minimum nothing new is kept`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let minimum = try free(cache) * 3
        let store = try cache.open { $0.minimumFree = .bytes(minimum) }
        defer { store.close() }
        let body = try store.keep(rendition: Picture(1))
        #expect(body.contents == Picture(1).bytes)
        #expect(store.rendition(Picture.renditionKey(1)) == nil)
        #expect(store.health != .good)
        store.lookAfter()
        #expect(store.health != .good)
    }

    @Test
    func
        `a shortage that comes while running makes entries leave, both kinds alike, and no more than needed`()
        throws
    {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        let held = store.catalogue.bytes
        #expect(held == 1_200 * 4_096)
        var evictor = Evictor(store.catalogue, high: 0.95, low: 0.9, seed: 1)
        #expect(evictor.next(at: store.seconds, shortage: .none).isEmpty)
        #expect(evictor.next(at: store.seconds, shortage: .init(bytes: held / 10)).count == 120)
        #expect(store.statistics.originals == 540 && store.statistics.renditions == 540)
        #expect(evictor.next(at: store.seconds, shortage: .init(bytes: .max)).count == 2 * Evictor.slice)
    }

    @Test func `a file that the file system has refused makes as much room, in both kinds alike`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        var evictor = Evictor(store.catalogue, high: 0.95, low: 0.9, seed: 1)
        // Room for four such files, and for at least a 128th of all: ten entries.
        evictor.makeRoom(forRefused: 8_192)
        #expect(evictor.next(at: store.seconds, shortage: .none).count == 10)
        evictor.makeRoom(forRefused: 4 * 4_096)
        #expect(evictor.next(at: store.seconds, shortage: .none).count <= 18)
        #expect(evictor.next(at: store.seconds, shortage: .none).isEmpty)
        // In slices, to the end: half of all for one file, and nothing for a larger one.
        evictor.makeRoom(forRefused: store.catalogue.bytes / 2)
        while !evictor.next(at: store.seconds, shortage: .none).isEmpty {}
        #expect(store.catalogue.fileCount == 586)
        #expect(abs(store.statistics.originals - store.statistics.renditions) <= 1)
        evictor.makeRoom(forRefused: store.catalogue.bytes / 2 + 1)
        evictor.makeRoom(forRefused: .max)
        #expect(evictor.next(at: store.seconds, shortage: .none).isEmpty)
        try store.purgeAll()
        evictor.makeRoom(forRefused: 0)
        #expect(evictor.next(at: store.seconds, shortage: .none).isEmpty)
    }

    @Test func `where room for refused files does not help, little more is given up`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        // The writer takes nothing meanwhile.
        store.flush()
        func rooms(_ count: Int, at seconds: UInt32) -> Int {
            (0..<count).count { _ in
                store.catalogue.noteRefused(4_096)
                return store.catalogue.takeRefused(at: seconds) == 4_096
            }
        }
        #expect(store.catalogue.takeRefused(at: 1_000) == 0)
        #expect(rooms(100, at: 1_000) == 8)
        #expect(rooms(100, at: 1_059) == 0)
        #expect(rooms(100, at: 1_060) == 1)
        store.catalogue.noteTaken()
        #expect(rooms(100, at: 1_061) == 8)
    }

    @Test func `a refused file larger than half of the cache takes no room from smaller ones`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        try fill(store)
        // The writer takes nothing meanwhile.
        store.flush()
        let catalogue = store.catalogue
        for _ in 0..<100 {
            catalogue.noteRefused(catalogue.bytes / 2 + 1)
            #expect(catalogue.takeRefused(at: 1_000) == 0)
        }
        catalogue.noteRefused(4_096)
        catalogue.noteRefused(.max)
        #expect(catalogue.takeRefused(at: 1_000) == 4_096)
    }

    @Test func `a cache that fills its file system by itself goes on with new entries in place of old ones`()
        throws
    {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here; the test above promises the eviction.")
        }
        let cache = try CacheUnderTest()
        let store = try cache.open(in: disk.folder.path) { $0.minimumFree = .bytes(0) }
        defer { store.close() }
        for number in 0..<300 {
            cache.pass(seconds: 1)
            let picture = Picture(number, length: 100_000)
            let body = Body.bytes(ImmutableBytes(picture.bytes))
            _ = store.keepRendition(picture.rendition, of: picture.original(), body: body)
            store.flush()
        }
        #expect(store.statistics.evicted > 60)
        #expect(store.statistics.renditions > 60)
        #expect(store.statistics.writeErrors < 100)
        let last = (290..<300).count { store.rendition(Picture.renditionKey($0)) != nil }
        #expect(last >= 5)
    }

    @Test(arguments: [
        (ReservedSpace.percent(2), 1_000_000, 20_000), (.bytes(5), 1_000_000, 5), (.percent(0), 1_000_000, 0),
    ])
    func `a minimum is bytes or a part of the file system`(space: ReservedSpace, size: Int, bytes: Int) {
        #expect(space.bytes(of: size) == bytes)
    }

    // MARK: Inodes

    @Test(arguments: [
        (ReservedSpace.percent(2), 1_050, 21), (.bytes(250_000), 1_000, 250),
        (.bytes(2_000_000), 1_000, 1_000),
        (.percent(0), 1_000, 0),
    ])
    func `the minimum of inodes is the same part as that of bytes`(
        space: ReservedSpace, count: Int, files: Int
    ) {
        #expect(space.files(of: count, size: 1_000_000) == files)
    }

    @Test func `a file system without a number of inodes, or with one that makes no sense, sets no limit`() {
        for (inodes, free) in [(0, 0), (0, UInt64.max), (5, 6), (UInt64.max, UInt64.max), (1 << 60, 3)] {
            let space = DiskSpace(
                block: 4_096, blocks: 1_000, free: 1_000, inodes: inodes, freeInodes: free,
                leaving: .percent(50))
            #expect(space.files == nil && space.takesNew && space.shortage == .none)
        }
        let vast = DiskSpace(
            block: .max, blocks: .max, free: .max, inodes: 10, freeInodes: 4, leaving: .percent(50))
        #expect(vast.bytes.free == .max && vast.shortage == DiskSpace.Shortage(bytes: 0, files: 1))
        #expect(vast.takesNew)
        let none = DiskSpace(
            block: 1, blocks: 100, free: 100, inodes: 10, freeInodes: 2, leaving: .percent(60))
        #expect(!none.takesNew && "\(none.obstacle)".contains("inodes"))
    }

    @Test func `a shortage of inodes makes as many files leave, both kinds alike`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let store = try cache.open()
        defer { store.close() }
        for number in 0..<100 {
            try store.keep(rendition: Picture(number, length: 100))
            try store.keep(original: Picture(number, length: 100))
            // A second name of the same file.
            try store.keep(original: Picture(number, length: 100), url: "http://other/\(number)")
        }
        var evictor = Evictor(store.catalogue, high: 0.95, low: 0.9, seed: 1)
        let changes = evictor.next(at: store.seconds, shortage: .init(files: 20))
        #expect(store.catalogue.renditions.table.count == 90 && store.catalogue.originals.table.count == 90)
        #expect(changes.count >= 20)
        _ = evictor.next(at: store.seconds, shortage: .init(files: .max))
        #expect(store.catalogue.fileCount == 0)
    }
}
