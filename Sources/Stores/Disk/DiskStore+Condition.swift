// SPDX-License-Identifier: Apache-2.0

internal import Kernel
internal import Synchronization

/// How the store is doing, and what it does about it.
extension DiskStore {
    package var health: DiskHealth { counters.health }

    /// It was opened for reading.
    var isReadOnly: Bool { writer == nil }

    /// False: somebody has deleted, moved or covered the folder, or a part of it, or its index.
    var isInPlace: Bool { folder.isInPlace && indexFiles.allSatisfy(\.holds) }

    var isIndexDamaged: Bool { hasFailedCheck.load(ordering: .relaxed) || writer?.writer.isDamaged ?? false }

    /// Whether a store that was opened for reading may be worth another try.
    var mayBecomeWritable: Bool {
        CacheFolder.isWritable(folder.path) && IndexDatabase.isWritable(folder.indexPath)
    }

    /// Finds out whether what was wrong with writing files still is, and makes room where the file system lacks it.
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
        if let room = folder.room, room.shortage != .none, catalogue.fileCount > 0 { queue.nudge() }
    }

    /// There are files that could not be removed when they should have been, and now perhaps can.
    var isSweepDue: Bool { counters.leftovers.load(ordering: .relaxed) > 0 && !counters.isReadOnly }

    package var statistics: DiskStatistics { counters.statistics(of: catalogue) }
}
