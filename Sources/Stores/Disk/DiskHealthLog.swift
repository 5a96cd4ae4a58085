// SPDX-License-Identifier: Apache-2.0

/// What the disk cache tells an operator.
package enum DiskEvent: Sendable, Hashable {
    case swept(SweepReport)
    /// Files that were not what they should be, since the last line about such.
    case dropped(DroppedFiles)
    /// The index could not be used, and is at this path now.
    case indexSetAside(String)
    /// The store is closed and another opened.
    case reopening(String)
    /// Nothing new is kept, or there is no cache on disk; so many writes have failed since the start.
    case trouble(DiskHealth, failures: Int)
    case recovered
}

/// Files that are no longer what was written, or cannot be read.
package struct DroppedFiles: Sendable, Hashable {
    package var count: Int
    /// The last of them, as a path in the cache's folder, and what was wrong with it.
    package var last: String
    package var reason: String
}

/// Decides when the health of the disk is worth a line: at once when it gets worse or better, but no more than two
/// lines a minute, and once in ten minutes while it stays bad.
struct DiskHealthLog: Sendable {
    /// Seconds from the line about one trouble to that about the next.
    private static let pause = 60
    /// Seconds after which a trouble that lasts is told again.
    private static let reminder = 600

    private var told = DiskHealth.good
    /// Seconds on any clock; nil: never.
    private var toldAt: Int?

    /// - Parameters:
    ///   - failures: of writes, so far.
    ///   - seconds: on a clock that only goes forward.
    mutating func note(_ health: DiskHealth, failures: Int, at seconds: Int) -> DiskEvent? {
        if health == .good {
            guard told != .good else { return nil }
            told = .good
            return .recovered
        }
        let rest = told.isLike(health) ? Self.reminder : Self.pause
        if let toldAt, seconds - toldAt < rest { return nil }
        told = health
        toldAt = seconds
        return .trouble(health, failures: failures)
    }
}

extension DiskHealth {
    /// The same state, perhaps in other words.
    fileprivate func isLike(_ other: DiskHealth) -> Bool {
        switch (self, other) {
        case (.good, .good), (.notKeeping, .notKeeping), (.absent, .absent): true
        default: false
        }
    }
}
