// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import Glibc
internal import Kernel
internal import Synchronization

/// Counters and troubles, shared by all stores that are opened on a folder, one after the other.
///
/// **Isolation:** atomics, and a `Mutex` for each text.
final class DiskCounters: Sendable {
    private struct Trouble {
        var files: String?
        var index: String?
        /// True if files cannot be written because the folder is read-only.
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
    /// Files whose removal has failed since the last sweep began, including those of the sweep itself.
    let leftovers = Atomic<Int>(0)
    private let trouble = Mutex(Trouble())
    private let dropped = Mutex<DroppedFiles?>(nil)

    func add(_ counter: borrowing Atomic<Int>) { counter.add(1, ordering: .relaxed) }

    /// Records an attempt to keep a file; nil if it succeeded.
    func filesWritten(_ error: SystemError?) {
        filesTried(error)
        if error != nil { add(writeErrors) }
    }

    /// Records a trial write; nil if it succeeded.
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

    /// Records a damaged file, which is dropped.
    func drop(_ kind: Footer.Kind, _ name: Digest, because reason: String) {
        dropped.withLock { dropped in
            let path = (kind == .original ? "originals/" : "renditions/") + FilePath(name).relative
            dropped = DroppedFiles(count: (dropped?.count ?? 0) + 1, last: path, reason: reason)
        }
    }

    /// The files dropped since the last call; nil if there were none.
    func takeDropped() -> DroppedFiles? { dropped.withLock { $0.take() } }

    /// Forgets all troubles, because a store has just been opened.
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
