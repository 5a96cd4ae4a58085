// SPDX-License-Identifier: Apache-2.0

import Glibc
import Kernel
import Pipeline
import Recipes
@testable import Stores
import Synchronization
import TestSupport
import Testing

@Suite("A disk that hangs is away until it answers", .timeLimit(.minutes(1)))
struct DiskHangTests {
    private let hanging: HangingDisk

    init() throws { hanging = try HangingDisk() }

    private var disk: DiskCache { hanging.disk }

    @Test func `a call that lasts too long is given up, with those behind it, and the disk heals with it`()
        async throws
    {
        try #require(disk.store).keep(rendition: Picture(1))
        let caught = await hanging.call()
        let behind = Task.immediate { await disk.perform { $0.statistics.renditions } }
        hanging.look(after: 0)
        hanging.look(after: hanging.patience - 1)
        #expect(disk.store != nil)
        #expect(disk.health == .good)
        hanging.look(after: 1)
        #expect(await caught.value == nil)
        #expect(await behind.value == nil)
        // Calls that come later return at once, too.
        #expect(disk.store == nil)
        #expect(await disk.perform { $0.statistics.renditions } == nil)
        let seconds = hanging.patience / 1_000
        #expect(
            disk.health
                == .absent(reason: "the disk hangs, a call to it has not returned for \(seconds) s"))
        await hanging.end()
        #expect(disk.health == .good)
        let bytes = await disk.perform { $0.bytes(rendition: 1) } ?? nil
        #expect(bytes == Picture(1).bytes)
    }

    @Test func `many calls, one after the other, are not taken for a long one`() async {
        for _ in 0..<10 {
            let call = await hanging.call()
            hanging.look(after: hanging.patience / 2)
            hanging.look(after: hanging.patience / 2 - 1)
            hanging.hang.letGo()
            #expect(await call.value != nil)
        }
        #expect(disk.store != nil)
    }

    @Test func `a request that has waited so long in all waits for no further call`() async throws {
        let wait = DiskWait()
        try await DiskWait.$current.withValue(wait) {
            for _ in 0..<2 {
                #expect(disk.store != nil)
                let call = await hanging.call()
                hanging.look(after: hanging.patience / 2)
                hanging.look(after: hanging.patience / 2 - 1)
                hanging.hang.letGo()
                #expect(await call.value != nil)
            }
            #expect(disk.store == nil)
            #expect(await disk.perform { $0.statistics.renditions } == nil)
            let picture = Picture(1)
            let body = try #require(disk.opened).file(picture.bytes)
            _ = await disk.keep(picture.rendition, of: picture.original(), body: body)
        }
        #expect(wait.milliseconds == 2 * (hanging.patience - 1))
        // Others use the disk.
        let store = try #require(disk.store)
        #expect(store.rendition(Picture.renditionKey(1)) == nil)
        #expect(await disk.perform { $0.statistics.renditions } == 0)
        #expect(disk.health == .good)
    }

    @Test func `while one call hangs, another that has only begun is waited for`() async throws {
        let (hanging, short) = (try HangingDisk { $0.threads = 2 }, Hang())
        let caught = await hanging.call()
        hanging.look(after: 0)
        let waiting = Task.immediate { await hanging.disk.perform { _ in short.enter() } }
        await short.hasBegun()
        hanging.look(after: hanging.patience)
        #expect(await caught.value == nil)
        #expect(hanging.disk.store == nil)
        short.letGo()
        #expect(await waiting.value != nil)
        await hanging.end()
    }

    @Test func `who waits for the index's writer tells nothing of the disk, and is answered with the others`()
        async
    {
        let order = Hang()
        // Work that the opening began must not be under way when an hour passes.
        disk.store?.flush()
        let waiting = Task.immediate { await disk.performOrder { _ in order.enter() } }
        await order.hasBegun()
        hanging.look(after: 0)
        hanging.look(after: 3_600_000)
        #expect(disk.store != nil)
        await hanging.begin()
        #expect(await waiting.value == nil)
        #expect(await disk.performOrder { $0.settles() } == nil)
        order.letGo()
        await hanging.end()
        #expect(await disk.performOrder { $0.settles() } == true)
    }

    @Test func `a writer of the index that stands still is found out, though nobody reads`() async throws {
        let (store, key) = (try #require(disk.store), Picture.renditionKey(1))
        try store.keep(rendition: Picture(1))
        store.flush()
        let turn = try await hanging.takeTurn(of: key.digest, in: store.catalogue.renditions)
        // To remove the file, the writer waits for the file's lock.
        store.forgetRendition(key)
        let purge = Task.immediate { await disk.performPurge { $0.settles() } }
        for _ in 0...hanging.patience / 1_000 { hanging.look(after: 1_000) }
        #expect(disk.store != nil, "an fsync of a busy disk takes its time")
        await hanging.untilAway()
        #expect(await purge.value == nil)
        await hanging.end()
        turn.join()
        store.flush()
        #expect(hanging.cache.files("renditions").isEmpty)
    }

    @Test func `a compaction of the index that stands still is found out`() async throws {
        let hanging = try HangingDisk { $0.lockTimeout = 600_000 }
        let store = try #require(hanging.disk.store)
        // So the next collection has nothing to write before it compacts.
        _ = store.collect { _ in }
        store.flush()
        // This stands for a disk that hangs: the writer waits for the lock within its call.
        let blocker = try Database(path: hanging.cache.folder + "/index.sqlite", .readWrite)
        try blocker.execute("BEGIN IMMEDIATE")
        let collection = try WorkerThread("collection") { _ = store.collect { _ in } }
        await hanging.untilAway()
        try blocker.execute("ROLLBACK")
        await hanging.untilBack()
        collection.join()
    }

    @Test func `a file whose opening hangs is found out when it opens`() async throws {
        let store = try #require(disk.store)
        try store.keep(rendition: Picture(1))
        let file = try #require(hanging.cache.files("renditions").first)
        // Opening a pipe for reading waits until somebody opens it for writing (fifo(7)).
        #expect(unlink(file) == 0 && mkfifo(file, 0o600) == 0)
        let key = Picture.renditionKey(1)
        let opening = Task.immediate { await disk.perform { $0.openRendition(key) != nil } }
        await hanging.untilAway()
        #expect(await opening.value == nil)
        var writer: Int32 = -1
        let isOpen = await Patience.eventually {
            writer = open(file, O_WRONLY | O_NONBLOCK)
            return writer >= 0
        }
        try #require(isOpen, "who opens it for reading waits there")
        await hanging.untilBack()
        close(writer)
        #expect(disk.statistics.damaged == 1)
        #expect(store.rendition(key) == nil)
        try store.keep(rendition: Picture(1))
        #expect(store.bytes(rendition: 1) == Picture(1).bytes)
    }

    @Test func `what else is on the disk hears that it hangs, and that it answers again`() async {
        let heard = Mutex<[Bool]>([])
        disk.followHangs { hangs in heard.withLock { $0.append(hangs) } }
        await hanging.begin()
        #expect(heard.withLock { $0 } == [true])
        #expect(disk.held.isDiskHanging)
        await hanging.end()
        #expect(heard.withLock { $0 } == [true, false])
        #expect(!disk.held.isDiskHanging)
    }

    @Test func `open files are released, because to ask for their state may hang an event loop`() async {
        await hanging.begin()
        await hanging.released.value()
        await hanging.end()
    }
}
