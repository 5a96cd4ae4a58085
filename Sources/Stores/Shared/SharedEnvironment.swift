// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import SourceURLs

/// What the shared store needs from its caller, besides the bucket.
package struct SharedEnvironment: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Timestamp
    /// The monotonic clock in microseconds.
    package var ticks: @Sendable () -> Int64
    /// A uniformly random number, 0..<1.
    package var chance: @Sendable () -> Double
    /// Gets events for operators, on any thread; must not block.
    package var report: @Sendable (SharedStoreEvent) -> Void
    /// True while an original's answer may turn out to belong to another request. Must not block.
    package var isInDoubt: @Sendable (OriginalKey) -> Bool
    /// Called on a writer's thread before an original's entry is written. If the original is in doubt, returns once a restart
    /// would know that; false if a restart would not, so that the entry is not written. May block.
    package var noteDoubt: @Sendable (OriginalKey) -> Bool

    package init(
        now: @escaping @Sendable () -> Timestamp, ticks: @escaping @Sendable () -> Int64,
        chance: @escaping @Sendable () -> Double, report: @escaping @Sendable (SharedStoreEvent) -> Void,
        isInDoubt: @escaping @Sendable (OriginalKey) -> Bool,
        noteDoubt: @escaping @Sendable (OriginalKey) -> Bool
    ) {
        self.now = now
        self.ticks = ticks
        self.chance = chance
        self.report = report
        self.isInDoubt = isInDoubt
        self.noteDoubt = noteDoubt
    }
}

/// An event for operators.
package enum SharedStoreEvent: Sendable, Hashable {
    /// The object of this name differs from the one that was written.
    case damaged(String)
    /// Reads of these kinds of objects stop for a while, for this reason; nil if they go on.
    case reads([ObjectKind], String?)
    /// Writes stop for a while, for this reason; nil if they go on.
    case writes(String?)
    /// A writing thread cannot get a handle of libcurl, and tries again. Meanwhile another thread makes its changes, or they
    /// wait.
    case noWriter
    /// The store did not delete purged objects, for this reason.
    case purgeFailed(String)
    /// Parts of the record of purges at this path cannot be read, so everything before now counts as purged.
    case recordDamaged(String)
}
