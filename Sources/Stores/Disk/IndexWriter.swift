// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The one thread that writes the index, removes files and evicts.
///
/// A batch of changes is committed, then the files that it released are removed: rows first, so that a crash in
/// between leaves files without rows for the next sweep, and no row without its file.
///
/// **Isolation:** `database` and `evictor` are touched by its thread alone; everything else guards itself.
/// `@unchecked Sendable` because the compiler cannot see that.
final class IndexWriter: @unchecked Sendable {
    /// Access times that are written at the end; about a second's worth. The others are at most an hour late.
    private static let lastTouches = 50_000

    private let database: IndexDatabase
    private var evictor: Evictor
    private let catalogue: Catalogue
    private let queue: ChangeQueue
    private let pending: PendingFields
    private let counters: DiskCounters

    init(
        _ database: consuming IndexDatabase, evictor: Evictor, queue: ChangeQueue, pending: PendingFields,
        counters: DiskCounters
    ) {
        self.database = database
        self.evictor = evictor
        self.queue = queue
        self.pending = pending
        self.counters = counters
        catalogue = evictor.catalogue
    }

    /// Returns when the queue is closed and everything is on disk.
    func run() {
        var isEvicting = evict()
        queue.finish(0, isSettled: !isEvicting)
        while let batch = queue.take(busy: isEvicting) {
            commit(batch)
            pending.committed(batch)
            let orders = queue.takeOrders()
            for order in orders { obey(order) }
            isEvicting = evict()
            queue.finish(batch.count, orders: orders.count, isSettled: !isEvicting)
        }
        touchLast()
        do { try database.markClean() } catch { counters.indexWritten(error) }
        queue.end()
    }

    private func commit(_ changes: [Change]) {
        var changes = changes[...]
        while !changes.isEmpty {
            let slice = Array(changes.prefix(ChangeQueue.batch))
            changes = changes.dropFirst(slice.count)
            let isCommitted = attempt(slice)
            removeFiles(slice)
            // A full disk may have room again now that files are gone. What fails twice is given up: a row too
            // few costs a fetch after the next start, one too many is found out by its missing file.
            if !isCommitted { _ = attempt(slice) }
        }
    }

    private func attempt(_ changes: [Change]) -> Bool {
        do throws(SQLiteError) {
            try database.apply(changes)
            counters.indexWritten(nil)
            return true
        } catch {
            counters.indexWritten(error)
            return false
        }
    }

    private func removeFiles(_ changes: [Change]) {
        for case let file? in changes.map(\.released) {
            catalogue.shelf(file.kind).unlinkUnlessHeld(file.name)
        }
    }

    private func obey(_ order: ChangeQueue.Order) {
        switch order {
        case .shrink: evictor.shrink()
        case .compact:
            do { try database.compact() } catch { counters.indexWritten(error) }
        }
    }

    /// Makes room for one slice's time; true: there may be more to do.
    private func evict() -> Bool {
        let changes = evictor.next()
        commit(changes)
        counters.evicted.add(changes.count, ordering: .relaxed)
        return !changes.isEmpty
    }

    /// Writes access times that the rows do not know.
    private func touchLast() {
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
        commit(Array(touches.prefix(Self.lastTouches)))
    }
}
