// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Glibc
import Kernel
import Pipeline
@testable import Stores
import TestSupport
import Testing

/// These tests mount a file system of their own. They are cancelled where that is not allowed.
@Suite("A full disk and the index") struct FullDiskTests {
    @Test func `an index for which the disk is full gets room at once, not with its next attempt`() throws {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here.")
        }
        let cache = try CacheUnderTest()
        // The next attempt would only come in an hour.
        let store = try cache.open(in: disk.folder.path) { $0.minimumFree = .bytes(0) }
        defer { store.close() }
        for number in 0..<100 { try store.keep(rendition: Picture(number, length: 20_000)) }
        disk.fill()
        store.commit()
        #expect(store.statistics.indexErrors > 0)
        #expect(store.statistics.evicted > 0 && store.statistics.renditions > 50)
        #expect(!store.queue.holdsBack)
    }

    @Test func `on a full disk the index's log gives its room back before any picture does`() throws {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here.")
        }
        let cache = try CacheUnderTest()
        let store = try cache.open(in: disk.folder.path) { $0.minimumFree = .bytes(0) }
        defer { store.close() }
        for number in 0..<250 {
            try store.keep(rendition: Picture(number, length: 5_000))
            store.commit()
        }
        #expect(store.folder.logBytes > 2 << 20)
        disk.fill(leaving: 256 << 10)
        func keep(_ number: Int) -> Bool {
            let picture = Picture(number, length: 300_000)
            let body = Body.bytes(ImmutableBytes(picture.bytes))
            _ = store.keepRendition(picture.rendition, of: picture.original(), body: body)
            return store.rendition(Picture.renditionKey(number)) != nil
        }
        #expect(!keep(1_000))
        store.flush()
        #expect(keep(1_001))
        #expect(store.statistics.evicted == 0 && store.folder.logBytes < 1 << 20)
    }

    @Test func `packing the index on a full disk is no trouble, and empties its log`() throws {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here.")
        }
        let cache = try CacheUnderTest()
        let store = try cache.open(in: disk.folder.path) { $0.minimumFree = .bytes(0) }
        defer { store.close() }
        for number in 0..<300 { try store.keep(rendition: Picture(number, length: 100)) }
        _ = store.collect { _ in }
        for number in 0..<290 { store.forgetRendition(Picture.renditionKey(number)) }
        store.commit()
        disk.fill()
        #expect(store.folder.logBytes > 0)
        _ = store.collect { _ in }
        #expect(store.health == .good && store.statistics.indexErrors == 0)
        #expect(store.folder.logBytes == 0 && store.statistics.renditions == 10)
    }

    @Test(arguments: [false, true])
    func `at a start on a full disk a few pictures leave, and the cache is used`(
        isIndexDamaged: Bool
    ) throws {
        guard let disk = SmallDisk(bytes: 16 << 20) else {
            try Test.cancel("Mounting is not allowed here.")
        }
        let cache = try CacheUnderTest()
        func open() throws -> DiskStore {
            try cache.open(in: disk.folder.path) { $0.minimumFree = .bytes(0) }
        }
        let first = try open()
        for number in 0..<100 {
            try first.keep(rendition: Picture(number, length: 20_000))
            try first.keep(original: Picture(number, length: 20_000))
        }
        first.close()
        if isIndexDamaged {
            let index = try FileHandle(
                forWritingTo: URL(fileURLWithPath: disk.folder.path + "/index.sqlite"))
            try index.write(contentsOf: [UInt8](repeating: 0x5A, count: 4_096))
            try index.close()
        }
        disk.fill()
        let second = try open()
        defer { second.close() }
        #expect(!second.isReadOnly && (second.setAside != nil) == isIndexDamaged)
        _ = second.sweep()
        second.flush()
        // Originals leave for the room that opening takes. What the sound index writes takes more, for which the oldest of all leave.
        #expect(second.statistics.renditions > (isIndexDamaged ? 99 : 80))
        #expect(isIndexDamaged ? second.statistics.originals == 0 : second.statistics.originals > 80)
        try second.keep(rendition: Picture(100, length: 20_000))
        #expect(second.bytes(rendition: 100) != nil)
    }

    @Test func `at a start without free inodes a few originals leave, and the cache is used`() throws {
        // 520 are the folders and the index.
        guard let disk = SmallDisk(bytes: 16 << 20, inodes: 700) else {
            try Test.cancel("Mounting is not allowed here.")
        }
        let cache = try CacheUnderTest()
        func start() throws -> DiskStore {
            try cache.open(in: disk.folder.path) { $0.minimumFree = .bytes(0) }
        }
        let first = try start()
        for number in 0..<40 {
            try first.keep(rendition: Picture(number, length: 100))
            try first.keep(original: Picture(number, length: 100))
        }
        first.close()
        let ballast = disk.folder.path + "/ballast"
        try FileManager.default.createDirectory(atPath: ballast, withIntermediateDirectories: false)
        for number in 0..<700 where disk.freeInodes > 0 {
            Glibc.close(Glibc.open("\(ballast)/\(number)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600))
        }
        let second = try start()
        defer { second.close() }
        #expect(!second.isReadOnly && second.setAside == nil)
        _ = second.sweep()
        #expect(second.statistics.renditions == 40 && second.statistics.originals > 20)
    }
}
