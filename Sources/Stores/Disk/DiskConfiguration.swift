// SPDX-License-Identifier: Apache-2.0

package import Kernel

/// How the disk cache is set up.
package struct DiskConfiguration: Sendable {
    /// Made where it is missing.
    package var folder: String
    /// Bytes on disk that originals may take up.
    package var originalsBudget: Int
    /// Bytes on disk that renditions may take up.
    package var renditionsBudget: Int
    /// Share of a budget above which the least recently used go, until its `lowWater` is reached. What would not fit
    /// into the whole budget is not kept.
    package var highWater = 0.95
    package var lowWater = 0.90
    /// What stays free on the file system, whatever the budgets say: with less, entries leave; with less than half of
    /// it nothing is kept, and new files are made in memory.
    package var minimumFree = FreeSpace.percent(2)
    /// Milliseconds for which changes of the index are gathered into one transaction.
    package var commitInterval = 1_000
    /// Milliseconds between two looks at how the folder is doing, see `DiskCache`.
    package var watchInterval = 1_000
    /// Threads that read the index at start.
    package var loaders = 4
    /// Threads for calls that touch the disk, see `DiskStore.perform`.
    package var threads = 4
    /// Milliseconds of rest after each 512 files of a sweep: at most 20,000 files a second.
    package var sweepPause = 25
    /// Bytes a second that the scrub reads and verifies; 0 = none, see `DiskStore.scrub`.
    package var scrubRate = 0
    /// Seconds between the beginnings of two passes of the scrub, so that a small cache is not read over and over.
    package var scrubInterval = 3_600
    /// Off: files are written under a temporary name, as on a file system without O_TMPFILE.
    package var usesUnnamedFiles = true
    /// Of the draws that find what to evict.
    package var seed: UInt64 = .random(in: .min ... .max)

    package init(folder: String, originalsBudget: Int, renditionsBudget: Int) {
        self.folder = folder
        self.originalsBudget = originalsBudget
        self.renditionsBudget = renditionsBudget
    }
}

/// Why the disk cache cannot be opened.
package enum DiskStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another process (or store) works on the folder.
    case inUse(folder: String)
    /// The folder cannot be made, opened or written.
    case folder(String, SystemError)
    /// The index cannot be opened, for a reason other than damage.
    case index(SQLiteError)
    case threads(SystemError)

    package var description: String {
        switch self {
        case .inUse(let folder): "The cache folder \(folder) is in use by another process."
        case .folder(let folder, let error): "The cache folder \(folder) cannot be used: \(error)."
        case .index(let reason): "The cache's index cannot be opened: \(reason)."
        case .threads(let error): "The cache's threads cannot be started: \(error)."
        }
    }
}
