// SPDX-License-Identifier: Apache-2.0

import Bytes
import Foundation
import Kernel
import Pipeline
import Recipes
@testable import Stores
import Synchronization
import Testing

/// Files that the store has released, which must not be held open any more.
private final class Released: Sendable {
    private let told = Mutex<Set<RenditionKey>>([])
    private let toldOriginals = Mutex<Set<OriginalDigest>>([])

    func note(_ files: ReleasedFiles) {
        switch files {
        case .renditions(let keys): told.withLock { $0.formUnion(keys) }
        case .originals(let digests): toldOriginals.withLock { $0.formUnion(digests) }
        case .all, .nameless: break
        }
    }

    var keys: Set<RenditionKey> { told.withLock { $0 } }
    var originals: Set<OriginalDigest> { toldOriginals.withLock { $0 } }
}

extension Body {
    fileprivate var descriptor: OwnedDescriptor? {
        guard case .file(let file, _) = self else { return nil }
        return file
    }
}

@Suite("A file that is held open") struct OpenFileTests {
    private let cache: CacheUnderTest
    private let released = Released()
    private let store: DiskStore

    init() throws {
        cache = try CacheUnderTest(inMemory: true)
        let (released, cache) = (released, cache)
        store = try DiskStore(
            cache.configuration(), now: { cache.now }, released: { released.note($0) })
    }

    private let error = SystemError("sendfile", code: EIO)
    private let key = Picture.renditionKey(1)

    private func kept() throws -> OwnedDescriptor {
        try #require(try store.keep(rendition: Picture(1, length: 9_000)).descriptor)
    }

    @Test func `is known to be unchanged until somebody writes to it, cuts it or takes its name`() throws {
        defer { store.close() }
        let path = { cache.files("renditions")[0] }
        let changes: [(altering: Bool, (String) throws -> Void)] = [
            (true, { try Damage.bodyByte.happen(to: $0, other: "") }),
            (true, { #expect(truncate($0, 100) == 0) }),
            // A file that only lost its name still has the same bytes.
            (false, { #expect(unlink($0) == 0) }),
            (false, { #expect(rename($0, $0 + "-aside") == 0 && unlink($0 + "-aside") == 0) }),
            (true, { #expect(link($0, $0 + "-too") == 0) }),
        ]
        for (isAltering, change) in changes {
            let file = try kept()
            #expect(file.isUnchanged && !file.isAltered)
            let opened = try #require(store.openRendition(key)?.body.descriptor)
            #expect(opened.isUnchanged)
            try change(path())
            #expect(!file.isUnchanged && !opened.isUnchanged)
            #expect(file.isAltered == isAltering && opened.isAltered == isAltering)
            store.forgetRendition(key)
            store.flush()
            for rest in Directory.names(
                in: AT_FDCWD, cache.folder + "/renditions/" + String(key.digest.hex.prefix(2)))
            {
                unlink(cache.folder + "/renditions/\(key.digest.hex.prefix(2))/" + rest)
            }
        }
    }

    @Test func `is dropped at once where it cannot be read, and counted once`() throws {
        defer { store.close() }
        let file = try kept()
        let again = try #require(store.openRendition(key)?.body.descriptor)
        file.cannotBeRead(error)
        #expect(store.rendition(key) == nil)
        #expect(released.keys == [key])
        again.cannotBeRead(error)
        #expect(store.statistics.unreadable == 1)
        let dropped = try #require(store.counters.takeDropped())
        #expect(dropped.count == 1 && dropped.reason == "\(error)" && dropped.last.hasPrefix("renditions/"))
        #expect(store.counters.takeDropped() == nil)
        store.flush()
        #expect(cache.files("renditions").isEmpty)
    }

    @Test func `says nothing of what was kept in its place`() throws {
        defer { store.close() }
        let file = try kept()
        file.cannotBeRead(error)
        _ = try kept()
        // A slow reader notices late.
        file.cannotBeRead(error)
        #expect(store.rendition(key) != nil)
        #expect(store.statistics.unreadable == 1)
    }

    @Test func `of an original is dropped with all names that lead to it`() throws {
        defer { store.close() }
        let picture = Picture(3, length: 900)
        try store.keep(original: picture)
        try store.keep(original: picture, url: "http://other/3")
        let file = try #require(store.openOriginal(OriginalDigest(picture.digest))?.descriptor)
        file.cannotBeRead(error)
        #expect(store.statistics.originals == 0 && store.statistics.originalFiles == 0)
        #expect(released.keys.isEmpty && released.originals == [OriginalDigest(picture.digest)])
    }

    @Test func `is told of when its entry is evicted or purged, once its name is gone`() throws {
        defer { store.close() }
        let file = try kept()
        try store.purgeAll()
        #expect(released.keys == [key])
        #expect(!file.isUnchanged)
    }

    @Test func `of an original is told of as well, also when the same bytes of another URL replace it`()
        throws
    {
        defer { store.close() }
        let picture = Picture(3, length: 900)
        let digest = OriginalDigest(picture.digest)
        let first = try #require(try store.keep(original: picture).descriptor)
        #expect(first.isUnchanged && released.originals.isEmpty)
        let second = try #require(try store.keep(original: picture, url: "http://other/3").descriptor)
        #expect(!first.isUnchanged && second.isUnchanged && released.originals == [digest])
        try store.purgeAll()
        #expect(released.originals == [digest])
        #expect(!second.isUnchanged)
    }

    @Test func `tells nobody when its store is closed`() throws {
        let file = try kept()
        store.close()
        file.cannotBeRead(error)
        #expect(released.keys.isEmpty)
    }

    @Test func `is no store's where the store did not take it`() throws {
        let small = try CacheUnderTest(inMemory: true)
        let store = try small.open { $0.renditionsBudget = 100 }
        defer { store.close() }
        let file = try #require(try store.keep(rendition: Picture(1, length: 9_000)).descriptor)
        #expect(file.state == nil && !file.isUnchanged)
    }
}

@Suite struct ScrubTests {
    @Test func `it pauses for as long as its share takes, in one piece`() {
        var limiter = ScrubLimiter(rate: 1_000_000, leastPause: 25)
        #expect(limiter.pause(after: 24_000) == 0)
        #expect(limiter.pause(after: 2_000) == 26)
        #expect(limiter.pause(after: 0) == 0)
        #expect(limiter.pause(after: 3_000_000) == 3_000)
    }

    @Test func `no rate and no length makes it overflow`() {
        for rate in [1, 7, 1 << 20, .max] {
            var limiter = ScrubLimiter(rate: rate, leastPause: 1)
            for length in [0, 1, 64 << 30, Int.max] { #expect(limiter.pause(after: length) >= 0) }
        }
    }

    @Test func `it finds what has decayed, and ends with the store`() throws {
        let cache = try CacheUnderTest(inMemory: true)
        let first = try cache.open()
        for number in 0..<20 { try first.keep(rendition: Picture(number, length: 5_000)) }
        first.close()
        let files = cache.files("renditions")
        for file in files.prefix(7) { try Damage.bodyByte.happen(to: file, other: "") }
        let second = try cache.open { $0.scrubRate = 1 << 30 }
        second.startScrub()
        let end = Date(timeIntervalSinceNow: 60)
        while second.statistics.damaged < 7, Date.now < end { usleep(1_000) }
        #expect(second.statistics.damaged == 7)
        second.close()
        #expect(cache.files("renditions").count == 13)
    }
}
