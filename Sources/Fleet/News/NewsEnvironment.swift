// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Pipeline

/// The news' dependencies on the rest of the daemon.
package struct NewsEnvironment: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Timestamp
    /// Microseconds of the monotonic clock.
    package var ticks: @Sendable () -> Int64
    /// True if this node holds nothing yet.
    package var isEmpty: @Sendable () -> Bool
    /// Carries out another node's purge; once it returns, no restart undoes it. A failure tells whether a restart alone may.
    package var apply: @Sendable (PurgeOrder) async throws(IndexUnreadable) -> Void
    /// Tries to write what purges could not write; false if a restart may still undo one of them.
    package var settles: @Sendable () async -> Bool
    /// Gets events for operators, on any thread; must not block.
    package var report: @Sendable (NewsEvent) -> Void
    /// True while calls to the disk of the record and of the outbox do not return.
    package var diskHangs: @Sendable () -> Bool = { false }
    /// False while purges are carried out in another folder than the record's, or in none: the record's folder may be a former one
    /// that has come back. May block on the disk.
    package var isInPlace: @Sendable () -> Bool = { true }

    /// As the properties say; the disk never hangs, and the folder stays in its place.
    package init(
        now: @escaping @Sendable () -> Timestamp, ticks: @escaping @Sendable () -> Int64,
        isEmpty: @escaping @Sendable () -> Bool,
        apply: @escaping @Sendable (PurgeOrder) async throws(IndexUnreadable) -> Void,
        settles: @escaping @Sendable () async -> Bool,
        report: @escaping @Sendable (NewsEvent) -> Void
    ) {
        self.now = now
        self.ticks = ticks
        self.isEmpty = isEmpty
        self.apply = apply
        self.settles = settles
        self.report = report
    }
}

/// Something that operators are to know.
package enum NewsEvent: Sendable, Hashable {
    /// The node does not know what it has missed, so all it holds is confirmed anew.
    case gap(GapReason)
    /// The purges of other nodes are not carried out, for this reason; it is tried again.
    case reading(String)
    /// The purges of other nodes are carried out, but not on disk yet, for this reason: a restart carries them out again.
    case unwritten(String)
    /// Purges of this node are not taken, for this reason; it is tried again.
    case sending(String)
    /// The outbox of purges at this path cannot be read in parts, so all nodes are to have everything confirmed.
    case outboxDamaged(String)
    /// So many purges of this node that Redis had taken were lost there, and are told again.
    case lost(purges: Int)
    /// The purges that this node missed while it was away are carried out, at its start.
    case caughtUp(purges: Int)
    /// More of that than can be carried out in time; it goes on before anything is served.
    case catchingUp(purges: Int)
    /// The node serves without it: Redis has not answered in time, or, if that is false, it cannot be carried out.
    case behind(isSilent: Bool)
}

/// Why a node does not know what it has missed.
package enum GapReason: String, Sendable, Hashable {
    case forgotten =
        "the stream does not hold this node's position: it was trimmed or emptied, or is another one"
    case unknown = "this node holds pictures and has no position in the stream"
    case unreadable = "an entry of the stream cannot be read"
    case ahead =
        "an entry's number is ahead of this node's clock by more than ten minutes: one of the two nodes' clocks is wrong"
}
