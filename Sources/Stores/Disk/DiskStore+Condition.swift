// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// The condition of the store, and reactions to it.
extension DiskStore {
    /// Good unless the last write failed.
    package var health: DiskHealth { counters.health }

    /// True if the folder was opened read-only.
    var isReadOnly: Bool { writer == nil }

    /// False once the folder, a part of it or its index was deleted, moved or covered by a mount.
    var isInPlace: Bool { folder.isInPlace && indexFiles.allSatisfy(\.holds) }

    /// True once the index has failed a check, or SQLite has reported damage to the writer, which proves less: SQLite also does so
    /// if reads fail for a while.
    var isIndexDamaged: Bool { hasFailedCheck.load(ordering: .relaxed) || writer?.writer.isDamaged ?? false }

    /// True if the index is certainly damaged. Reads all of it if only the writer has found damage.
    func provesDamage() -> Bool {
        hasFailedCheck.load(ordering: .relaxed) || IndexCheck.of(folder.indexPath) == .damaged
    }

    /// True if a store that was opened read-only might be writable now.
    var mayBecomeWritable: Bool {
        CacheFolder.isWritable(folder.path) && IndexDatabase.isWritable(folder.indexPath)
    }

    /// Tries again to write after a failure, and evicts if the file system lacks room.
    func lookAfter() {
        guard !isReadOnly else { return }
        if counters.hasFileTrouble {
            do throws(SystemError) {
                try folder.probe()
                counters.filesTried(nil)
            } catch {
                counters.filesTried(error)
            }
        }
        if let space = folder.space, space.shortage != .none, catalogue.fileCount > 0 { queue.nudge() }
    }

    /// True if files are left whose removal failed and may succeed now.
    var isSweepDue: Bool {
        counters.leftovers.load(ordering: .relaxed) > 0 && !counters.isReadOnly
            && sweepProgress.state != .running
    }

    /// Totals since the start, and present numbers.
    package var statistics: DiskStatistics { counters.statistics(of: catalogue) }
}
