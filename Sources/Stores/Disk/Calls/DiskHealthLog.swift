// SPDX-License-Identifier: Apache-2.0

/// Events of the disk cache for operators.
package enum DiskEvent: Sendable, Hashable {
    case swept(SweepReport)
    /// Damaged or unreadable files since the last such event.
    case dropped(DroppedFiles)
    /// The index was unusable and has been moved to this path.
    case indexSetAside(String)
    /// The store was closed, and another is being opened.
    case reopening(String)
    /// So many originals in the newly opened folder must be confirmed by their origins.
    case unconfirmed(Int)
    /// Nothing new is kept, or there is no cache on disk. `failures` is the number of failed writes since the start.
    case trouble(DiskHealth, failures: Int)
    case recovered
}

/// Files that were dropped because they changed after they were written, or cannot be read.
package struct DroppedFiles: Sendable, Hashable {
    /// Files since the last report.
    package var count: Int
    /// The path of the last of them in the cache's folder.
    package var last: String
    /// The defect of the last one.
    package var reason: String
}

/// Limits how often the disk's health is logged: at once when it changes, but at most two lines a minute, and
/// every ten minutes while it stays bad.
struct DiskHealthLog: Sendable {
    /// Seconds between lines about two different troubles.
    private static let pause = 60
    /// Seconds until a lasting trouble is logged again.
    private static let reminder = 600

    private var told = DiskHealth.good
    /// When that line was written, in seconds of a steady clock; nil before the first line.
    private var toldAt: Int?

    /// The event to report; nil if there is nothing to report.
    ///
    /// - Parameters:
    ///   - failures: failed writes since the start.
    ///   - seconds: the present second of a clock that never goes back.
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
    /// True for the same state, whatever the reason.
    fileprivate func isLike(_ other: DiskHealth) -> Bool {
        switch (self, other) {
        case (.good, .good), (.notKeeping, .notKeeping), (.absent, .absent): true
        default: false
        }
    }
}
