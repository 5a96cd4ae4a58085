// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Kernel
internal import Pipeline
internal import Synchronization

/// Keeps a store open on the cache's folder, whatever happens to the folder.
///
/// Once a second it checks that the folder, its parts and its index are still those that were opened, and
/// sound. If not, it closes the store and opens another: on the folder that is there now, on a new one, or
/// with the index set aside. While no store can be opened, every lookup misses, and files are made in memory.
/// Troubles that a store survives are only reported.
///
/// **Isolation:** a `Mutex` around the current store; `watch` is its thread's alone.
package final class DiskCache: Sendable {
    private struct State: Sendable {
        var store: DiskStore?
        /// The reason, while there is no store.
        var absence = ""
        var isClosed = false
    }

    private let configuration: DiskConfiguration
    private let now: @Sendable () -> Timestamp
    private let report: @Sendable (DiskEvent) -> Void
    private let released: @Sendable (ReleasedFiles) -> Void
    private let counters = DiskCounters()
    private let state: Mutex<State>
    private let stop = Monitor(false)
    private let thread = Mutex<WorkerThread?>(nil)

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - report: gets events for operators, on threads of its own.
    ///   - released: gets files that must not stay open, on any thread; must not block.
    /// - Throws: if waiting cannot help: another daemon uses the folder, or the folder is missing and cannot
    ///   be made.
    package init(
        _ configuration: DiskConfiguration, now: @escaping @Sendable () -> Timestamp,
        report: @escaping @Sendable (DiskEvent) -> Void,
        released: @escaping @Sendable (ReleasedFiles) -> Void = { _ in }
    ) throws(DiskStoreError) {
        self.configuration = configuration
        self.now = now
        self.report = report
        self.released = released
        do throws(DiskStoreError) {
            let store = try DiskStore(configuration, counters: counters, now: now, released: released)
            state = Mutex(State(store: store))
            if let path = store.setAside { report(.indexSetAside(path)) }
        } catch {
            guard error.mayPass(configuration.folder) else { throw error }
            state = Mutex(State(absence: error.description))
        }
    }

    /// Starts the sweep, the scrub and the watching thread.
    /// - Throws: if the thread cannot be started.
    package func start() throws(DiskStoreError) {
        store?.startSweep { [report] in report(.swept($0)) }
        store?.startScrub()
        do throws(SystemError) {
            let started = try WorkerThread("disk-cache") { self.watch() }
            thread.withLock { $0 = started }
        } catch {
            throw .threads(error)
        }
    }

    /// Closes the store. Must be called once, at the end.
    package func close() {
        stop.withLock { $0 = true }
        stop.wakeAll()
        thread.withLock { $0.take() }?.join()
        takeStore(because: "it is closed")?.close()
    }

    // MARK: Using it.

    /// The current store; nil while there is no cache on disk.
    package var store: DiskStore? { state.withLock { $0.store } }

    /// An empty file without a name, open for reading and writing, for a body that may be kept later.
    /// - Throws: if too much is held, not even memory has room, or only the reserve has a descriptor.
    package func makeFile() throws(SystemError) -> OwnedDescriptor {
        guard let store else { return try held.makeInMemory() }
        return try store.makeFile()
    }

    /// As `makeFile`, for tasks: a disk that is slow to make a file holds up one of the store's threads, and not one of those
    /// that all tasks share.
    package func makeFileAside() async throws(SystemError) -> OwnedDescriptor {
        let made = await perform { store in
            Result { () throws(SystemError) in try store.makeFile() }
        }
        guard let made else { return try held.makeInMemory() }
        return try made.get()
    }

    /// The bytes of files that are made here and not counted by the store.
    package var held: HeldBytes { configuration.held }

    /// Runs a blocking call on one of the store's threads; nil without a store.
    package func perform<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        guard let store else { return nil }
        return await store.perform(work)
    }

    /// Runs a call that waits for the index's writer (`DiskStore.performOrder`); nil without a store.
    package func performOrder<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        guard let store else { return nil }
        return await store.performOrder(work)
    }

    /// The store's health, or the reason why there is none.
    package var health: DiskHealth {
        state.withLock { $0.store == nil ? .absent(reason: $0.absence) : counters.health }
    }

    /// Totals since the start, and present numbers; the latter are 0 without a store.
    package var statistics: DiskStatistics { counters.statistics(of: store?.catalogue) }

    // MARK: Watching it.

    private func watch() {
        var recorder = DiskHealthLog()
        var pause = Pause()
        var ticks = 0
        repeat {
            if pause.isOver(afterTick: ticks), renew() { pause.lengthen(from: ticks) }
            let seconds = ticks * configuration.watchInterval / 1_000
            let statistics = counters.statistics(of: nil)
            let failures = statistics.writeErrors + statistics.indexErrors
            held.lookAtNames()
            if let event = recorder.note(health, failures: failures, at: seconds) { report(event) }
            if let dropped = counters.takeDropped() { report(.dropped(dropped)) }
            ticks += 1
        } while stop.wait(milliseconds: configuration.watchInterval, until: { $0 ? true : nil }) == nil
    }

    /// Replaces an unusable store; true if that was tried.
    private func renew() -> Bool {
        guard let store else {
            open(settingAside: false)
            return true
        }
        if !store.isInPlace {
            replace(because: "the folder or its index was replaced")
        } else if store.isIndexDamaged {
            replace(settingAside: true, because: "the index is damaged")
        } else if store.isReadOnly, store.mayBecomeWritable {
            replace(because: "the folder can be written again")
        } else {
            store.lookAfter()
            if store.isSweepDue { store.startSweep { [report] in report(.swept($0)) } }
            return false
        }
        return true
    }

    private func replace(settingAside: Bool = false, because reason: String) {
        takeStore(because: reason)?.close()
        released(.all)
        report(.reopening(reason))
        counters.add(counters.reopened)
        open(settingAside: settingAside)
    }

    private func open(settingAside: Bool) {
        do throws(DiskStoreError) {
            let store = try DiskStore(
                configuration, settingAside: settingAside, counters: counters, now: now, released: released)
            if let path = store.setAside { report(.indexSetAside(path)) }
            if configuration.confirmsReopened { confirmAll(of: store) }
            state.withLock { $0.store = store }
            store.startSweep { [report] in report(.swept($0)) }
            store.startScrub()
        } catch {
            state.withLock { $0.absence = error.description }
        }
    }

    /// Before anybody looks into it: it may be a folder that was away, with what was purged meanwhile.
    private func confirmAll(of store: DiskStore) {
        var order = PurgeOrder(.all, isSoft: true)
        order.isStrict = true
        let count = store.statistics.originals
        // In memory it counts, even if the disk does not take it.
        _ = try? store.purgeOriginals(order)
        if count > 0 { report(.unconfirmed(count)) }
    }

    private func takeStore(because reason: String) -> DiskStore? {
        state.withLock { state in
            state.absence = reason
            return state.store.take()
        }
    }
}

extension DiskCache {
    /// Pauses between openings, so that a folder that is replaced again and again is not reopened every
    /// second: 2, 4, 8, 16 looks. 16 looks without an opening reset the pause.
    private struct Pause {
        private static let longest = 16
        private var length = 2
        private var end = 0

        func isOver(afterTick tick: Int) -> Bool { tick >= end }

        mutating func lengthen(from tick: Int) {
            if tick - end > Self.longest { length = 2 }
            end = tick + length
            length = min(length * 2, Self.longest)
        }
    }
}

extension DiskStoreError {
    /// True if waiting may help without a change of settings.
    fileprivate func mayPass(_ folder: String) -> Bool {
        switch self {
        case .inUse, .threads: false
        case .folder: PathIdentity(folder) != nil
        case .index: true
        }
    }
}
