// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Whether the far shelf takes new things. It gives out what it has in any case.
package enum DiskHealth: Sendable, Hashable {
    case good
    /// The last attempt to write failed, for this reason. The next that succeeds sets it right.
    case notKeeping(reason: String)
}

/// Counted since the store was opened, except where it says "now".
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
    /// Entries whose file had vanished.
    package var vanished = 0
    /// Not kept, because the disk did not take it.
    package var writeErrors = 0
    /// Not kept, because the budget or the writer's queue was full.
    package var skipped = 0
    /// Transactions of the index that failed.
    package var indexErrors = 0
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

/// **Isolation:** atomics, and a mutex for the words.
final class DiskCounters: Sendable {
    let evicted = Atomic<Int>(0)
    let damaged = Atomic<Int>(0)
    let vanished = Atomic<Int>(0)
    let writeErrors = Atomic<Int>(0)
    let skipped = Atomic<Int>(0)
    let indexErrors = Atomic<Int>(0)
    private let trouble = Mutex<(files: String?, index: String?)>((nil, nil))

    func add(_ counter: borrowing Atomic<Int>) { counter.add(1, ordering: .relaxed) }

    func filesWritten(_ error: (any Error)?) {
        trouble.withLock { $0.files = error.map { "\($0)" } }
        if error != nil { add(writeErrors) }
    }

    func indexWritten(_ error: (any Error)?) {
        trouble.withLock { $0.index = error.map { "\($0)" } }
        if error != nil { add(indexErrors) }
    }

    var health: DiskHealth {
        trouble.withLock { $0.files ?? $0.index }.map { .notKeeping(reason: $0) } ?? .good
    }
}
