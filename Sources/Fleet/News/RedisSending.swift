// SPDX-License-Identifier: Apache-2.0

/// The link by which the news sends its commands.
package protocol RedisSending: Sendable {
    /// As `RedisLink.send`.
    func send(
        _ command: RedisCommand, within limit: Duration?, waits: Bool
    ) async throws(RedisFailure) -> RedisReply
    /// True while there is a connection.
    var isUp: Bool { get }
    /// The number of connections made since the start.
    var connects: Int { get }
    /// As `RedisLink.leave`.
    func leave(_ connection: Int, because reason: String)
}

extension RedisLink: RedisSending {}
