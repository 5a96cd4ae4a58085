// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Synchronization

/// The least level of the process's log, which may change while it runs.
///
/// **Isolation:** one atomic.
package final class LogThreshold: Sendable {
    private let index: Atomic<Int>

    /// Starts at this level.
    package init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

    /// The level now.
    package var current: Logger.Level {
        let levels = Logger.Level.allCases
        // Cannot trap: only indices of levels are stored.
        return levels[levels.index(levels.startIndex, offsetBy: index.load(ordering: .relaxed))]
    }

    /// Changes it for all loggers that have no level of their own.
    package func set(_ level: Logger.Level) { index.store(Self.index(of: level), ordering: .relaxed) }

    private static func index(of level: Logger.Level) -> Int {
        Logger.Level.allCases.enumerated().first { $0.element == level }?.offset ?? 0
    }
}
