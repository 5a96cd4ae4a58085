// SPDX-License-Identifier: Apache-2.0

/// How to connect to Redis.
package struct RedisConfiguration: Sendable {
    /// The addresses of Redis, or of Sentinels; the first that answers is used.
    package var addresses: [RedisAddress]
    /// The name of the master to ask for if the addresses are Sentinels; nil if they are Redis's own.
    package var sentinel: String?
    /// The user of an ACL; empty for Redis's default user.
    package var user = ""
    /// The password; if it is empty, AUTH is not sent.
    package var password = ""
    /// A PEM file of certificate authorities for TLS; nil for libcurl's default.
    package var authorities: String?
    /// The limit for name resolution, TCP and TLS together.
    package var connectTimeout: Duration = .seconds(1)
    /// If a command has no reply for so long, the connection counts as dead. On a local network a command takes 0.1 to 1 ms; a
    /// Redis that forks to write a snapshot may pause for about 100 ms.
    package var commandTimeout: Duration = .seconds(1)
    /// The longest pause between two attempts to connect. Half of each pause is random.
    package var longestRest: Duration = .seconds(1)
    /// After so long, a connection counts as good even if Redis has not yet carried out a command on it.
    package var provingTime: Duration = .seconds(1)
    /// The same once a Redis of these addresses has greeted and then refused, or sent on, a command: as every node of a Cluster
    /// greets, whether or not the slot has a node. This is three times the pause between two commands of `FleetPeers`, which
    /// usually decide sooner.
    package var doubtfulProvingTime: Duration = .seconds(15)
    /// If Redis closes a connection after so long without a command, the connection was closed because it was idle. The shortest
    /// `timeout` of Redis is 1 s.
    package var idleTime: Duration = .seconds(1)
    /// After so long without a command, the connection to a node that `ASK` has named is closed.
    package var askedTime: Duration = .seconds(60)
    /// The most commands that wait to be sent or for their reply.
    package var queue = 4096

    package init(_ addresses: [RedisAddress]) { self.addresses = addresses }
}

/// An event for operators. The two cases alternate.
package enum RedisEvent: Sendable, Hashable {
    /// The connection is lost or cannot be made, for this reason; the link keeps trying.
    case away(String)
    /// The link is connected to this address again, and Redis has carried out a command, or the connection has lasted for the
    /// proving time.
    case back(String)
}
