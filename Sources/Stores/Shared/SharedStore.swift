// SPDX-License-Identifier: Apache-2.0
//
//   a request ──▶ original, body, rendition ──ObjectReading──▶ the bucket
//      │                                                           ▲
//      └─▶ offer, forget, purge ──▶ WriteQueue ──▶ writers ──ObjectWriting
//                   │
//                   └──▶ PurgeRecord: purges of entries not to be read back

internal import Kernel
internal import Synchronization

/// The third level of the cache, behind memory and disk: a bucket that several nodes share.
///
/// It is read before an origin is asked and before a picture is made, and written after the answer was sent. Every failure counts
/// as a miss: an object that is gone, damaged or belongs to another name, a store that refuses or is late. Circuit breakers, one
/// for writes and one for reads of each kind of object, leave a store alone that fails again and again.
///
/// Whoever can write to the bucket can put pictures into answers, because the checksums reveal accidents, not forgeries.
///
/// **Isolation:** each part states its own; locks guard the breakers and the queue, and are not held while anything waits.
package final class SharedStore: Sendable {
    struct State: Sendable {
        var queue: WriteQueue
        var breaker = StoreBreaker()
        /// Entries that are being deleted.
        var leaving: Set<ObjectName> = []
        var outcomes = WriteOutcomes()
        /// Writers that wait until a change is due. They accept other changes meanwhile.
        var pausing = 0
        var isClosing = false
    }

    let configuration: SharedStoreConfiguration
    let counters = SharedCounters()
    let record: PurgeRecord
    let state: Monitor<State>
    let environment: SharedEnvironment
    let isLeaving = CloseFlag()
    private let isDiskAway = Atomic<Bool>(false)
    let reader: any ObjectReading
    let makeWriter: @Sendable (CloseFlag) -> (any ObjectWriting)?
    let breakers = Mutex(ReadBreakers())
    let times = Mutex(AnswerTimes())
    let threads: DiskThreads
    /// Threads for files in memory, which are read even while the disk hangs.
    let memoryThreads: DiskThreads
    private let orderThreads: DiskThreads
    private let writers = Mutex<[WorkerThread]>([])

    /// Reads the marks of purges. `start` begins the writing.
    ///
    /// - Parameter makeWriter: makes the writer of one thread, which gives up once the flag is set; nil if that is not possible
    ///   at present.
    /// - Throws: if the file of the marks cannot be read, or no thread can be started.
    package init(
        _ configuration: SharedStoreConfiguration, _ environment: SharedEnvironment,
        reader: any ObjectReading, makeWriter: @escaping @Sendable (CloseFlag) -> (any ObjectWriting)?
    ) throws(SharedStoreError) {
        self.configuration = configuration
        self.environment = environment
        self.reader = reader
        self.makeWriter = makeWriter
        state = Monitor(
            State(queue: WriteQueue(count: configuration.queueCount, bytes: configuration.queueBytes)))
        do throws(SystemError) {
            record = try PurgeRecord(path: configuration.purges, now: environment.now)
            threads = try DiskThreads(count: 2, name: "shared-disk")
            memoryThreads = try DiskThreads(count: 2, name: "shared-memory")
            // Only one thread at a time writes the record's file.
            orderThreads = try DiskThreads(count: 1, name: "shared-orders")
        } catch {
            throw SharedStoreError(path: configuration.purges, error: error)
        }
        if record.isDamaged { environment.report(.recordDamaged(configuration.purges)) }
    }

    /// Starts the writers.
    /// - Throws: if a thread cannot be started.
    package func start() throws(SharedStoreError) {
        for _ in 0..<max(1, configuration.writers) {
            do throws(SystemError) {
                let thread = try WorkerThread("shared-store") { self.write() }
                writers.withLock { $0.append(thread) }
            } catch {
                throw SharedStoreError(path: "", error: error)
            }
        }
    }

    /// Writes the waiting objects, for `farewell` at most, and ends the threads, except for threads in a call that does not
    /// return. Blocks. Must be called once.
    package func close() {
        state.withLock { $0.isClosing = true }
        state.wakeAll()
        _ = state.wait(milliseconds: configuration.farewell) { $0.queue.isIdle ? true : nil }
        // Set before the queue is dropped, so that its changes do not count as written.
        isLeaving.set()
        counters.add(counters.dropped, state.withLock { $0.queue.dropAll() })
        tellSettled()
        state.wakeAll()
        if isDiskAway.load(ordering: .relaxed) { return }
        let isOver = Monitor(false)
        do throws(SystemError) {
            try WorkerThread("shared-close") { [self] in
                endThreads()
                isOver.set()
            }.detach()
        } catch {
            return endThreads()
        }
        // A disk may hang without that being known yet, so a thread may read a file on it, or write the index, for ever.
        _ = isOver.isSet(within: configuration.lastPatience)
    }

    private func endThreads() {
        for thread in writers.withLock({ exchange(&$0, with: []) }) { thread.join() }
        threads.close()
        memoryThreads.close()
        orderThreads.close()
    }

    /// Totals since the start, and the numbers of waiting writes.
    package var statistics: SharedStatistics {
        var statistics = SharedStatistics()
        counters.fill(&statistics)
        state.withLock { state in
            (statistics.waiting, statistics.waitingBytes) = (state.queue.count, state.queue.bytes)
            statistics.writing = state.breaker.isClosed ? 1 : 0
        }
        statistics.reading = breakers.withLock { $0.areClosed ? 1 : 0 }
        return statistics
    }

    // MARK: The disk of the record

    /// Runs a call that writes the record of purges, on a thread of its own, so that no read waits for it. Nil if the disk hangs;
    /// the call may still be carried out later.
    func performOrder<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result? {
        await orderThreads.call(work, late: { _ in })
    }

    /// Notes that the disk begins to hang, or answers again, as `DiskCache` has found. While it hangs, nobody waits for the
    /// record, so purges only count in memory, and nobody waits for objects in files on it. Does not wait.
    package func diskHangs(_ hangs: Bool) {
        isDiskAway.store(hangs, ordering: .relaxed)
        guard !hangs else {
            threads.giveUp(callsOf: 0)
            return orderThreads.giveUp(callsOf: 0)
        }
        threads.goOn()
        orderThreads.goOn()
        settleLater()
    }

    /// Notes that the cache's folder was opened again, and may be another one: the record in it gets all marks. Does not wait.
    package func folderOpened() {
        record.noteMoved()
        settleLater()
    }

    private func settleLater() {
        // If this fails, the next purge writes the record.
        orderThreads.run { [record] in try? record.settle() }
    }

    /// Writes the marks of purges that are not on disk; nil if the disk hangs.
    func settleRecord() async -> Result<Void, SystemError>? {
        await performOrder { [record] in Result { () throws(SystemError) in try record.settle() } }
    }
}
