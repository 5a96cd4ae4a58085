// SPDX-License-Identifier: Apache-2.0

import Answers
import Bytes
@testable import Daemon
import Dispatch
import HTTPCaching
import HTTPSemantics
import ImageHeaders
import Kernel
import Pipeline
import Recipes
import SourceURLs
@testable import Stores
import TestSupport
import Testing

@Suite("The caches answer the pipeline also where one of them is away")
struct CacheAdapterTests {
    private let folder = TemporaryFolder()

    @Test func `a purge while there is no cache on disk is carried out, and tells what may come back`()
        async throws
    {
        let disk = try DiskCache(
            DiskConfiguration(
                folder: folder.path + "/cache", originalsBudget: 1 << 20, renditionsBudget: 1 << 20),
            now: { Timestamp(seconds: 1) }
        ) { _ in }
        disk.close()
        let cache = CacheAdapter(
            memory: AnswerCache(budget: 1 << 20, openFiles: 8), disk: disk, shared: nil)
        let order = PurgeOrder(.host("a.test"))
        let purged = try await cache.purgeOriginals(order)
        #expect(purged.failure?.isCarriedOut == true)
        let rest = try await cache.purgeRenditions(order, of: purged)
        #expect(rest == (0, 0))
        // Nobody can tell what the missing disk holds.
        await #expect(throws: IndexUnreadable("There is no cache on disk at present.")) {
            try await cache.countOriginals(order)
        }
    }

    /// A cache without a memory cache, in a folder of its own.
    private func cache(in name: String) throws -> (DiskCache, CacheAdapter) {
        let disk = try DiskCache(
            DiskConfiguration(
                folder: "\(folder.path)/\(name)", originalsBudget: 1 << 20, renditionsBudget: 1 << 20),
            now: { Timestamp(seconds: 1) }
        ) { _ in }
        let memory = AnswerCache(budget: 1 << 20, openFiles: 8)
        return (disk, CacheAdapter(memory: memory, disk: disk, shared: nil))
    }

    @Test func `a request for which the disk is away forgets no original that came after its fetch began`()
        async throws
    {
        let (disk, cache) = try cache(in: "withheld")
        defer { disk.close() }
        let key = OriginalKey(url: "http://a.test/1")
        let body = Body.bytes(ImmutableBytes([1, 2, 3]))
        let original = Original(
            key: key, digest: OriginalDigest(Digest(words: (1, 2, 3, 4))), length: body.length,
            header: ImageHeader(format: .jpeg, width: 4, height: 3), lastModified: nil,
            freshness: Freshness(
                responseTime: Timestamp(seconds: 1), initialAge: 0, lifetime: 60, staleWhileRevalidate: 0,
                staleIfError: 0, flags: []))
        _ = await cache.keep(original, fields: StoredFields(Fields()), body: body)
        let wait = DiskWait()
        wait.add(disk.configuration.patience)
        await DiskWait.$current.withValue(wait) {
            #expect(cache.isWithheld && cache.original(key) == nil)
            #expect(cache.recorded(key)?.digest == original.digest)
            await cache.forget(key, askedAbout: nil)
        }
        #expect(!cache.isWithheld && cache.original(key)?.digest == original.digest)
        await cache.forget(key, askedAbout: original)
        #expect(cache.original(key) == nil)
    }

    @Test func `what is in doubt while there is no cache on disk is told to be left`() async throws {
        let (disk, cache) = try cache(in: "doubt")
        let key = OriginalKey(url: "http://a.test/1")
        try await cache.forget(doubtful: [key])
        disk.close()
        let error = await #expect(throws: IndexUnreadable.self) {
            try await cache.forget(doubtful: [key])
        }
        #expect(error?.isCarriedOut == true)
    }

    @Test func `a purge tells that the disk has ceased to answer in the middle of it`() async throws {
        let (disk, cache) = try cache(in: "halfway")
        let order = PurgeOrder(.host("a.test"))
        let purged = try await cache.purgeOriginals(order)
        #expect(purged.failure == nil)
        disk.close()
        let error = await #expect(throws: IndexUnreadable.self) {
            try await cache.purgeRenditions(order, of: purged)
        }
        #expect(error?.isCarriedOut == true)
        // A soft purge keeps the renditions.
        let rest = try await cache.purgeRenditions(PurgeOrder(.host("a.test"), isSoft: true), of: purged)
        #expect(rest == (0, 0))
    }

    @Test(.timeLimit(.minutes(1)))
    func
        `a purge while the disk hangs is carried out, and what is on the disk is confirmed before it is served`()
        async throws
    {
        let disk = try DiskCache(
            DiskConfiguration(
                folder: folder.path + "/hanging", originalsBudget: 1 << 20, renditionsBudget: 1 << 20),
            now: { Timestamp(seconds: 1) }
        ) { _ in }
        defer { disk.close() }
        let cache = CacheAdapter(
            memory: AnswerCache(budget: 1 << 20, openFiles: 8), disk: disk, shared: nil)
        let (began, end) = (OneShot<Void>(), DispatchSemaphore(value: 0))
        let caught = Task.immediate {
            await disk.perform { _ in
                began.settle(())
                end.wait()
            }
        }
        await began.value()
        var now = 0
        func look(until isSo: () -> Bool) async -> Bool {
            await Patience.eventually {
                if isSo() { return true }
                disk.lookForHangs(at: now)
                now += 1_000
                return false
            }
        }
        #expect(await look { disk.store == nil }, "the disk counts as away")
        #expect(await caught.value == nil)
        let purged = try await cache.purgeOriginals(PurgeOrder(.host("a.test")))
        #expect(purged.failure?.isCarriedOut == true)
        end.signal()
        let answers = await look {
            disk.health == .absent(reason: "it has missed purges, and makes up for them first")
        }
        #expect(answers, "the disk answers again")
        #expect(disk.store == nil)
        disk.makeUpForPurges()
        #expect(disk.store != nil)
    }
}
