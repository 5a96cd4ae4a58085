// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Kernel
internal import Synchronization

/// Keeps a store open on the cache's folder, whatever happens to the folder.
///
/// Once a second it checks that the folder, its parts and its index are still those that were opened, and
/// sound. If not, it closes the store and opens another: on the folder that is there now, on a new one, or
/// with the index set aside. While no store can be opened, every lookup misses, and files are made in memory.
/// Troubles that a store survives are only reported.
///
/// A disk may also hang: a call to it does not return (a hard NFS mount without its server, a device that is stuck). No call
/// can be taken back from the kernel, but once one has lasted for `DiskConfiguration.patience`, the cache does as if there were
/// no store until it returns. A thread that touches no disk finds that out.
///
/// **Isolation:** a `Mutex` around the current store; `watch` and `supervise` are their threads' alone.
package final class DiskCache: Sendable {
    /// Milliseconds of a call after which new files are made in memory, if it has room: a thread that makes one on the disk
    /// may be caught as well, and so may the thread of all fetches. Two looks, so that a disk that is only busy is used.
    private static let hesitation = 2_000

    let configuration: DiskConfiguration
    private let now: @Sendable () -> Timestamp
    let report: @Sendable (DiskEvent) -> Void
    let released: @Sendable (ReleasedFiles) -> Void
    let counters = DiskCounters()
    let note: PurgeNote
    let state: Mutex<CurrentStore>
    /// True once the watching thread is to end.
    let stop = Monitor(false)
    /// True once the store is closed, and the supervising thread is to end.
    let isClosed = Monitor(false)
    private let watching = Mutex<WorkerThread?>(nil)
    private let supervising = Mutex<WorkerThread?>(nil)
    /// The call of the watching thread to the disk.
    let look = Mutex(CallWatch())
    let isReleasing = Atomic<Bool>(false)
    let followers = Mutex<[@Sendable (Bool) -> Void]>([])
    /// Set by `confirmOpened`.
    private let isInDoubt = Mutex<@Sendable () -> Bool>({ false })
    /// Set by `followOpenings`.
    private let openings = Mutex<@Sendable (DiskStore) -> Void>({ _ in })

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - report: gets events for operators, on threads of its own.
    ///   - released: gets files that must not stay open, on any thread; must not block.
    /// - Throws: if waiting cannot help: another daemon uses the folder, or the folder is missing and cannot
    ///   be made, or something else has its path.
    package init(
        _ configuration: DiskConfiguration, now: @escaping @Sendable () -> Timestamp,
        report: @escaping @Sendable (DiskEvent) -> Void,
        released: @escaping @Sendable (ReleasedFiles) -> Void = { _ in }
    ) throws(DiskStoreError) {
        self.configuration = configuration
        self.now = now
        self.report = report
        self.released = released
        note = PurgeNote(path: configuration.purgeNote)
        let missed = note.isThere ? 1 : 0
        do throws(DiskStoreError) {
            let store = try DiskStore(configuration, counters: counters, now: now, released: released)
            state = Mutex(CurrentStore(store: store, missedPurges: missed, hasPurged: missed > 0))
            if let path = store.setAside { report(.indexSetAside(path)) }
        } catch {
            guard error.mayPass(configuration.folder) else { throw error }
            state = Mutex(
                CurrentStore(absence: error.description, missedPurges: missed, hasPurged: missed > 0))
        }
        makeUpForPurges()
    }

    /// Starts the sweep, the scrub and the watching threads.
    /// - Throws: if a thread cannot be started.
    package func start() throws(DiskStoreError) {
        opened?.startSweep { [report] in report(.swept($0)) }
        opened?.startScrub()
        do throws(SystemError) {
            let watch = try WorkerThread("disk-cache") { self.watch() }
            watching.withLock { $0 = watch }
            let supervision = try WorkerThread("disk-watch") { self.supervise() }
            supervising.withLock { $0 = supervision }
        } catch {
            throw .threads(error)
        }
    }

    /// Closes the store; leaves it to the end of the process, as a crash does, if the disk hangs, if it does not answer one call
    /// for `DiskConfiguration.lastPatience`, or if all takes longer than `longestClose`. Must be called once, at the end.
    package func close() {
        stop.set()
        if hangs { return }
        do throws(SystemError) {
            try WorkerThread("disk-close") { self.end() }.detach()
        } catch {
            end()
        }
        guard waitForEnd() else { return }
        supervising.withLock { $0.take() }?.join()
    }

    /// The time that `close` takes at most.
    package var longestClose: Duration { .milliseconds(configuration.longestClose) }

    private func end() {
        watching.withLock { $0.take() }?.join()
        noteIfReplaced()
        // That thread may have replaced a store until now.
        state.withLock { $0.isReplacing = true }
        closeStore(because: "it is closed")
        isClosed.set()
    }

    /// Notes a missed purge for the next start, if the next start may find another folder than the one in which purges were
    /// carried out: a folder that came just before the end, or a former one that is put back while no daemon runs. In a fleet only
    /// the first matters, because each folder has the node's position in the stream of purges.
    private func noteIfReplaced() {
        guard let store = opened, state.withLock(\.hasPurged) else { return }
        look.withLock { $0.begin() }
        let isInPlace = store.isInPlace
        look.withLock { $0.end() }
        let mayComeBack = !configuration.confirmsReopened && state.withLock(\.wasReplaced)
        if !isInPlace || mayComeBack { notePurgeMissed() }
    }

    /// False if the end is not to be waited for any longer.
    private func waitForEnd() -> Bool {
        let step = 50
        for _ in stride(from: 0, to: configuration.longestClose, by: step) {
            if isClosed.isSet(within: step) { return true }
            if hangs { return false }
        }
        return false
    }

    // MARK: Using it.

    /// The current store; nil while there is no cache on disk, or it does not answer.
    package var store: DiskStore? { state.withLock { $0.answering } }

    /// The current store, also while its disk hangs: for calls that touch memory only, and must not be forgotten.
    package var opened: DiskStore? { state.withLock { $0.store } }

    /// The current store, also while purges that were missed are carried out: for purges.
    var purgeable: DiskStore? { state.withLock(\.reachable) }

    /// True while a call lasts so long that the disk counts as away.
    package var hangs: Bool { state.withLock(\.hangs) }

    /// True if a call lasts so long that no thread should begin another without need.
    var isSlow: Bool { state.withLock { $0.longestCall >= Self.hesitation } }

    /// The bytes of files that are made here and not counted by the store.
    package var held: HeldBytes { configuration.held }

    /// The store's health, or the reason why there is none.
    package var health: DiskHealth {
        state.withLock { $0.obstacle.map { DiskHealth.absent(reason: $0) } ?? counters.health }
    }

    /// Totals since the start, and present numbers; the latter are 0 without a store.
    package var statistics: DiskStatistics { counters.statistics(of: opened?.catalogue) }

    // MARK: Watching it.

    private func watch() {
        // A sweep looks at all files, so one that leaves some behind again and again is repeated once an hour at last.
        var (openings, sweeps) = (AttemptPause(longest: 16), AttemptPause(longest: 4_096))
        var ticks = 0
        repeat {
            look.withLock { $0.begin() }
            if openings.isOver(afterTick: ticks) {
                if renew() {
                    openings.lengthen(from: ticks)
                } else if sweeps.isOver(afterTick: ticks), sweepLeftovers() {
                    sweeps.lengthen(from: ticks)
                }
            }
            let nameless = held.lookAtNames()
            look.withLock { $0.end() }
            // What left the cache is released already. These were deleted by others, or somebody is reading them.
            if !nameless.isEmpty { released(.nameless(nameless)) }
            makeUpForPurges()
            ticks += 1
        } while !stop.isSet(within: configuration.watchInterval)
    }

    /// Replaces an unusable store; true if that was tried.
    private func renew() -> Bool {
        guard let store = opened else {
            open(settingAside: false)
            return true
        }
        if !store.isInPlace {
            replace(isByAnother: true, because: "the folder or its index was replaced")
        } else if store.isIndexDamaged {
            replace(settingAside: true, because: "the index is damaged")
        } else if store.isReadOnly, store.mayBecomeWritable {
            replace(because: "the folder can be written again")
        } else {
            store.lookAfter()
            return false
        }
        return true
    }

    /// Sweeps if files are left whose removal failed; false if none are.
    private func sweepLeftovers() -> Bool {
        guard let store = opened, store.isSweepDue else { return false }
        store.startSweep { [report] in report(.swept($0)) }
        return true
    }

    /// - Parameter isByAnother: true if another folder, or another index, is in the place of the former one.
    private func replace(settingAside: Bool = false, isByAnother: Bool = false, because reason: String) {
        look.withLock { $0.end() }
        state.withLock { $0.isReplacing = true }
        defer { state.withLock { $0.isReplacing = false } }
        closeStore(because: reason)
        if isByAnother {
            let hasPurged = state.withLock { state in
                state.wasReplaced = true
                return state.hasPurged
            }
            // It may date from before a purge that the former one has carried out.
            if hasPurged { notePurgeMissed() }
        }
        released(.all)
        report(.reopening(reason))
        counters.add(counters.reopened)
        open(settingAside: settingAside)
    }

    private func open(settingAside: Bool) {
        // Reading a large index takes its time.
        look.withLock { $0.end() }
        do throws(DiskStoreError) {
            let store = try DiskStore(
                configuration, settingAside: settingAside, counters: counters, now: now, released: released)
            if let path = store.setAside { report(.indexSetAside(path)) }
            let ask = isInDoubt.withLock { $0 }
            let mustConfirm = ask() || configuration.confirmsReopened
            let owed = purgesOwed
            if mustConfirm || owed.missed > 0 || owed.unsettled > 0 { makeUp(for: owed, in: store) }
            state.withLock { $0.store = store }
            let tell = openings.withLock { $0 }
            tell(store)
            store.startSweep { [report] in report(.swept($0)) }
            store.startScrub()
        } catch {
            state.withLock { $0.absence = error.description }
        }
    }

    /// Sets a condition under which all entries of a store that is opened after the start are revalidated before they are served,
    /// because it may be another folder's. It is asked at each opening, and may block.
    package func confirmOpened(if isInDoubt: @escaping @Sendable () -> Bool) {
        self.isInDoubt.withLock { $0 = isInDoubt }
    }

    /// Tells from now on of each store that was opened after the start, once it is in use. The follower must not wait.
    package func followOpenings(_ follower: @escaping @Sendable (DiskStore) -> Void) {
        openings.withLock { $0 = follower }
    }

    private func closeStore(because reason: String) {
        let store = state.withLock { state in
            state.absence = reason
            state.closing = state.store.take()
            return state.closing
        }
        store?.close()
        state.withLock { $0.closing = nil }
    }
}

extension DiskStoreError {
    /// True if waiting may help without a change of settings.
    fileprivate func mayPass(_ folder: String) -> Bool {
        switch self {
        case .inUse, .threads: false
        case .folder: PathIdentity(folder)?.isFolder == true
        case .index: true
        }
    }
}
