// SPDX-License-Identifier: Apache-2.0

internal import Bytes

extension Settings {
    /// The fleet, whose nodes share purges, leases and limits through Redis or Valkey.
    package struct Fleet: Sendable, Equatable {
        /// Addresses of Redis, or of Sentinels; empty for no fleet.
        package var redis: [String] = []
        /// The name by which the Sentinels know the master; empty if the addresses are Redis's own.
        package var sentinel = ""
        /// The user of an ACL; empty for Redis's default user.
        package var user = ""
        /// The user's password.
        package var password = ServiceSecret.none
        /// The beginning of all keys' names.
        package var prefix = "pictor"
        /// The limit for name resolution, TCP and TLS together.
        package var connectTimeout = Duration.seconds(1)
        /// The limit for the answer to one command.
        package var commandTimeout = Duration.seconds(1)
        /// About how many purges a node may miss and still learn of one by one.
        package var streamLength = 100_000
        /// How long a start waits for purges that the node missed, before it serves.
        package var catchUpTimeout = Duration.seconds(5)
        /// How long a lease outlives a node that has died.
        package var leaseTime = Duration.seconds(10)
        /// How long to wait for another node's fetch or rendering.
        package var leaseWait = Duration.seconds(2)
        /// True if the limits on clients hold for all nodes together.
        package var clientLimits = false
        /// True if the limits on origins hold for all nodes together.
        package var originLimits = false
        /// How long to wait for Redis's answer about a limit.
        package var limitTimeout = Duration.milliseconds(10)
    }
}

extension Setting {
    static let fleet: [Setting] = [
        Setting(
            "fleet.redis", \.fleet.redis, .atRestart(.fleet),
            "Addresses of Redis or Valkey: redis://host:6379/0, rediss://… for TLS, unix:/path. The first that answers is used. Empty: nodes tell one another nothing."
        ),
        Setting(
            "fleet.sentinel", \.fleet.sentinel, .atRestart(.fleet),
            "The name of the master, if fleet.redis names Sentinels, which get no password. Empty: the addresses are those of Redis itself.",
            form: "letters, digits, dots, hyphens and underscores"
        ) { $0.utf8.allSatisfy(\.isNameByte) },
        Setting(
            "fleet.user", \.fleet.user, .atRestart(.fleet),
            "The user of Redis's ACL; it needs fleet.password. Empty: Redis's default user."),
        Setting("fleet.password", \.fleet.password, .atRestart(.fleet), "The password for Redis. No flag."),
        Setting(
            "fleet.prefix", \.fleet.prefix, .atRestart(.fleet),
            "What the names of all keys begin with, in braces, so that a Cluster keeps them in one slot. Another prefix is another fleet.",
            form: "1 to 100 letters, digits, dots, hyphens and underscores"
        ) { (1...100).contains($0.utf8.count) && $0.utf8.allSatisfy(\.isNameByte) },
        .positive(
            "fleet.connect-timeout", \.fleet.connectTimeout, .atRestart(.fleet),
            "How long a connection to Redis may take: name, TCP and TLS together. A Redis nearby takes 1 ms."),
        .positive(
            "fleet.command-timeout", \.fleet.commandTimeout, .atRestart(.fleet),
            "How long Redis may take to answer; after that the connection counts as dead. An answer takes 0.1 to 1 ms."
        ),
        .number(
            "fleet.stream-length", \.fleet.streamLength, .atRestart(.fleet), 100...10_000_000,
            "Purges that Redis keeps for nodes that are away. A node that has missed more has everything that it holds confirmed by the origins. A purge takes about 200 bytes of Redis: 20 MB for all."
        ),
        .positive(
            "fleet.catch-up-timeout", \.fleet.catchUpTimeout, .atRestart(.fleet),
            "How long a start waits for the purges that were ordered while the node was away, before the public listener opens. If Redis is silent, the node serves after that time; as long as purges come, it goes on waiting."
        ),
        Setting(
            "fleet.lease-time", \.fleet.leaseTime, .atRestart(.fleet),
            "How long after a node has died another one takes over its work, and its fetches stop counting. A node that works renews its lease three times in this time; with less than a second, a pause of Redis would end it.",
            form: "a duration of 1s or more, as 10s or 1m"
        ) { $0 >= .seconds(1) },
        .positive(
            "fleet.lease-wait", \.fleet.leaseWait, .atRestart(.fleet),
            "With a shared store: how long a fetch or a rendering waits for another node that does the same work; after that this node does it as well. Most take less than 1 s."
        ),
        Setting(
            "fleet.client-limits", \.fleet.clientLimits, .atRestart(.fleet),
            "Apply limits.requests-per-client and limits.misses-per-client to all nodes together, and not to each of them. While Redis is away each node limits by itself."
        ),
        Setting(
            "fleet.origin-limits", \.fleet.originLimits, .atRestart(.fleet),
            "Apply origin.maximum-fetches-per-host and origin.maximum-rate-per-host to all nodes together, too. While Redis is away each node limits by itself."
        ),
        .positive(
            "fleet.limit-timeout", \.fleet.limitTimeout, .atRestart(.fleet),
            "How long Redis may take to answer about a limit of the fleet; after that the node's own limit decides. An answer takes 0.1 to 1 ms."
        ),
    ]
}
