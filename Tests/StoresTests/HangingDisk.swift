// SPDX-License-Identifier: Apache-2.0

import Bytes
import Dispatch
import Kernel
import Pipeline
@testable import Stores
import Synchronization
import TestSupport
import Testing

/// A call to the disk that hangs until it is let go.
final class Hang: Sendable {
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

/// A cache on a disk of its own that hangs at the test's word. Its watching threads do not run: the test looks in their stead, by a
/// clock of its own.
///
/// It is closed with this object, if the test has not closed it.
final class HangingDisk: Sendable {
    private final class Reports: Sendable {
        let events = Mutex<[DiskEvent]>([])
    }

    let cache: CacheUnderTest
    let disk: DiskCache
    /// The one in which calls hang.
    let hang = Hang()
    /// Settled once all open files are to be closed.
    let released: OneShot<Void>
    /// Milliseconds.
    let patience: Int
    private let told: Reports
    private let clock = Atomic<Int>(0)
    private let isClosed = Atomic<Bool>(false)

    init(_ adjust: (inout DiskConfiguration) -> Void = { _ in }) throws {
        let cache = try CacheUnderTest(inMemory: true)
        let configuration = cache.configuration {
            $0.threads = 1
            adjust(&$0)
        }
        let (told, released) = (Reports(), OneShot<Void>())
        (self.cache, self.told, self.released, patience) = (cache, told, released, configuration.patience)
        disk = try DiskCache(configuration, now: { cache.now }) { event in
            told.events.withLock { $0.append(event) }
        } released: { files in
            if files == .all { released.settle(()) }
        }
    }

    deinit { close() }

    func close() {
        if !isClosed.exchange(true, ordering: .relaxed) { disk.close() }
    }

    // MARK: Hanging.

    /// A call that has begun, and hangs.
    func call() async -> Task<Void?, Never> {
        let call = Task.immediate { [disk, hang] in await disk.perform { _ in hang.enter() } }
        await hang.hasBegun()
        return call
    }

    /// A thread that has a file's turn, as one whose call to the disk does not return; to be joined.
    func takeTurn(of name: Digest, in partition: CachePartition) async throws -> WorkerThread {
        let turn = try WorkerThread("turn") { [hang] in partition.withTurn(name) { hang.enter() } }
        await hang.hasBegun()
        return turn
    }

    /// The disk is away when this returns: a call to it does not return.
    func begin() async {
        let caught = await call()
        await untilAway()
        #expect(await caught.value == nil, "nobody waits for it")
    }

    /// The call returns, and the disk is back.
    func end() async {
        hang.letGo()
        await untilBack()
    }

    // MARK: Looking.

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
