// SPDX-License-Identifier: Apache-2.0

import Bytes
import CLinux
import Foundation
import Kernel
import Pipeline
import Recipes
@testable import Stores
import Testing

/// True if the kernel drops bytes of files in /var/tmp from memory when it is asked to, which it does not do on a tmpfs.
private let dropsBytes: Bool = {
    let path = "/var/tmp/probe-\(UInt64.random(in: .min ... .max))"
    let file = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    guard file >= 0 else { return false }
    unlink(path)
    defer { close(file) }
    var byte: UInt8 = 1
    guard pwrite(file, &byte, 1, 0) == 1, fsync(file) == 0, pictor_read_cached(file, &byte, 1, 0) == 1
    else { return false }
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    return pictor_read_cached(file, &byte, 1, 0) != 1
}()

/// A file that is opened without waiting for the disk is checked like any other.
@Suite("A rendition that the kernel has in memory") struct CachedRenditionTests {
    private let cache: CacheUnderTest

    init() throws { cache = try CacheUnderTest() }

    /// True if this folder's file system can answer from memory; overlays and network file systems may not.
    private var answersFromMemory: Bool {
        let path = cache.folder + "/probe"
        guard FileManager.default.createFile(atPath: path, contents: Data([1])) else { return false }
        let folder = Glibc.open(cache.folder, O_RDONLY | O_DIRECTORY)
        defer { close(folder) }
        let file = pictor_open_cached(folder, "probe")
        guard file >= 0 else { return false }
        defer { close(file) }
        var byte: UInt8 = 0
        return pictor_read_cached(file, &byte, 1, 0) == 1
    }

    private func bytes(_ body: Body?) -> [UInt8]? {
        switch body {
        case .file(let file, let length): file.bytes(count: length).map { Array($0.buffer) }
        case .bytes(let bytes): Array(bytes.buffer)
        case nil: nil
        }
    }

    private func path(of number: Int) throws -> String {
        let digits = Picture.renditionKey(number).digest.hex
        return try #require(cache.files("renditions").first { $0.hasSuffix(digits) })
    }

    @Test func `is found on a tmpfs, whose files are nowhere else`() {
        let file = pictor_memory_file("probe")
        defer { close(file) }
        let bytes: [UInt8] = [7, 8]
        #expect(pwrite(file, bytes, bytes.count, 0) == 2)
        var byte: UInt8 = 0
        let count = pictor_read_cached(file, &byte, 1, 1)
        #expect(count == 1 && byte == 8)
    }

    @Test func `is found on a tmpfs also by a name, and open for reading alone`() throws {
        let path = "/dev/shm/pictor-\(UInt64.random(in: .min ... .max))"
        guard FileManager.default.createFile(atPath: path, contents: Data([7, 8])) else {
            try Test.cancel("There is no tmpfs.")
        }
        let file = Glibc.open(path, O_RDONLY)
        unlink(path)
        defer { close(file) }
        var byte: UInt8 = 0
        let count = pictor_read_cached(file, &byte, 1, 1)
        #expect(count == 1 && byte == 8)
    }

    @Test func `is not read where the file system does not tell whether that would wait`() {
        let file = Glibc.open("/proc/self/status", O_RDONLY)
        defer { close(file) }
        var byte: UInt8 = 0
        let count = pictor_read_cached(file, &byte, 1, 0)
        let code = errno
        #expect(count == -1 && code == EOPNOTSUPP)
    }

    @Test func `is opened and verified at once, and the next time known to be verified`() throws {
        let first = try cache.open()
        let picture = Picture(1, length: 9_000)
        try first.keep(rendition: picture)
        first.close()
        let second = try cache.open()
        defer { second.close() }
        for _ in 1...2 {
            guard let found = second.openCachedRendition(Picture.renditionKey(1)) else {
                #expect(!answersFromMemory)
                continue
            }
            #expect(found.rendition == picture.rendition)
            #expect(bytes(found.body) == picture.bytes)
            #expect(second.catalogue.renditions.table[found.rendition.key.digest]?.verified != 0)
        }
    }

    @Test(arguments: [8_999, 9_000])
    func `is copied where its reader takes a copy of as many bytes`(limit: Int) throws {
        let store = try cache.open()
        defer { store.close() }
        let picture = Picture(1, length: 9_000)
        try store.keep(rendition: picture)
        guard let found = store.openCachedRendition(Picture.renditionKey(1), copying: limit) else {
            #expect(!answersFromMemory)
            return
        }
        #expect(bytes(found.body) == picture.bytes)
        #expect(found.body.length == 9_000)
        if case .bytes = found.body { #expect(limit == 9_000) } else { #expect(limit < 9_000) }
    }

    @Test func `is left to the disk's threads where it is long, verified or not`() throws {
        let first = try cache.open()
        let picture = Picture(1, length: CachePartition.longestReadAtOnce + 1)
        try first.keep(rendition: picture)
        first.close()
        let second = try cache.open()
        defer { second.close() }
        let key = Picture.renditionKey(1)
        #expect(second.openCachedRendition(key) == nil)
        #expect(bytes(second.openRendition(key)?.body) == picture.bytes)
        #expect(second.openCachedRendition(key) == nil)
    }

    /// On a disk: tests run in /dev/shm if it has room, and there this test could not fail.
    @Test(.enabled(if: dropsBytes, "the kernel keeps what is in /var/tmp in memory"))
    func `is what one that was opened becomes, for those who read it next and must not wait`() throws {
        let cache = try CacheUnderTest(onDisk: true)
        let store = try cache.open()
        defer { store.close() }
        let (key, picture) = (Picture.renditionKey(1), Picture(1, length: 1_000_000))
        try store.keep(rendition: picture)
        #expect(store.openRendition(key) != nil)
        let file = Glibc.open(try #require(cache.files("renditions").first), O_RDONLY)
        try #require(file >= 0)
        defer { close(file) }
        func isHeld(_ offset: Int) -> Bool {
            var byte: UInt8 = 0
            return pictor_read_cached(file, &byte, 1, offset) == 1
        }
        // The kernel does not drop a page that another processor is about to add to its lists. Testing one page makes the kernel
        // read those around it.
        let isDropped = (0..<100).contains { _ in
            fsync(file)
            posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
            return !isHeld(850_000)
        }
        try #require(isDropped)
        let offsets = Array(stride(from: 0, to: 900_000, by: 50_000))
        let found = store.openRendition(key)
        #expect(offsets.allSatisfy(isHeld))
        #expect(bytes(found?.body) == picture.bytes)
    }

    @Test(arguments: [false, true], [0, 9_000])
    func `is not given away damaged, and is left for those who remove it`(isKnown: Bool, copying: Int) throws
    {
        let first = try cache.open()
        let damages = Damage.allCases
        for number in 0...damages.count { try first.keep(rendition: Picture(number, length: 9_000)) }
        first.close()
        let second = try cache.open()
        defer { second.close() }
        for (number, damage) in damages.enumerated() {
            let key = Picture.renditionKey(number)
            if isKnown { #expect(second.openRendition(key) != nil) }
            try damage.happen(to: try path(of: number), other: try path(of: damages.count))
            #expect(second.openCachedRendition(key, copying: copying) == nil, "\(damage)")
            #expect(second.statistics.damaged == number)
            #expect(second.openRendition(key) == nil, "\(damage)")
            #expect(second.rendition(key) == nil)
        }
    }

    /// The number of this process's descriptors for that picture's file.
    private func descriptors(of number: Int) throws -> Int {
        let path = URL(filePath: try path(of: number)).resolvingSymlinksInPath().path
        return Directory.names(in: AT_FDCWD, "/proc/self/fd").count { name in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
            return target == path
        }
    }

    @Test func `stays open for who reads its file, and not for who takes a copy or is given none`() throws {
        let store = try cache.open()
        defer { store.close() }
        let key = Picture.renditionKey(1)
        try store.keep(rendition: Picture(1, length: 9_000))
        #expect(try descriptors(of: 1) == 0)
        do {
            let found = store.openCachedRendition(key)
            #expect(found != nil || !answersFromMemory)
            #expect(try descriptors(of: 1) == (found == nil ? 0 : 1))
            withExtendedLifetime(found) {}
        }
        let copy = store.openCachedRendition(key, copying: 9_000)
        #expect(copy != nil || !answersFromMemory)
        #expect(try descriptors(of: 1) == 0)
        let path = try path(of: 1)
        for damage in [Damage.bodyByte, .cutBody] {
            try damage.happen(to: path, other: "")
            #expect(store.openCachedRendition(key, copying: 9_000) == nil)
            #expect(try descriptors(of: 1) == 0, "\(damage)")
        }
    }

    @Test func `is not found where its file is gone, or it never was`() throws {
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1, length: 9_000))
        unlink(try path(of: 1))
        for number in [1, 2] { #expect(store.openCachedRendition(Picture.renditionKey(number)) == nil) }
    }
}
