// SPDX-License-Identifier: Apache-2.0

/// A command on its way through a link, and the caller that waits for its reply.
struct PendingCommand {
    typealias Continuation = CheckedContinuation<Result<RedisReply, RedisFailure>, Never>

    var command: RedisCommand
    /// Nil once its caller waits no longer.
    var continuation: Continuation?
    /// Microseconds of the monotonic clock, after which the caller waits no longer.
    var deadline: Int64
    /// Microseconds after which the connection counts as dead without a reply.
    var patience: Int64
    /// Microseconds of the monotonic clock.
    var sent: Int64 = 0
    /// True if the command waits for a connection.
    var waits: Bool
    /// Moves from node to node so far.
    var moves = 0
}
