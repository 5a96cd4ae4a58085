// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
package import Pipeline

/// What the news needs from the rest of the daemon.
package struct NewsEnvironment: Sendable {
    /// The wall clock.
    package var now: @Sendable () -> Timestamp
    /// Microseconds of the monotonic clock.
    package var ticks: @Sendable () -> Int64
    /// True if this node's cache is still empty.
    package var isEmpty: @Sendable () -> Bool
    /// Carries out another node's purge. Once it returns, no restart undoes the purge. The failure says whether the purge is
    /// carried out in memory, so that only a restart may undo it.
    package var apply: @Sendable (PurgeOrder) async throws(IndexUnreadable) -> Void
    /// Tries to write what purges could not write before; false if a restart may still undo one of them.
    package var settles: @Sendable () async -> Bool
    /// Gets events for operators, on any thread; must not block.
    package var report: @Sendable (NewsEvent) -> Void
    /// True while calls to the disk of the record and the outbox hang.
    package var diskHangs: @Sendable () -> Bool = { false }
    /// False while purges are carried out in another folder than the record's, or in none: an earlier folder may have come back to
    /// the record's path. May block on the disk.
    package var isInPlace: @Sendable () -> Bool = { true }

    /// Takes the properties of these names. `diskHangs` is always false and `isInPlace` always true.
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

/// An event for operators.
package enum NewsEvent: Sendable, Hashable {
    /// The node does not know which purges it has missed, so everything that it holds is confirmed again.
    case gap(GapReason)
    /// Other nodes' purges cannot be carried out, for this reason; the node keeps trying.
    case reading(String)
    /// Other nodes' purges are carried out in memory but not on disk, for this reason; a restart carries them out again.
    case unwritten(String)
    /// Redis does not accept this node's purges, for this reason; the node keeps trying.
    case sending(String)
    /// Parts of the outbox at this path cannot be read, so all nodes must have everything confirmed.
    case outboxDamaged(String)
    /// A purge of this node's name came that it has not given: another node has the name, or this node's files were replaced by
    /// older ones. The purge is carried out, and the node takes a new name.
    case nameShared
    /// Redis has lost so many purges of this node; they are sent again.
    case lost(purges: Int)
    /// At its start, the node has carried out the purges that it missed while it was away.
    case caughtUp(purges: Int)
    /// At its start, the node has missed more purges than it can carry out in time; it goes on with them before it serves.
    case catchingUp(purges: Int)
    /// The node serves although it has not carried out all purges: because Redis has not answered in time if `isSilent`,
    /// otherwise because a purge cannot be carried out.
    case behind(isSilent: Bool)
}

/// Why a node does not know which purges it has missed.
package enum GapReason: String, Sendable, Hashable {
    case forgotten =
        "the stream does not hold this node's position: it was trimmed or emptied, or is another one"
    case unknown = "this node holds pictures and has no position in the stream"
    case unreadable = "an entry of the stream cannot be read"
    case ahead =
        "an entry's number is ahead of this node's clock by more than ten minutes: one of the two nodes' clocks is wrong"
}
