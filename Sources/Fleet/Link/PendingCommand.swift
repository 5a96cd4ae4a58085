// SPDX-License-Identifier: Apache-2.0

/// A command on its way through a link, and the caller that waits for its reply.
struct PendingCommand {
    var command: RedisCommand
    var continuation: CheckedContinuation<Result<RedisReply, RedisFailure>, Never>?
    /// Microseconds of the monotonic clock, after which the caller waits no longer.
    var deadline: Int64
    /// How long after it was sent the connection counts as dead.
    var patience: Int64
    var sent: Int64 = 0
    var waits: Bool
    var moves = 0
}
