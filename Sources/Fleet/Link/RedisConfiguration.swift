// SPDX-License-Identifier: Apache-2.0

/// How Redis is reached.
package struct RedisConfiguration: Sendable {
    /// The addresses of Redis, or of Sentinels; the first that answers is used.
    package var addresses: [RedisAddress]
    /// The name of the master that the Sentinels at the addresses know; nil where the addresses are Redis's own.
    package var sentinel: String?
    /// The user of an ACL; empty = Redis's default user.
    package var user = ""
    /// Empty = no AUTH is sent.
    package var password = ""
    /// A PEM file of certificate authorities for TLS; nil for those that libcurl takes by itself.
    package var authorities: String?
    /// For name, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(1)
    /// Without any reply to a command for that long the connection counts as dead. A command in one network takes
    /// 0.1 to 1 ms, and a Redis that writes a snapshot may stand still for some 100.
    package var commandTimeout: Duration = .seconds(1)
    /// The longest rest between two tries to connect. Half of it is random.
    package var longestRest: Duration = .seconds(1)
    /// A connection without a reply to a command counts as good after that long.
    package var provingTime: Duration = .seconds(1)
    /// Commands that wait for their turn or for their reply.
    package var queue = 4096

    package init(_ addresses: [RedisAddress]) { self.addresses = addresses }
}

/// An event for operators. The two alternate: neither is reported twice in a row.
package enum RedisEvent: Sendable, Hashable {
    /// There is no connection, for this reason; it is tried again and again.
    case away(String)
    /// There is one again, on which Redis has carried out a command, or which has lasted for `provingTime`.
    case back(String)
}
