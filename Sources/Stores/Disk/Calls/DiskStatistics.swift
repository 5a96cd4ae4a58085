// SPDX-License-Identifier: Apache-2.0

/// Whether the disk cache keeps new files, and serves the files that it has.
package enum DiskHealth: Sendable, Hashable {
    case good
    /// The disk serves its files, but the last write failed, for this reason; the next successful write makes it
    /// good again.
    case notKeeping(reason: String)
    /// There is no cache on disk at present, or it hangs; it is used again as soon as possible.
    case absent(reason: String)
}

/// Totals since the start; numbers that are called present are of this moment.
package struct DiskStatistics: Sendable, Hashable {
    /// Present number of URLs, which may share files.
    package var originals = 0
    /// Present number of originals' files.
    package var originalFiles = 0
    /// Present bytes of originals' files, including those charged for URLs that share a file or have a long row (`NameEntry`).
    package var originalBytes = 0
    /// Present number of renditions.
    package var renditions = 0
    /// Present bytes of renditions.
    package var renditionBytes = 0
    /// Entries evicted for lack of room.
    package var evicted = 0
    /// Files with a wrong length, footer or checksum.
    package var damaged = 0
    /// Files that could not be read: a bad sector, or a truncation while they were sent; originals that could not be opened.
    package var unreadable = 0
    /// Entries whose file was missing.
    package var vanished = 0
    /// Files not kept because a write failed.
    package var writeErrors = 0
    /// Files not kept because the budget or the writer's queue was full.
    package var skipped = 0
    /// Failed transactions of the index.
    package var indexErrors = 0
    /// Times that the folder was reopened because it, or its index, had changed.
    package var reopened = 0
}

/// The result of a sweep; while it runs, its progress.
package struct SweepReport: Sendable, Hashable {
    /// The state of the sweep.
    package enum State: Sendable, Hashable { case notStarted, running, finished, cancelled }

    /// The state of the sweep.
    package var state = State.notStarted
    /// Files and entries checked.
    package var checked = 0
    /// Files without a row, which were removed.
    package var orphans = 0
    /// Renditions' files that got a row again; only after the index was lost.
    package var adopted = 0
    /// Rows without a file, which were removed.
    package var dropped = 0
}
