// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import HTTPCaching
import Kernel
import Pipeline
import Recipes
@testable import Stores
import Synchronization
import Testing
import TestSupport

@Suite("A disk that hangs is away until it answers", .timeLimit(.minutes(1)))
struct DiskHangTests {
    private let cache: CacheUnderTest
    private let watched: HandWatchedDiskCache
    private let hang = Hang()

    init() throws {
        cache = try CacheUnderTest(inMemory: true)
        watched = try HandWatchedDiskCache(cache, threads: 1)
    }

    private var disk: DiskCache { watched.disk }

    /// The disk is away when this returns: a call to it does not return.
    private func begin() async {
        let caught = Task.immediate { await disk.perform { _ in hang.enter() } }
        await hang.hasBegun()
        await watched.untilAway()
        #expect(await caught.value == nil, "nobody waits for it")
    }

    private func end() async {
        hang.letGo()
        await watched.untilBack()
    }

    @Test func `a call that lasts too long is given up, with those behind it, and the disk heals with it`()
        async throws
    {
        defer { disk.close() }
        try #require(disk.store).keep(rendition: Picture(1))
        let caught = Task.immediate { await disk.perform { _ in hang.enter() } }
        await hang.hasBegun()
        let behind = Task.immediate { await disk.perform { $0.statistics.renditions } }
        watched.look(after: 0)
        watched.look(after: watched.patience - 1)
        #expect(disk.store != nil)
        #expect(disk.health == .good)
        watched.look(after: 1)
        #expect(await caught.value == nil)
        #expect(await behind.value == nil)
        // And so are those that come.
        #expect(disk.store == nil)
        #expect(await disk.perform { $0.statistics.renditions } == nil)
        let seconds = watched.patience / 1_000
        #expect(
            disk.health
                == .absent(reason: "the disk hangs, a call to it has not returned for \(seconds) s"))
        await end()
        #expect(disk.health == .good)
        let bytes = await disk.perform { $0.bytes(rendition: 1) } ?? nil
        #expect(bytes == Picture(1).bytes)
    }

    @Test func `many calls, one after the other, are not taken for a long one`() async {
        defer { disk.close() }
        for _ in 0..<10 {
            let hang = Hang()
            let call = Task.immediate { await disk.perform { _ in hang.enter() } }
            await hang.hasBegun()
            watched.look(after: watched.patience / 2)
            watched.look(after: watched.patience / 2 - 1)
            hang.letGo()
            #expect(await call.value != nil)
        }
        #expect(disk.store != nil)
    }

    @Test func `while one call hangs, another that has only begun is waited for`() async throws {
        disk.close()
        let watched = try HandWatchedDiskCache(cache, threads: 2)
        defer { watched.disk.close() }
        let (hanging, short) = (Hang(), Hang())
        let caught = Task.immediate { await watched.disk.perform { _ in hanging.enter() } }
        await hanging.hasBegun()
        watched.look(after: 0)
        let waiting = Task.immediate { await watched.disk.perform { _ in short.enter() } }
        await short.hasBegun()
        watched.look(after: watched.patience)
        #expect(await caught.value == nil)
        #expect(watched.disk.store == nil)
        short.letGo()
        #expect(await waiting.value != nil)
        hanging.letGo()
        await watched.untilBack()
    }

    @Test func `who waits for the index's writer tells nothing of the disk, and is answered with the others`()
        async
    {
        defer { disk.close() }
        let order = Hang()
        let waiting = Task.immediate { await disk.performOrder { _ in order.enter() } }
        await order.hasBegun()
        watched.look(after: 0)
        watched.look(after: 3_600_000)
        #expect(disk.store != nil)
        await begin()
        #expect(await waiting.value == nil)
        #expect(await disk.performOrder { $0.settles() } == nil)
        order.letGo()
        await end()
        #expect(await disk.performOrder { $0.settles() } == true)
    }

    @Test func `a writer of the index that stands still is found out, though nobody reads`() async throws {
        defer { disk.close() }
        let (store, key) = (try #require(disk.store), Picture.renditionKey(1))
        try store.keep(rendition: Picture(1))
        store.flush()
        let turn = try WorkerThread("turn") {
            store.catalogue.renditions.withTurn(key.digest) { hang.enter() }
        }
        await hang.hasBegun()
        // The writer waits for the file's turn to remove it.
        store.forgetRendition(key)
        let purge = Task.immediate { await disk.performPurge { $0.settles() } }
        for _ in 0...watched.patience / 1_000 { watched.look(after: 1_000) }
        #expect(disk.store != nil, "an fsync of a busy disk takes its time")
        await watched.untilAway()
        #expect(await purge.value == nil)
        await end()
        turn.join()
        store.flush()
        #expect(cache.files("renditions").isEmpty)
    }

    @Test func `a compaction of the index that stands still is found out`() async throws {
        disk.close()
        let watched = try HandWatchedDiskCache(cache, threads: 1, lockTimeout: 600_000)
        defer { watched.disk.close() }
        let store = try #require(watched.disk.store)
        // The next one has nothing to write before it compacts.
        _ = store.collect { _ in }
        store.flush()
        // In place of a disk that hangs: the writer waits for the lock within its call.
        let blocker = try Database(path: cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let collection = try WorkerThread("collection") { _ = store.collect { _ in } }
        await watched.untilAway()
        try blocker.execute("ROLLBACK")
        await watched.untilBack()
        collection.join()
    }

    @Test func `a file whose opening hangs is found out when it opens`() async throws {
        defer { disk.close() }
        let store = try #require(disk.store)
        try store.keep(rendition: Picture(1))
        let file = try #require(cache.files("renditions").first)
        // Opening a pipe for reading waits for who writes to it (fifo(7)).
        #expect(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
        let key = Picture.renditionKey(1)
        let opening = Task.immediate { await disk.perform { $0.openRendition(key) != nil } }
        await watched.untilAway()
        #expect(await opening.value == nil)
        var writer: Int32 = -1
        let isOpen = await Patience.eventually {
            writer = open(file, O_WRONLY | O_NONBLOCK)
            return writer >= 0
        }
        try #require(isOpen, "who opens it for reading waits there")
        await watched.untilBack()
        close(writer)
        #expect(disk.statistics.damaged == 1)
        #expect(store.rendition(key) == nil)
        try store.keep(rendition: Picture(1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `an original kept too late is dropped: its fetch has a descriptor that can be written to`()
        async throws
    {
        defer { disk.close() }
        let (store, picture) = (try #require(disk.store), Picture(1))
        let body = try store.file(picture.bytes)
        let turn = try WorkerThread("turn") {
            store.catalogue.originals.withTurn(picture.digest) { hang.enter() }
        }
        await hang.hasBegun()
        let keeping = Task.immediate {
            await disk.keep(picture.original(), cachingFields: "etag", body: body)
        }
        await watched.untilAway()
        #expect(await keeping.value.descriptor == body.descriptor)
        await end()
        turn.join()
        let again = try #require(disk.store)
        #expect(again.original(picture.original().key) == nil)
        store.flush()
        #expect(cache.files("originals").isEmpty)
    }

    @Test func `a rendition kept too late is dropped`() async throws {
        defer { disk.close() }
        let (store, picture) = (try #require(disk.store), Picture(1))
        let body = try store.file(picture.bytes)
        let turn = try WorkerThread("turn") {
            store.catalogue.renditions.withTurn(picture.rendition.key.digest) { hang.enter() }
        }
        await hang.hasBegun()
        let keeping = Task.immediate {
            await disk.keep(picture.rendition, of: picture.original(), body: body)
        }
        await watched.untilAway()
        #expect(await keeping.value.descriptor == body.descriptor)
        await end()
        turn.join()
        let again = try #require(disk.store)
        #expect(again.rendition(picture.rendition.key) == nil)
        store.flush()
        #expect(cache.files("renditions").isEmpty)
    }

    @Test func `what was fetched meanwhile is not followed by what it has replaced`() async throws {
        defer { disk.close() }
        let store = try #require(disk.store)
        let (replaced, same) = (Picture(1).original(url: "http://host/a"), Picture(3).original())
        try store.keep(original: Picture(1), url: "http://host/a")
        try store.keep(original: Picture(3))
        let (new, again) = (try store.file(Picture(2).bytes), try store.file(Picture(3).bytes))
        await begin()
        _ = await disk.keep(
            Picture(2).original(url: "http://host/a"), cachingFields: "", body: new)
        _ = await disk.keep(same, cachingFields: "", body: again)
        await end()
        #expect(disk.store?.original(replaced.key) == nil)
        #expect(disk.store?.original(same.key) != nil, "the same bytes have replaced nothing")
    }

    @Test func `what a purge has missed is confirmed before it is served again`() async throws {
        defer { disk.close() }
        let store = try #require(disk.store)
        var original = Picture(9_000).original(url: "http://a.test/1")
        original.freshness = Freshness(
            responseTime: cache.now, initialAge: 0, lifetime: 3_600, clientLifetime: 60,
            staleWhileRevalidate: 60, staleIfError: 60, flags: [])
        _ = store.keepOriginal(
            original, cachingFields: "etag", body: try store.file(Picture(9_000).bytes))
        await begin()
        disk.notePurgeMissed()
        hang.letGo()
        await watched.until("the disk answers again") {
            $0.health == .absent(reason: "purges are made up for that it has missed")
        }
        #expect(disk.store == nil)
        disk.makeUpForPurges()
        #expect(disk.health == .good)
        let found = try #require(disk.store?.original(original.key)).freshness
        #expect(found.secondsLeft(at: cache.now) <= 0)
        #expect((found.staleWhileRevalidate, found.staleIfError) == (0, 0))
        #expect(watched.events.contains(.unconfirmed(1)))
    }

    @Test func `a purge that comes while others are made up for is carried out, and not missed as well`()
        async throws
    {
        defer { disk.close() }
        let store = try #require(disk.store)
        try store.keep(original: Picture(1), url: "http://a.test/1")
        await begin()
        disk.notePurgeMissed()
        hang.letGo()
        await watched.until("the disk answers again") {
            $0.health == .absent(reason: "purges are made up for that it has missed")
        }
        // A restart would bring back what was missed.
        #expect(await disk.performOrder { $0.settles() } == nil)
        let count = await disk.performPurge {
            (try? $0.purgeOriginals(PurgeOrder(.host("a.test"))))?.count ?? -1
        }
        #expect(count == 1)
        disk.makeUpForPurges()
        #expect(disk.health == .good)
        #expect(disk.statistics.originals == 0)
    }

    @Test func `new files are made in memory before the disk counts as away`() async throws {
        defer { disk.close() }
        let caught = Task.immediate { await disk.perform { _ in hang.enter() } }
        await hang.hasBegun()
        watched.look(after: 0)
        try disk.makeFile().grow(to: 4_096)
        watched.look(after: 2_000)
        #expect(disk.store != nil)
        let files = (try disk.makeFile(), try await disk.makeFileAside())
        try files.0.grow(to: 4_096)
        try files.1.grow(to: 4_096)
        withExtendedLifetime(files) {
            #expect(disk.held.memory.used == 8_192)
            #expect(disk.held.disk.used == 0)
        }
        hang.letGo()
        #expect(await caught.value != nil)
    }

    @Test func `what else is on the disk hears that it hangs, and that it answers again`() async {
        defer { disk.close() }
        let heard = Mutex<[Bool]>([])
        disk.followHangs { hangs in heard.withLock { $0.append(hangs) } }
        await begin()
        #expect(heard.withLock { $0 } == [true])
        #expect(disk.held.isDiskHanging)
        await end()
        #expect(heard.withLock { $0 } == [true, false])
        #expect(!disk.held.isDiskHanging)
    }

    @Test func `open files are released, because to ask for their state may hang an event loop`() async {
        defer { disk.close() }
        await begin()
        await watched.released.value()
        await end()
    }

    @Test func `a shutdown does not wait for a disk that hangs`() async throws {
        let store = try #require(disk.store)
        await begin()
        disk.close()
        hang.letGo()
        store.close()
    }

    @Test func `a shutdown within the first seconds of a disk's hang does not wait for it either`()
        async throws
    {
        disk.close()
        let disk = try DiskCache(
            cache.configuration { $0.lastPatience = 50 }, now: { cache.now }, report: { _ in })
        try disk.start()
        let caught = Task.immediate { await disk.perform { _ in hang.enter() } }
        await hang.hasBegun()
        #expect(!disk.hangs)
        disk.close()
        #expect(await caught.value == nil)
        hang.letGo()
        await untilFree()
    }

    @Test func `a shutdown has an end, whatever it waits for`() async throws {
        disk.close()
        let disk = try DiskCache(
            cache.configuration { $0.longestClose = 50 }, now: { cache.now }, report: { _ in })
        let order = Task.immediate { await disk.performOrder { _ in hang.enter() } }
        await hang.hasBegun()
        disk.close()
        hang.letGo()
        #expect(await order.value != nil)
        await untilFree()
    }

    /// Waits until no store has the folder any longer.
    private func untilFree() async {
        let isFree = await Patience.eventually {
            guard let store = try? cache.open() else { return false }
            store.close()
            return true
        }
        #expect(isFree, "a store still has the folder")
    }
}

/// A call to the disk that hangs until it is let go.
private final class Hang: Sendable {
    private let begun = AsyncStream<Void>.makeStream()
    private let end = DispatchSemaphore(value: 0)

    func enter() {
        begun.continuation.yield()
        end.wait()
    }

    /// Waits until one more call is in it.
    func hasBegun() async { for await _ in begun.stream { return } }

    /// Lets one go.
    func letGo() { end.signal() }
}

/// A cache whose watching threads do not run: the test looks in their stead, by a clock of its own.
private final class HandWatchedDiskCache: Sendable {
    let disk: DiskCache
    /// Settled once all open files are to be closed.
    let released: OneShot<Void>
    /// Milliseconds.
    let patience: Int
    private let told: Reports
    private let clock = Atomic<Int>(0)

    private final class Reports: Sendable {
        let events = Mutex<[DiskEvent]>([])
    }

    /// - Parameter lockTimeout: milliseconds that the index's writer waits for another program's lock.
    init(_ cache: CacheUnderTest, threads: Int, lockTimeout: Int32 = 2_000) throws {
        let configuration = cache.configuration { ($0.threads, $0.lockTimeout) = (threads, lockTimeout) }
        let (told, released) = (Reports(), OneShot<Void>())
        (self.told, self.released, patience) = (told, released, configuration.patience)
        disk = try DiskCache(configuration, now: { cache.now }) { event in
            told.events.withLock { $0.append(event) }
        } released: { files in
            if files == .all { released.settle(()) }
        }
    }

    var events: [DiskEvent] { told.events.withLock(\.self) }

    /// Looks, so many milliseconds after the last look.
    func look(after milliseconds: Int) {
        disk.lookForHangs(at: clock.add(milliseconds, ordering: .relaxed).newValue)
    }

    func until(
        _ words: Comment, sourceLocation: SourceLocation = #_sourceLocation, _ isSo: (DiskCache) -> Bool
    ) async {
        let comesToBe = await Patience.eventually {
            if isSo(disk) { return true }
            look(after: 1_000)
            return false
        }
        #expect(comesToBe, words, sourceLocation: sourceLocation)
    }

    func untilAway(sourceLocation: SourceLocation = #_sourceLocation) async {
        await until("the disk counts as away", sourceLocation: sourceLocation) { $0.store == nil }
    }

    func untilBack(sourceLocation: SourceLocation = #_sourceLocation) async {
        await until("the disk is back", sourceLocation: sourceLocation) { $0.store != nil }
    }
}

extension Body {
    /// The number of its file's descriptor; −1 without one.
    fileprivate var descriptor: Int32 {
        if case .file(let file, _) = self { file.raw } else { -1 }
    }
}
