// SPDX-License-Identifier: Apache-2.0

/// A command on its way through a link, and the caller that waits for its reply.
struct PendingCommand {
    typealias Continuation = CheckedContinuation<Result<RedisReply, RedisFailure>, Never>

    var command: RedisCommand
    /// Nil once the caller has given up.
    var continuation: Continuation?
    /// When the caller gives up, in microseconds of the monotonic clock.
    var deadline: Int64
    /// If this command has no reply for so many microseconds, the connection counts as dead.
    var patience: Int64
    /// When the command was written to the socket, in microseconds of the monotonic clock.
    var sent: Int64 = 0
    /// True if the command waits for a connection.
    var waits: Bool
    /// How often `MOVED` has sent the command to another node.
    var moves = 0
    /// True if the node takes the command only behind `ASKING`.
    var isAsked = false
}
