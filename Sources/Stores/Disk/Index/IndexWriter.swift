// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Pipeline
internal import Recipes
internal import SourceURLs
internal import Synchronization

/// The single writer of the index, which also removes files and evicts.
///
/// A batch of changes is committed first, then the files that it releases are removed. So a crash in between leaves files without
/// rows, which the next sweep removes, but never a row without its file. Only while the index cannot be written to (a full disk,
/// a foreign lock) are files removed first, to make room; their rows are held back, in order, until a transaction succeeds.
///
/// Its calls to the disk are watched one by one (`longestCall`): a commit of a thousand changes may take long, but a single step
/// of it does not. A compaction is one call.
///
/// **Isolation:** only its thread touches `database`, `evictor`, `backlog`, `marked` and `lostWatermarks`; everything else has
/// locks of its own. `@unchecked Sendable` because the compiler cannot see that.
final class IndexWriter: @unchecked Sendable {
    /// The parts of a store that the writer shares with its callers' threads. Each has locks of its own.
    struct Shared {
        var folder: CacheFolder
        var queue: ChangeQueue
        var pending: PendingFields
        var counters: DiskCounters
    }

    /// The most access times that are written at the end, which takes about a second. The others are at most an hour late on the
    /// disk.
    private static let lastTouches = 50_000
    /// Bytes that a transaction is said to lack if the disk was full for it: 16 pages, with the room for as many more that an
    /// eviction makes (`Evictor.makeRoom`).
    private static let pagesLacking = 16 * 4_096

    private let database: IndexDatabase
    private var evictor: Evictor
    private var backlog: [Change] = []
    /// Originals that have a mark for their doubt, see `UnprovenRows`.
    private var marked: Set<OriginalKey>
    private var lostWatermarks = LostWatermarks()
    private let catalogue: Catalogue
    private let shared: Shared
    private let released: @Sendable (ReleasedFiles) -> Void
    /// Seconds since 1970.
    private let moment: @Sendable () -> UInt32
    private let isInDoubt: @Sendable (OriginalKey) -> Bool
    let hasFoundDamage = Atomic<Bool>(false)
    /// Transactions that succeeded.
    let commits = Atomic<Int>(0)
    /// The writer's present call to the disk.
    private let watch = Mutex(CallWatch())

    /// - Parameters:
    ///   - released: gets the files that are removed; called on the writer's thread.
    ///   - moment: gives the time in seconds since 1970.
    ///   - isInDoubt: as `DiskConfiguration.isInDoubt`.
    init(
        _ database: consuming IndexDatabase, evictor: Evictor, _ shared: Shared,
        released: @escaping @Sendable (ReleasedFiles) -> Void, moment: @escaping @Sendable () -> UInt32,
        isInDoubt: @escaping @Sendable (OriginalKey) -> Bool
    ) {
        // Marks left by an earlier store of this process: this writer must remove them after the proof, because nobody else
        // would.
        marked = Set(database.unproven.filter(isInDoubt))
        self.database = database
        self.evictor = evictor
        self.shared = shared
        self.released = released
        self.moment = moment
        self.isInDoubt = isInDoubt
        catalogue = evictor.catalogue
    }

    /// Milliseconds that the present call to the disk has lasted; 0 if there is no call.
    /// - Parameter now: milliseconds of a clock that never goes back.
    func longestCall(at now: Int) -> Int { watch.withLock { $0.look(at: now) } }

    /// Runs a call to the disk while another thread watches how long it lasts.
    /// - Parameter milliseconds: how many milliseconds are not counted.
    private func watched<Result, Failure: Error>(
        granted milliseconds: Int = 0, _ call: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        watch.withLock { $0.begin(granted: milliseconds) }
        defer { watch.withLock { $0.end() } }
        return try call()
    }

    /// Ends the last watched call, and begins the next one.
    private func noteCall() { watch.withLock { $0.begin() } }

    /// True once SQLite has reported damage, which may only be a disk that fails to read.
    var isDamaged: Bool { hasFoundDamage.load(ordering: .relaxed) }

    /// Runs until the queue is closed and everything is on the disk, or cannot be written.
    func run() {
        removeLostWatermarks()
        var isEvicting = evict()
        shared.queue.finish(0, heldBack: backlog, isSettled: !isEvicting)
        while let batch = shared.queue.take(nextWait(isEvicting)) {
            write(batch + endedDoubts())
            let orders = shared.queue.takeOrders()
            for order in orders { carryOut(order) }
            removeLostWatermarks()
            isEvicting = evict()
            shared.queue.finish(
                batch.count, orders: orders.count, heldBack: backlog, isSettled: !isEvicting)
        }
        write(lastTouches() + endedDoubts())
        markClean()
        shared.queue.end()
    }

    private func nextWait(_ isEvicting: Bool) -> ChangeQueue.Wait {
        if isEvicting { return .busy }
        if !backlog.isEmpty { return .retrying }
        return marked.isEmpty && lostWatermarks.isOver ? .idle : .working
    }

    // MARK: Rows.

    /// Commits the changes that were held back and then these, in slices. After a failure, the rest is held back.
    private func write(_ changes: [Change]) {
        backlog += changes
        while !backlog.isEmpty {
            let slice = Array(backlog.prefix(ChangeQueue.batch))
            var failure = commit(slice)
            removeFiles(of: slice)
            // The removal of files may have made room, and an empty log makes more.
            if failure == .diskFull {
                emptyLog()
                failure = commit(slice)
            }
            guard failure == nil else {
                // The next eviction makes room for the rows. If it did not, all new files would be refused until the next attempt.
                if failure == .diskFull { catalogue.noteRefused(Self.pagesLacking) }
                return removeFiles(of: changes)
            }
            // Cannot trap: the slice is the beginning of the backlog.
            backlog.removeFirst(slice.count)
            shared.pending.committed(slice)
        }
    }

    /// Commits changes; nil if that succeeded.
    private func commit(_ changes: [Change]) -> SQLiteError.Kind? {
        let doubts = Set(changes.compactMap(\.row.answered).filter(isInDoubt))
        // The marks are in the same transaction, so that no crash leaves a row without its mark.
        let changes = changes.map(unlessEvicted) + doubts.map { Change(.noteDoubt($0)) }
        do throws(SQLiteError) {
            try watched { () throws(SQLiteError) in try database.apply(changes, beforeEach: noteCall) }
            marked.formUnion(changes.compactMap(\.row.marked))
            commits.add(1, ordering: .relaxed)
            shared.counters.indexWritten(nil)
            return nil
        } catch {
            if error.kind == .damaged { hasFoundDamage.store(true, ordering: .relaxed) }
            shared.counters.indexWritten(error)
            return error.kind
        }
    }

    /// Gives the room of the index's log back to the file system, if that is possible now.
    private func emptyLog() {
        // If it fails, for example because the index itself finds no room to grow, nothing is lost.
        try? watched { () throws(SQLiteError) in try database.emptyLog() }
    }

    /// Empties the index's log if that makes as much room as an eviction for the refused bytes, so that no picture need leave.
    /// - Returns: true if there is so much room now.
    private func emptyLog(forRefused size: Int) -> Bool {
        let (wanted, isHuge) = size.multipliedReportingOverflow(by: Evictor.filesRefused)
        guard !isHuge, watched({ shared.folder.logBytes }) >= wanted else { return false }
        let before = watched { shared.folder.indexBytes }
        emptyLog()
        return before - watched { shared.folder.indexBytes } >= wanted
    }

    /// Replaces the row of an entry that is gone by a deletion. The evictor's changes are not queued, so the deletion may have
    /// been written before that row. If the entry was kept again meanwhile, another row follows.
    private func unlessEvicted(_ change: Change) -> Change {
        switch change.row {
        case .putOriginal(let original, _, _):
            let name = NameKey(original.key)
            if catalogue.names[name] != nil { return change }
            return Change(.deleteOriginal(name), releasing: change.released)
        case .putRendition(let rendition, _, _, _):
            let name = rendition.key.digest
            if catalogue.renditions.table[name] != nil { return change }
            return Change(.deleteRendition(name), releasing: change.released)
        default: return change
        }
    }

    /// Changes that remove the marks of answers that are proved by now, or forgotten.
    private func endedDoubts() -> [Change] {
        let ended = marked.filter { !isInDoubt($0) }
        marked.subtract(ended)
        return ended.map { Change(.endDoubt($0)) }
    }

    // MARK: Files.

    /// Removes files first, and then tells holders of open files, because a file that is opened in between has no name any more.
    private func removeFiles(of changes: [Change]) {
        var gone: [Footer.Kind: Set<Digest>] = [:]
        for case let file? in changes.map(\.released) {
            let removal = watched { catalogue.partition(file.kind).unlinkUnlessHeld(file.name) }
            if removal == .failed {
                shared.counters.add(shared.counters.leftovers)
            }
            gone[file.kind, default: []].insert(file.name)
        }
        for (kind, names) in gone { released(ReleasedFiles(kind, names)) }
    }

    /// Removes some of the rows that earlier versions have left behind. While the index cannot be written, that waits. If it
    /// fails, the next opening does it.
    private func removeLostWatermarks() {
        guard backlog.isEmpty, !lostWatermarks.isOver else { return }
        let renditions = catalogue.renditions.table
        try? watched { () throws(SQLiteError) in
            try database.remove(
                &lostWatermarks, unless: { renditions[$0] != nil }, beforeEach: noteCall)
        }
    }

    private func carryOut(_ order: ChangeQueue.Order) {
        switch order {
        case .shrink: evictor.shrink()
        case .compact: compact()
        }
    }

    private func compact() {
        // A compaction reads or writes the whole index four times: for the copy and back, and from the log. Any usable disk does
        // that with 10 MB per second.
        let time = watched { shared.folder.indexBytes } / 10_000 * 4
        do throws(SQLiteError) {
            try watched(granted: time) { () throws(SQLiteError) in try database.compact() }
        } catch {
            // A disk that is too full for it may still have room for rows and files.
            if error.kind != .diskFull { shared.counters.indexWritten(error) }
        }
    }

    /// Evicts one slice; true if there may be more to evict. Nothing can be evicted from a read-only folder.
    private func evict() -> Bool {
        guard !shared.counters.isReadOnly else { return false }
        let shortage: DiskSpace.Shortage = watched { shared.folder.space?.shortage ?? .none }
        let refused = catalogue.takeRefused(at: moment())
        if refused > 0, !emptyLog(forRefused: refused) { evictor.makeRoom(forRefused: refused) }
        shared.queue.beginEviction()
        let changes = evictor.next(at: moment(), shortage: shortage)
        guard !changes.isEmpty else { return false }
        write(changes)
        shared.counters.evicted.add(changes.count, ordering: .relaxed)
        // If the rows still find no room, the next slice makes more: `Catalogue.takeRefused` limits how often.
        return backlog.isEmpty || catalogue.isRoomWanted
    }

    // MARK: At the end.

    private func markClean() {
        do throws(SQLiteError) {
            try watched { () throws(SQLiteError) in try database.markClean() }
        } catch {
            shared.counters.indexWritten(error)
        }
    }

    /// Changes for the access times that the rows do not have yet.
    private func lastTouches() -> [Change] {
        var touches: [Change] = []
        for entry in catalogue.names.entries where entry.accessed != entry.recorded {
            touches.append(Change(.touchOriginal(entry.key, accessed: entry.accessed)))
        }
        for entry in catalogue.renditions.table.entries where entry.accessed != entry.recorded {
            touches.append(Change(.touchRendition(entry.key, accessed: entry.accessed)))
        }
        return Array(touches.prefix(Self.lastTouches))
    }
}
