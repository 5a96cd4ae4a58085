// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Kernel
internal import Synchronization

/// Keeps a store open on the cache's folder, whatever happens to the folder.
///
/// Once a second it looks whether the folder, its parts and its index are still the ones that were opened, and sound.
/// Where they are not, the store is closed and another opened: on the folder that is there now, on a new one, or with
/// the index set aside. As long as none can be opened there is no store: everything is a miss, and files are made in
/// memory. What a store lives through by itself is only told of.
///
/// **Isolation:** a `Mutex` around the current store; `watch` is its thread's alone.
package final class DiskCache: Sendable {
    private struct State: Sendable {
        var store: DiskStore?
        /// Why there is no store.
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
    /// Throws for what does not get better by itself: another daemon on the folder, or a folder that is not there and
    /// cannot be made.
    ///
    /// - Parameters:
    ///   - report: told what an operator wants to know, on threads of its own.
    ///   - released: told of files that are not to be held open any more, on any thread; must not wait.
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

    /// Begins to sweep and to watch.
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

    /// To be called once, at the end.
    package func close() {
        stop.withLock { $0 = true }
        stop.wakeAll()
        thread.withLock { $0.take() }?.join()
        takeStore(because: "it is closed")?.close()
    }

    // MARK: Using it.

    /// Nil while there is no cache on disk.
    package var store: DiskStore? { state.withLock { $0.store } }

    /// An empty file without a name, open for reading and writing: for a body that may be kept later.
    package func makeFile() throws(SystemError) -> OwnedDescriptor {
        guard let store else { return try MemoryFile.empty() }
        return try store.makeFile()
    }

    /// Runs a call that may wait for the disk on one of the store's threads; nil without a store.
    package func perform<Result: Sendable>(
        _ work: @escaping @Sendable (DiskStore) -> Result
    ) async -> Result? {
        guard let store else { return nil }
        return await store.perform(work)
    }

    package var health: DiskHealth {
        state.withLock { $0.store == nil ? .absent(reason: $0.absence) : counters.health }
    }

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
            if let event = recorder.note(health, failures: failures, at: seconds) { report(event) }
            if let dropped = counters.takeDropped() { report(.dropped(dropped)) }
            ticks += 1
        } while stop.wait(milliseconds: configuration.watchInterval, until: { $0 ? true : nil }) == nil
    }

    /// Opens another store where the one that is there will not do; true: it had to be tried.
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
            state.withLock { $0.store = store }
            store.startSweep { [report] in report(.swept($0)) }
            store.startScrub()
        } catch {
            state.withLock { $0.absence = error.description }
        }
    }

    private func takeStore(because reason: String) -> DiskStore? {
        state.withLock { state in
            state.absence = reason
            return state.store.take()
        }
    }
}

extension DiskCache {
    /// Between two openings: a folder that is replaced again and again, or whose identity does not hold, is not opened
    /// each second. 2, 4, 8, 16 looks; sixteen without an opening makes it short again.
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
    /// It may get better without anybody changing the settings.
    fileprivate func mayPass(_ folder: String) -> Bool {
        switch self {
        case .inUse, .threads: false
        case .folder: PathIdentity(folder) != nil
        case .index: true
        }
    }
}
