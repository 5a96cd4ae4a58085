// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Kernel
internal import Synchronization

/// Keeps a store open on the cache's folder, even if the folder is replaced or damaged.
///
/// Once a second it checks that the folder, its parts and its index are still the ones that were opened, and undamaged. If not,
/// it closes the store and opens another: on the folder that is now at the path, on a new folder, or with the index set aside.
/// While no store can be opened, every lookup misses, and files are made in memory. Troubles that a store survives are only
/// reported.
///
/// A disk may also hang: a call to it does not return (a hard NFS mount without its server, a device that is stuck). A system
/// call cannot be cancelled, but once one has lasted for `DiskConfiguration.patience`, the cache behaves as if there were no
/// store until the call returns. A thread that does not touch the disk notices this.
///
/// **Isolation:** a `Mutex` guards the current store; `watch` and `supervise` each run on one thread.
package final class DiskCache: Sendable {
    /// Once a call has lasted so many milliseconds, new files are made in memory if it has room, because a thread that makes a
    /// file on the disk could hang as well, even the thread of all fetches. The time spans two looks, so that a disk that is
    /// merely busy is still used.
    private static let hesitation = 2_000

    /// How often since the start an index is opened anew that SQLite has called damaged and that no check has found damaged.
    /// After that it is set aside, because there is damage that the check does not find. An index that cannot
    /// be read is tried as often (`UnreadIndex`).
    static let mostDoubts = 3

    let configuration: DiskConfiguration
    let now: @Sendable () -> Timestamp
    let report: @Sendable (DiskEvent) -> Void
    let released: @Sendable (ReleasedFiles) -> Void
    let counters = DiskCounters()
    let note: PurgeNote
    let state: Mutex<CurrentStore>
    /// Set when the watching thread must end.
    let stop = Monitor(false)
    /// Set once the store is closed and the supervising thread must end.
    let isClosed = Monitor(false)
    /// Counts towards `mostDoubts`.
    let doubts = Atomic<Int>(0)
    /// Openings that could not read the index; only the watching thread uses it.
    let unread = Mutex(UnreadIndex())
    private let watching = Mutex<WorkerThread?>(nil)
    private let supervising = Mutex<WorkerThread?>(nil)
    /// The present disk call of the watching thread.
    let look = Mutex(CallWatch())
    let isReleasing = Atomic<Bool>(false)
    let followers = Mutex<[@Sendable (Bool) -> Void]>([])
    /// Set by `confirmOpened`.
    let isInDoubt = Mutex<@Sendable () -> Bool>({ false })
    /// Set by `followOpenings`.
    let openings = Mutex<@Sendable (DiskStore) -> Void>({ _ in })

    /// Opens the store.
    ///
    /// - Parameters:
    ///   - report: gets events for operators, on threads of its own.
    ///   - released: gets the files that must not stay open; it is called on any thread and must not block.
    /// - Throws: if waiting cannot help, because another daemon uses the folder, the folder cannot be made, or something else has
    ///   its path.
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

    /// Closes the store. Leaves it unclosed, as a crash does, if the disk hangs, if one call takes longer than
    /// `DiskConfiguration.lastPatience`, or if closing takes longer than `longestClose`. Must be called once, at the end.
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

    /// The longest time that `close` takes.
    package var longestClose: Duration { .milliseconds(configuration.longestClose) }

    private func end() {
        watching.withLock { $0.take() }?.join()
        noteIfReplaced()
        // The watching thread may have replaced a store until now.
        state.withLock { $0.isReplacing = true }
        closeStore(because: "it is closed")
        isClosed.set()
    }

    /// Notes a missed purge for the next start if that may find another folder than the one in which purges were carried out: a
    /// folder that was exchanged just before the end, or a former one that is put back while no daemon runs. In a fleet only the
    /// first case matters, because each folder has the node's position in the stream of purges.
    private func noteIfReplaced() {
        guard let store = opened, state.withLock(\.hasPurged) else { return }
        look.withLock { $0.begin() }
        let isInPlace = store.isInPlace
        look.withLock { $0.end() }
        let mayComeBack = !configuration.confirmsReopened && state.withLock(\.wasReplaced)
        if !isInPlace || mayComeBack { notePurgeMissed() }
    }

    /// Waits for the store to be closed; false if the time is over.
    private func waitForEnd() -> Bool {
        let step = 50
        for _ in stride(from: 0, to: configuration.longestClose, by: step) {
            if isClosed.isSet(within: step) { return true }
            if hangs { return false }
        }
        return false
    }

    // MARK: Using it.

    /// The current store; nil while there is no cache on disk, while it must not be asked, and for a request from which it is
    /// withheld.
    package var store: DiskStore? {
        isWithheld ? nil : state.withLock { $0.answering }
    }

    /// True for a request that has waited for the disk long enough (`DiskWait`).
    package var isWithheld: Bool {
        DiskWait.current.map { $0.milliseconds >= configuration.patience } ?? false
    }

    /// The current store, even while its disk hangs. It is for calls that only touch memory and must not be lost.
    package var opened: DiskStore? { state.withLock { $0.store } }

    /// The current store, even while it makes up for missed purges; it is for purges.
    var purgeable: DiskStore? { state.withLock(\.reachable) }

    /// True while a call has lasted so long that the disk counts as away.
    package var hangs: Bool { state.withLock(\.hangs) }

    /// True if a call has lasted so long that no thread should begin another without need.
    var isSlow: Bool { state.withLock { $0.longestCall >= Self.hesitation } }

    /// Counts the bytes of files that are made here and that the store does not count.
    package var held: HeldBytes { configuration.held }

    /// Sets a condition under which all entries of a store that is opened after the start are revalidated before they are served,
    /// because the folder may be another one. It is evaluated at each opening, and may block.
    package func confirmOpened(if isInDoubt: @escaping @Sendable () -> Bool) {
        self.isInDoubt.withLock { $0 = isInDoubt }
    }

    /// Calls the follower for each store that is opened after the start, once the store is in use. The follower must not wait.
    package func followOpenings(_ follower: @escaping @Sendable (DiskStore) -> Void) {
        openings.withLock { $0 = follower }
    }

    /// The store's health, or the reason why there is none.
    package var health: DiskHealth {
        state.withLock { $0.obstacle.map { DiskHealth.absent(reason: $0) } ?? counters.health }
    }

    /// Totals since the start, and present numbers, which are 0 without a store.
    package var statistics: DiskStatistics { counters.statistics(of: opened?.catalogue) }
}

extension DiskStoreError {
    /// True if the trouble may pass without a change of the settings.
    fileprivate func mayPass(_ folder: String) -> Bool {
        switch self {
        case .inUse, .threads: false
        case .folder: PathIdentity(folder)?.isFolder == true
        case .index, .replaced: true
        }
    }
}
