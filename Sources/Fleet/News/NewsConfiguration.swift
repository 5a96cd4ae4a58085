// SPDX-License-Identifier: Apache-2.0

internal import Kernel

/// How news of purges is stored and sent.
package struct NewsConfiguration: Sendable {
    /// The beginning of all keys in Redis.
    package var prefix = "pictor"
    /// About how many entries Redis keeps in the stream.
    package var streamLength = 100_000
    /// The time limit of one command.
    package var commandTimeout: Duration = .seconds(1)
    /// The folder of the record and of the outbox.
    package var folder: String
    /// True if a node that is new and empty carries out the whole stream, because a shared store may give it pictures that other
    /// nodes have purged.
    package var readsAll = false
    /// The number of entries read at once: 1 MB, at 8 kB each.
    package var page = 128
    /// How long one wait for new entries lasts. Then the node checks that its position is still in the stream.
    package var block: Duration = .seconds(1)
    /// The most purges of this node that wait for Redis.
    var outboxLimit = NewsOutbox.limit

    package init(folder: String) { self.folder = folder }

    /// The stream's key. The braces make the prefix its hash tag, so that a Cluster keeps all keys in one slot.
    var stream: String { "{\(prefix)}:news" }

    /// The command that appends an entry to the stream; Redis trims the oldest entries beyond about `streamLength`.
    func command(adding fields: [String]) -> RedisCommand {
        RedisCommand(["XADD", stream, "MAXLEN", "~", "\(streamLength)", "*"] + fields)
    }

    /// The path of the record.
    var recordPath: String { LastingFile.Name.fleetNews.path(in: folder) }
    /// The path of the outbox.
    var outboxPath: String { LastingFile.Name.fleetOutbox.path(in: folder) }
}
