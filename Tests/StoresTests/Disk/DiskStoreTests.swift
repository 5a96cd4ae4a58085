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

@Suite struct DiskStoreTests {
    @Test func `what is kept is found, with its bytes`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let picture = Picture(5)
        try store.keep(original: picture)
        try store.keep(rendition: picture)
        #expect(store.original(picture.original().key) == picture.original())
        #expect(store.bytes(original: picture) == picture.bytes)
        #expect(store.rendition(picture.rendition.key) == picture.rendition)
        #expect(store.bytes(rendition: 5) == picture.bytes)
        #expect(store.original(OriginalKey(url: "http://host/other")) == nil)
        #expect(store.rendition(Picture.renditionKey(6)) == nil)
        #expect(store.openRendition(Picture.renditionKey(6)) == nil)
        #expect(store.health == .good)
    }

    @Test func `what was kept is found after a restart, with all that was known of it`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        var original = Picture(3).original()
        original.lastModified = nil
        _ = first.keepOriginal(original, cachingFields: "x", body: try first.file(Picture(3).bytes))
        for number in [1, 2] { try first.keep(original: Picture(number), fields: "fields of \(number)") }
        try first.keep(rendition: Picture(4))
        first.close()

        let second = try cache.open()
        defer { second.close() }
        #expect(second.setAside == nil)
        #expect(second.original(original.key) == original)
        for number in [1, 2] {
            let picture = Picture(number)
            #expect(second.original(picture.original().key) == picture.original())
            #expect(second.bytes(original: picture) == picture.bytes)
            #expect(second.cachingFields(of: picture.original().key) == "fields of \(number)")
        }
        #expect(second.rendition(Picture.renditionKey(4)) == Picture(4).rendition)
        #expect(second.bytes(rendition: 4) == Picture(4).bytes)
        #expect(second.statistics.originals == 3)
        #expect(second.statistics.damaged == 0)
    }

    @Test func `an empty body is a body`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1, length: 0))
        #expect(store.bytes(rendition: 1) == [])
    }

    @Test func `a large body is checked as a whole after a restart`() throws {
        let cache = try CacheUnderTest()
        let picture = Picture(1, length: 1_000_003)
        let first = try cache.open()
        try first.keep(original: picture)
        try first.keep(rendition: picture)
        first.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.bytes(original: picture) == picture.bytes)
        #expect(second.bytes(rendition: 1) == picture.bytes)
    }

    @Test func `caching fields are known before and after their row is written`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let picture = Picture(1)
        let key = picture.original().key
        #expect(store.cachingFields(of: key) == "")
        try store.keep(original: picture, fields: "etag: \"a\"\nü")
        #expect(store.cachingFields(of: key) == "etag: \"a\"\nü")
        store.flush()
        #expect(store.cachingFields(of: key) == "etag: \"a\"\nü")
        store.refreshOriginal(
            key, of: picture.source, freshness: Picture.freshness(lifetime: 9), lastModified: nil,
            cachingFields: "b")
        store.refreshOriginal(
            key, of: picture.source, freshness: Picture.freshness(lifetime: 10), lastModified: nil,
            cachingFields: "c")
        #expect(store.cachingFields(of: key) == "c")
        store.flush()
        #expect(store.cachingFields(of: key) == "c")
        store.forgetOriginal(key)
        #expect(store.cachingFields(of: key) == "")
    }

    @Test func `of an index that has come into the place of its own, a store reads no other bytes' fields`()
        throws
    {
        let (cache, other) = (try CacheUnderTest(), try CacheUnderTest())
        let url = "http://host/a"
        let second = try other.open()
        try second.keep(original: Picture(2), url: url, fields: "etag: \"2\"")
        second.close()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: url, fields: "etag: \"1\"")
        store.flush()
        let index = "/index.sqlite"
        for suffix in CacheFolder.indexSuffixes {
            try? FileManager.default.removeItem(atPath: cache.folder + index + suffix)
        }
        try FileManager.default.copyItem(atPath: other.folder + index, toPath: cache.folder + index)
        #expect(!store.isInPlace)
        #expect(store.cachingFields(of: Picture(1).original(url: url)) == "")
    }

    @Test func `a refreshed original is good for longer, now and after a restart`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        let picture = Picture(1)
        try store.keep(original: picture)
        let longer = Picture.freshness(lifetime: 77_777)
        let later = Timestamp(seconds: 1_600_000_000)
        store.refreshOriginal(
            picture.original().key, of: picture.source, freshness: longer, lastModified: later,
            cachingFields: "new")
        #expect(store.original(picture.original().key)?.freshness == longer)
        #expect(store.original(picture.original().key)?.lastModified == later)
        store.refreshOriginal(
            OriginalKey(url: "http://host/unknown"), of: picture.source, freshness: longer, lastModified: nil,
            cachingFields: "")
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.original(picture.original().key)?.freshness == longer)
        #expect(second.original(picture.original().key)?.lastModified == later)
        #expect(second.cachingFields(of: picture.original().key) == "new")
        #expect(second.statistics.originals == 1)
    }

    @Test func `fields are of the bytes that they came with, and of no others`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let url = "http://host/both"
        try store.keep(original: Picture(1), url: url, fields: "old")
        let old = try #require(store.original(OriginalKey(text: url)))
        #expect(store.cachingFields(of: old) == "old")
        // As another fetch does while the first one waits for the lock.
        try store.keep(original: Picture(2), url: url, fields: "new")
        let new = try #require(store.original(OriginalKey(text: url)))
        #expect(store.cachingFields(of: old) == "" && store.cachingFields(of: new) == "new")
        store.flush()
        #expect(store.cachingFields(of: old) == "" && store.cachingFields(of: new) == "new")
    }

    @Test func `what is told of bytes that others have replaced changes nothing about those`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        let (old, new) = (Picture(1), Picture(2))
        let key = OriginalKey(url: "http://host/both")
        try store.keep(original: old, url: key.text, fields: "old")
        try store.keep(original: new, url: key.text, fields: "new")
        store.refreshOriginal(
            key, of: old.source, freshness: Picture.freshness(lifetime: 77_777), lastModified: nil,
            cachingFields: "older")
        let kept = new.original(url: key.text)
        #expect(store.original(key) == kept)
        #expect(store.cachingFields(of: key) == "new")
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.original(key) == kept)
        #expect(second.cachingFields(of: key) == "new")
    }

    @Test func `two URLs with the same bytes share a file, which goes with the last of them`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        let picture = Picture(1)
        for url in ["http://a/", "http://b/", "http://b/"] { try store.keep(original: picture, url: url) }
        #expect(store.statistics.originals == 2)
        #expect(store.statistics.originalFiles == 1)
        #expect(cache.files("originals").count == 1)
        store.close()

        let second = try cache.open()
        defer { second.close() }
        second.forgetOriginal(OriginalKey(url: "http://a/"))
        second.flush()
        #expect(second.original(OriginalKey(url: "http://a/")) == nil)
        #expect(second.original(OriginalKey(url: "http://b/")) == picture.original(url: "http://b/"))
        #expect(second.bytes(original: picture) == picture.bytes)
        second.forgetOriginal(OriginalKey(url: "http://b/"))
        second.flush()
        #expect(cache.files("originals") == [])
        #expect(second.statistics.originalFiles == 0)
        #expect(second.statistics.originalBytes == 0)
    }

    @Test func `a URL with new bytes lets go of the old ones`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1), url: "http://a/")
        try store.keep(original: Picture(2), url: "http://a/")
        store.flush()
        #expect(store.original(OriginalKey(url: "http://a/"))?.digest.digest == Picture(2).digest)
        #expect(cache.files("originals").count == 1)
        #expect(store.bytes(original: Picture(1)) == nil)
        #expect(store.bytes(original: Picture(2)) == Picture(2).bytes)
    }

    @Test func `bytes for which there is no room take the place of the former ones all the same`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.originalsBudget = 1 << 20 }
        defer { store.close() }
        let url = "http://host/changing"
        try store.keep(original: Picture(1, length: 1_000), url: url)
        let large = Picture(2, length: 1 << 21)
        try store.keep(original: large, url: url)
        #expect(store.original(large.original(url: url).key) == nil)
        // Keeping the same bytes again does not replace them.
        try store.keep(original: Picture(1, length: 1_000), url: url)
        #expect(store.original(large.original(url: url).key) != nil)
    }

    @Test func `what is forgotten and kept again at once stays`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        try store.keep(rendition: Picture(1))
        store.flush()
        store.forgetRendition(Picture.renditionKey(1))
        #expect(store.rendition(Picture.renditionKey(1)) == nil)
        try store.keep(rendition: Picture(1))
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `after a purge nothing is left, in memory or on disk`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        for number in 0..<50 {
            try store.keep(original: Picture(number))
            try store.keep(rendition: Picture(number))
        }
        try store.purgeAll()
        #expect(cache.files("originals") + cache.files("renditions") == [])
        #expect(store.statistics == DiskStatistics())
        try store.keep(rendition: Picture(1))
        store.close()
        let second = try cache.open()
        defer { second.close() }
        #expect(second.statistics.originals == 0)
        #expect(second.statistics.renditions == 1)
    }

    @Test func `a body goes on as a file that cannot be written through`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        let body = try store.keep(rendition: Picture(1))
        guard case .file(let file, let length) = body else {
            Issue.record("not a file")
            return
        }
        #expect(length == Picture(1).bytes.count)
        #expect(body.contents == Picture(1).bytes)
        #expect(pwrite(file.raw, "x", 1, 0) == -1)
        // Files that are removed from the partition stay readable for those who hold them.
        try store.purgeAll()
        #expect(body.contents == Picture(1).bytes)
    }

    @Test func `bodies in memory are kept as well, be they bytes or files`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        _ = store.keepRendition(
            Picture(1).rendition, of: Picture(1).original(), body: .bytes(ImmutableBytes(Picture(1).bytes)))
        let memory = OwnedDescriptor(adopting: fileno(tmpfile()))
        #expect(pwrite(memory.raw, Picture(2).bytes, Picture(2).bytes.count, 0) == Picture(2).bytes.count)
        _ = store.keepRendition(
            Picture(2).rendition, of: Picture(2).original(),
            body: .file(memory, length: Picture(2).bytes.count))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
        #expect(store.bytes(rendition: 2) == Picture(2).bytes)
    }

    @Test func `a file system without unnamed files is served by copies`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.usesUnnamedFiles = false }
        for number in 0..<20 {
            try store.keep(original: Picture(number))
            try store.keep(rendition: Picture(number))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: cache.folder + "/incoming") == [])
        store.close()
        let second = try cache.open { $0.usesUnnamedFiles = false }
        defer { second.close() }
        for number in 0..<20 {
            #expect(second.bytes(original: Picture(number)) == Picture(number).bytes)
            #expect(second.bytes(rendition: number) == Picture(number).bytes)
        }
    }

    @Test func `a second store on the folder is refused until the first lets go`() throws {
        let cache = try CacheUnderTest()
        let first = try cache.open()
        #expect(throws: DiskStoreError.inUse(folder: cache.folder)) { try cache.open() }
        first.close()
        try cache.open().close()
    }

    @Test func `a folder that cannot be made is told apart`() throws {
        let cache = try CacheUnderTest()
        try Data().write(to: URL(fileURLWithPath: cache.folder + "/plain"))
        #expect(throws: DiskStoreError.self) { try cache.open(in: cache.folder + "/plain/cache") }
        #expect {
            try cache.open(in: cache.folder + "/plain/cache")
        } throws: {
            guard case .folder(_, let error) = $0 as? DiskStoreError else { return false }
            return error.code == ENOTDIR
        }
    }

    @Test func `files are plain pictures with a footer, in folders of two digits`() throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(original: Picture(1))
        let hex = Picture(1).digest.hex
        let path = "\(cache.folder)/originals/\(hex.prefix(2))/\(hex)"
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(Array(data.dropLast(64)) == Picture(1).bytes)
        #expect(Array(data.suffix(32)) == Picture(1).digest.bytes)
    }

    @Test func `calls come back from the store's own threads`() async throws {
        let cache = try CacheUnderTest()
        let store = try cache.open()
        defer { store.close() }
        try store.keep(rendition: Picture(1))
        let answers = await withTaskGroup(of: Int?.self) { group in
            for _ in 0..<100 {
                group.addTask { await store.perform { $0.bytes(rendition: 1)?.count } ?? nil }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == Array(repeating: Picture(1).bytes.count, count: 100))
    }

    @Test(.timeLimit(.minutes(1)))
    func `who waits for the index keeps nobody waiting who reads a file`() async throws {
        let cache = try CacheUnderTest()
        let store = try cache.open { $0.threads = 1 }
        defer { store.close() }
        try store.keep(rendition: Picture(1))
        let began = OneShot<Void>()
        let wasRead = DispatchSemaphore(value: 0)
        async let order: Void? = store.performOrder { _ in
            began.settle(())
            wasRead.wait()
        }
        await began.value()
        let count = await store.perform { $0.bytes(rendition: 1)?.count } ?? nil
        wasRead.signal()
        _ = await order
        #expect(count == Picture(1).bytes.count)
    }
}
