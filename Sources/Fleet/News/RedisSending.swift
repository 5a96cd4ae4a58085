// SPDX-License-Identifier: Apache-2.0

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
