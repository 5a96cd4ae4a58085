// SPDX-License-Identifier: Apache-2.0

package import Kernel
package import SourceURLs

/// The configuration of the disk cache.
package struct DiskConfiguration: Sendable {
    /// The path of the folder, which is made if it is missing.
    package var folder: String
    /// Bytes on disk that originals may occupy.
    package var originalsBudget: Int
    /// Bytes on disk that renditions may occupy.
    package var renditionsBudget: Int
    /// Fraction of a budget above which the least recently used entries are evicted, down to `lowWater`. If a file of up to half
    /// of a budget finds no room, room is made for the next attempt.
    var highWater = 0.95
    /// Fraction of a budget at which eviction ends.
    package var lowWater = 0.90
    /// Space that stays free on the file system, whatever the budgets are. Below it, entries are evicted;
    /// below half of it, nothing is kept and new files are made in memory.
    package var minimumFree = ReservedSpace.percent(2)
    /// Milliseconds for which changes of the index are gathered into one transaction.
    package var commitInterval = 1_000
    /// Milliseconds between two checks of the folder, see `DiskCache`.
    package var watchInterval = 1_000
    /// How many milliseconds an open index waits for another program's lock.
    package var lockTimeout: Int32 = 2_000
    /// Remembers when files have left in vain for the opening of the index.
    var openingAttempts = OpeningAttempts()
    /// Counts the files that the cache makes and does not count itself.
    package var held = HeldBytes()
    /// True to revalidate everything in a folder that is opened again. In a fleet, other nodes' purges may have been missed; see
    /// `DiskCache`.
    package var confirmsReopened = false
    /// The path of a file that tells the next start about purges that the disk has missed. It is on a file system in memory, such
    /// as /run; nil if there is none. See `PurgeNote`.
    package var purgeNote: String?
    /// True if an original's answer may still turn out to belong to another request (response desynchronisation). Its row is marked
    /// until the answer is proved, and an original that is marked at the next opening is forgotten. Called on any thread.
    package var isInDoubt: @Sendable (OriginalKey) -> Bool = { _ in false }
    /// Threads that load the index at start.
    package var loaders = 4
    /// Threads for blocking calls, see `DiskStore.perform`.
    package var threads = 4
    /// Once a call has lasted so many milliseconds, the disk counts as away, see `DiskCache`. A disk that spins up, is busy or
    /// retries a bad sector takes seconds.
    package private(set) var patience = 10_000
    /// Once a call that writes the index has lasted so many milliseconds, the disk counts as away. It may last longer than
    /// others, because no request waits for it, and on a disk that is busy with others' writes a single fsync(2) may take half a
    /// minute.
    var writePatience: Int { patience + 50_000 }
    /// Once a call has lasted so many milliseconds, `DiskCache.close` leaves the disk as it is, because nobody waits for an answer
    /// any more. This does not apply to calls that write the index.
    package var lastPatience = 5_000
    /// The most milliseconds that `DiskCache.close` takes. After a long drain, a service manager that cannot be asked for more
    /// time may kill the daemon before that.
    package var longestClose = 20_000
    /// Milliseconds of pause after each 512 files of a sweep: at most 20,000 files a second.
    package var sweepPause = 25
    /// Bytes per second that the scrub reads and verifies; 0 for no scrub, see `DiskStore.scrub`.
    package var scrubRate = 0
    /// Seconds from the start of one scrub to the next, so that a small cache is not read all the time.
    var scrubInterval = 3_600
    /// False to write files under temporary names, as is necessary on a file system without O_TMPFILE.
    package var usesUnnamedFiles = true
    /// Seed of the random draws for eviction.
    package var seed: UInt64 = .random(in: .min ... .max)

    /// Budgets in bytes; everything else at its default.
    package init(folder: String, originalsBudget: Int, renditionsBudget: Int) {
        self.folder = folder
        self.originalsBudget = originalsBudget
        self.renditionsBudget = renditionsBudget
    }

    /// Extends `patience` by the time for reading a body of so many bytes, because a call reads the whole body to verify it. Any
    /// usable disk reads 10 MB per second.
    package mutating func expect(bodiesUpTo bytes: Int) { patience = 10_000 + max(bytes, 0) / 10_000 }
}

/// Reasons why the disk cache cannot be opened.
package enum DiskStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Another process, or another store, uses the folder.
    case inUse(folder: String)
    /// Another folder took the place of this one while it was opened.
    case replaced(folder: String)
    /// The folder cannot be made, opened or written to.
    case folder(String, SystemError)
    /// The index cannot be opened, but is not damaged.
    case index(SQLiteError)
    case threads(SystemError)

    package var description: String {
        switch self {
        case .inUse(let folder): "The cache folder \(folder) is in use by another process."
        case .replaced(let folder): "The cache folder \(folder) was replaced while it was opened."
        case .folder(let folder, let error): "The cache folder \(folder) cannot be used: \(error)."
        case .index(let reason): "The cache's index cannot be opened: \(reason)."
        case .threads(let error): "The cache's threads cannot be started: \(error)."
        }
    }
}
