// SPDX-License-Identifier: Apache-2.0

internal import Recipes
internal import Synchronization

/// The one thread that writes the index, removes files and evicts.
///
/// A batch of changes is committed, then the files that it released are removed: rows first, so that a crash in
/// between leaves files without rows for the next sweep, and no row without its file. Only while the index cannot be
/// written (a full disk, somebody's lock) do files go first, because they are the room that it may need; its rows are
/// held back, in their order, until a transaction succeeds.
///
/// **Isolation:** `database`, `evictor` and `backlog` are touched by its thread alone; everything else guards itself.
/// `@unchecked Sendable` because the compiler cannot see that.
final class IndexWriter: @unchecked Sendable {
    /// The parts of a store that its callers' threads and the writer's use at the same time. Each guards itself.
    struct Shared {
        var folder: CacheFolder
        var queue: ChangeQueue
        var pending: PendingFields
        var counters: DiskCounters
    }

    /// Access times that are written at the end; about a second's worth. The others are at most an hour late.
    private static let lastTouches = 50_000

    private let database: IndexDatabase
    private var evictor: Evictor
    private var backlog: [Change] = []
    private let catalogue: Catalogue
    private let shared: Shared
    private let released: @Sendable (ReleasedFiles) -> Void
    /// Seconds since 1970.
    private let moment: @Sendable () -> UInt32
    private let hasFoundDamage = Atomic<Bool>(false)

    /// - Parameters:
    ///   - released: told of files that are gone, on the writer's thread.
    ///   - moment: the time, in seconds since 1970.
    init(
        _ database: consuming IndexDatabase, evictor: Evictor, _ shared: Shared,
        released: @escaping @Sendable (ReleasedFiles) -> Void, moment: @escaping @Sendable () -> UInt32
    ) {
        self.database = database
        self.evictor = evictor
        self.shared = shared
        self.released = released
        self.moment = moment
        catalogue = evictor.catalogue
    }

    /// SQLite says that the index is damaged.
    var isDamaged: Bool { hasFoundDamage.load(ordering: .relaxed) }

    /// Returns when the queue is closed and everything is on disk, or cannot be written.
    func run() {
        var isEvicting = evict()
        shared.queue.finish(0, heldBack: backlog.count, isSettled: !isEvicting)
        while let batch = shared.queue.take(isEvicting ? .busy : backlog.isEmpty ? .idle : .retrying) {
            write(batch)
            let orders = shared.queue.takeOrders()
            for order in orders { obey(order) }
            isEvicting = evict()
            shared.queue.finish(
                batch.count, orders: orders.count, heldBack: backlog.count, isSettled: !isEvicting)
        }
        write(lastTouches())
        do { try database.markClean() } catch { shared.counters.indexWritten(error) }
        shared.queue.end()
    }

    // MARK: Rows.

    /// Commits what was held back and these, in slices. After a failure the rest is held back.
    private func write(_ changes: [Change]) {
        backlog += changes
        while !backlog.isEmpty {
            let slice = Array(backlog.prefix(ChangeQueue.batch))
            var failure = commit(slice)
            removeFiles(of: slice)
            // There may be room again now that files are gone.
            if failure == .diskFull { failure = commit(slice) }
            guard failure == nil else { return removeFiles(of: changes) }
            // Cannot trap: the slice was taken from it.
            backlog.removeFirst(slice.count)
            shared.pending.committed(slice)
        }
    }

    /// Nil: they are in the index.
    private func commit(_ changes: [Change]) -> SQLiteError.Kind? {
        do throws(SQLiteError) {
            try database.apply(changes)
            shared.counters.indexWritten(nil)
            return nil
        } catch {
            if error.kind == .damaged { hasFoundDamage.store(true, ordering: .relaxed) }
            shared.counters.indexWritten(error)
            return error.kind
        }
    }

    // MARK: Files.

    /// Whoever holds one open is told afterwards: who opens it meanwhile finds its name gone by then.
    private func removeFiles(of changes: [Change]) {
        var renditions: Set<RenditionKey> = []
        for case let file? in changes.map(\.released) {
            if catalogue.partition(file.kind).unlinkUnlessHeld(file.name) == .failed {
                shared.counters.add(shared.counters.leftovers)
            }
            if file.kind == .rendition { renditions.insert(RenditionKey(file.name)) }
        }
        if !renditions.isEmpty { released(.renditions(renditions)) }
    }

    private func obey(_ order: ChangeQueue.Order) {
        switch order {
        case .shrink: evictor.shrink()
        case .compact:
            do { try database.compact() } catch { shared.counters.indexWritten(error) }
        }
    }

    /// Makes room for one slice's time; true: there may be more to do. From a folder that cannot be written nothing
    /// can leave.
    private func evict() -> Bool {
        guard !shared.counters.isReadOnly else { return false }
        let changes = evictor.next(at: moment(), shortage: shared.folder.room?.shortage ?? .none)
        guard !changes.isEmpty else { return false }
        write(changes)
        shared.counters.evicted.add(changes.count, ordering: .relaxed)
        return backlog.isEmpty
    }

    // MARK: At the end.

    /// Access times that the rows do not know.
    private func lastTouches() -> [Change] {
        var touches: [Change] = []
        for shard in 0..<catalogue.names.shardCount {
            for entry in catalogue.names.entries(ofShard: shard) where entry.accessed != entry.recorded {
                touches.append(Change(.touchOriginal(entry.key, accessed: entry.accessed)))
            }
        }
        for shard in 0..<catalogue.renditions.table.shardCount {
            for entry in catalogue.renditions.table.entries(ofShard: shard)
            where entry.accessed != entry.recorded {
                touches.append(Change(.touchRendition(entry.key, accessed: entry.accessed)))
            }
        }
        return Array(touches.prefix(Self.lastTouches))
    }
}
