// SPDX-License-Identifier: Apache-2.0

package import HTTPSemantics
internal import Kernel
package import Pipeline

/// The link that the news sends its commands by.
package protocol RedisSending: Sendable {
    /// As `RedisLink.send`.
    func send(
        _ command: RedisCommand, within limit: Duration?, waits: Bool
    ) async throws(RedisFailure) -> RedisReply
    /// True while there is a connection.
    var isUp: Bool { get }
    /// Connections that were made since the start.
    var connects: Int { get }
}

extension RedisLink: RedisSending {}

/// How news is kept and told.
package struct NewsConfiguration: Sendable {
    /// The beginning of all keys in Redis.
    package var prefix = "pictor"
    /// Entries that Redis keeps, about.
    package var streamLength = 100_000
    /// The time for one command.
    package var commandTimeout: Duration = .seconds(1)
    /// The folder of the record and of the outbox.
    package var folder: String
    /// True to carry out all that the stream remembers on a node that is new and empty, because a shared store may give
    /// it what others have purged.
    package var readsAll = false
    /// Entries of one answer: at 8 kB each, 1 MB.
    package var page = 128
    /// How long one wait for news lasts; after it the position is looked at.
    package var block: Duration = .seconds(1)
    /// Purges of ours that wait for Redis.
    package var outboxLimit = NewsOutbox.limit

    package init(folder: String) { self.folder = folder }

    /// The stream's key. The braces make the prefix its hash tag, so that a Cluster keeps all keys in one slot.
    var stream: String { "{\(prefix)}:news" }

    /// Puts an entry into the stream, from whose beginning Redis trims what is too much.
    func command(adding fields: [String]) -> RedisCommand {
        RedisCommand(["XADD", stream, "MAXLEN", "~", "\(streamLength)", "*"] + fields)
    }

    /// Where the record is.
    var recordPath: String { LastingFile.Name.fleetNews.path(in: folder) }
    /// Where the outbox is.
    var outboxPath: String { LastingFile.Name.fleetOutbox.path(in: folder) }
}

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
    /// False while the folder of the record is not the one in which purges are carried out: it may be one that comes back, or
    /// there is none. May block on the disk.
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

/// Numbers since the start, and of this moment. All of them are `Int`, as `Readings` are.
package struct NewsStatistics: Sendable, Hashable {
    package var connected = 0
    /// Connections that were made, of both kinds.
    package var connects = 0
    /// Other nodes that have told Redis of themselves in the last `FleetPeers.time`; 0 without Redis.
    package var peers = 0
    package var sent = 0
    package var received = 0
    /// Deliveries of what was carried out before.
    package var repeated = 0
    package var gaps = 0
    /// Purges of ours that Redis has not got yet.
    package var outbox = 0
    /// Seconds since this node knew that it has everything; 0 without a fleet.
    package var lag = 0

    package init() {}
}
