// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import Kernel
internal import Synchronization

/// Whether the disk cache takes new things, and gives out what it has.
package enum DiskHealth: Sendable, Hashable {
    case good
    /// It gives out what it has. The last attempt to write failed, for this reason; the next that succeeds sets it right.
    case notKeeping(reason: String)
    /// There is no cache on disk at the moment; it is opened as soon as it can be.
    case absent(reason: String)
}

/// Counted since the start, except where it says "now".
package struct DiskStatistics: Sendable, Hashable {
    /// Now: URLs, and the files that they share.
    package var originals = 0
    package var originalFiles = 0
    package var originalBytes = 0
    /// Now.
    package var renditions = 0
    package var renditionBytes = 0
    /// Entries that left for want of room.
    package var evicted = 0
    /// Files whose length, footer or checksum was wrong.
    package var damaged = 0
    /// Files that could not be read although they had been verified: a bad sector, or a cut while they were sent.
    package var unreadable = 0
    /// Entries whose file had vanished.
    package var vanished = 0
    /// Not kept, because the disk did not take it.
    package var writeErrors = 0
    /// Not kept, because the budget or the writer's queue was full.
    package var skipped = 0
    /// Transactions of the index that failed.
    package var indexErrors = 0
    /// Times that the folder was opened anew, because something had happened to it or to its index.
    package var reopened = 0
}

/// What a sweep found. Also readable while it runs.
package struct SweepReport: Sendable, Hashable {
    package enum State: Sendable, Hashable { case notStarted, running, finished, cancelled }

    package var state = State.notStarted
    /// Files and entries looked at.
    package var checked = 0
    /// Files without a row, removed.
    package var orphans = 0
    /// Rendition files without a row that got one again; only where the index had been lost.
    package var adopted = 0
    /// Rows without their file, dropped.
    package var dropped = 0
}

/// What is counted, and what is wrong, for all stores that are opened on a folder in turn.
///
/// **Isolation:** atomics, and a mutex for the words.
final class DiskCounters: Sendable {
    private struct Trouble {
        var files: String?
        var index: String?
        /// The files' trouble is that nothing may be written there.
        var isReadOnly = false
    }

    let evicted = Atomic<Int>(0)
    let damaged = Atomic<Int>(0)
    let unreadable = Atomic<Int>(0)
    let vanished = Atomic<Int>(0)
    let writeErrors = Atomic<Int>(0)
    let skipped = Atomic<Int>(0)
    let indexErrors = Atomic<Int>(0)
    let reopened = Atomic<Int>(0)
    /// Files that should have been removed and could not be, since the last sweep.
    let leftovers = Atomic<Int>(0)
    private let trouble = Mutex(Trouble())
    private let dropped = Mutex<DroppedFiles?>(nil)

    func add(_ counter: borrowing Atomic<Int>) { counter.add(1, ordering: .relaxed) }

    /// Something was to be kept; nil: it is.
    func filesWritten(_ error: SystemError?) {
        filesTried(error)
        if error != nil { add(writeErrors) }
    }

    /// Nothing but whether it can be done.
    func filesTried(_ error: SystemError?) {
        trouble.withLock { trouble in
            trouble.files = error.map { "\($0)" }
            trouble.isReadOnly = error.map { [EROFS, EACCES, EPERM].contains($0.code) } ?? false
        }
    }

    func indexWritten(_ error: SQLiteError?) {
        trouble.withLock { $0.index = error.map { "\($0)" } }
        if error != nil { add(indexErrors) }
    }

    /// A file was not what it should be, and is dropped.
    func drop(_ kind: Footer.Kind, _ name: Digest, because reason: String) {
        dropped.withLock { dropped in
            let path = (kind == .original ? "originals/" : "renditions/") + FilePath(name).relative
            dropped = DroppedFiles(count: (dropped?.count ?? 0) + 1, last: path, reason: reason)
        }
    }

    /// What was dropped since this was asked for last.
    func takeDropped() -> DroppedFiles? { dropped.withLock { $0.take() } }

    /// Of a store that has just been opened.
    func beginAnew() { trouble.withLock { $0 = Trouble() } }

    var isReadOnly: Bool { trouble.withLock { $0.isReadOnly } }

    var hasFileTrouble: Bool { trouble.withLock { $0.files != nil } }

    var health: DiskHealth {
        trouble.withLock { $0.files ?? $0.index }.map { .notKeeping(reason: $0) } ?? .good
    }

    func statistics(of catalogue: Catalogue?) -> DiskStatistics {
        DiskStatistics(
            originals: catalogue?.names.count ?? 0, originalFiles: catalogue?.originals.table.count ?? 0,
            originalBytes: catalogue?.originals.bytes ?? 0,
            renditions: catalogue?.renditions.table.count ?? 0,
            renditionBytes: catalogue?.renditions.bytes ?? 0, evicted: evicted.load(ordering: .relaxed),
            damaged: damaged.load(ordering: .relaxed), unreadable: unreadable.load(ordering: .relaxed),
            vanished: vanished.load(ordering: .relaxed),
            writeErrors: writeErrors.load(ordering: .relaxed), skipped: skipped.load(ordering: .relaxed),
            indexErrors: indexErrors.load(ordering: .relaxed), reopened: reopened.load(ordering: .relaxed))
    }
}
