// SPDX-License-Identifier: Apache-2.0

internal import Kernel

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
