// SPDX-License-Identifier: Apache-2.0

import Bytes
import Dispatch
import Kernel
import Pipeline
@testable import Stores
import Synchronization
import TestSupport
import Testing

/// A call to the disk that hangs until the test lets it go.
final class Hang: Sendable {
    private let begun = AsyncStream<Void>.makeStream()
    private let end = DispatchSemaphore(value: 0)

    func enter() {
        begun.continuation.yield()
        end.wait()
    }

    /// Waits until another call hangs.
    func hasBegun() async { for await _ in begun.stream { return } }

    /// Lets one call go.
    func letGo() { end.signal() }
}

/// A cache on a disk of its own, which hangs when the test says so. Its watching threads do not run; instead the test calls `look`,
/// with a clock of its own.
///
/// It is closed with this object, if the test has not closed it.
final class HangingDisk: Sendable {
    private final class Reports: Sendable {
        let events = Mutex<[DiskEvent]>([])
    }

    let cache: CacheUnderTest
    let disk: DiskCache
    /// The hang in which calls wait.
    let hang = Hang()
    /// Settled once all open files must be closed.
    let released: OneShot<Void>
    /// The cache's patience in milliseconds.
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

    /// Begins a call, which hangs.
    func call() async -> Task<Void?, Never> {
        let call = Task.immediate { [disk, hang] in await disk.perform { _ in hang.enter() } }
        await hang.hasBegun()
        return call
    }

    /// Starts a thread that holds a file's lock, like one whose call to the disk does not return. The caller must join it.
    func takeTurn(of name: Digest, in partition: CachePartition) async throws -> WorkerThread {
        let turn = try WorkerThread("turn") { [hang] in partition.withTurn(name) { hang.enter() } }
        await hang.hasBegun()
        return turn
    }

    /// Makes a call hang. When this returns, the disk counts as away.
    func begin() async {
        let caught = await call()
        await untilAway()
        #expect(await caught.value == nil, "nobody waits for it")
    }

    /// Lets the call return. When this returns, the disk counts as back.
    func end() async {
        hang.letGo()
        await untilBack()
    }

    // MARK: Looking.

    var events: [DiskEvent] { told.events.withLock(\.self) }

    /// Makes a look, so many milliseconds after the last one.
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
