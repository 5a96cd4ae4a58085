// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Fleet
internal import Settings

/// The limits that all nodes of a fleet keep together. They have a connection of their own, so that no purge delays a
/// request.
struct FleetLimits: Sendable {
    private let link: RedisLink
    /// Nil if each node limits clients by itself.
    let clients: ClientBuckets?

    /// Nil without a fleet, and if each node keeps all limits by itself. Begins to connect.
    /// - Throws: if a setting is unusable, or a thread cannot be had; a Redis that is away is no reason.
    init?(_ settings: Settings, _ authorities: CertificateAuthorities?) throws {
        guard settings.fleet.clientLimits,
            let configuration = try settings.redisConfiguration(authorities)
        else { return nil }
        // A Redis that is away is away for purges as well, which tell of it.
        link = try RedisLink(configuration, name: "fleet-limits") { _ in }
        let buckets = RedisBuckets(
            link: link, prefix: settings.fleet.prefix, patience: settings.fleet.limitTimeout)
        clients = ClientBuckets(buckets, key: configuration.password)
        try link.start()
    }

    /// Ends the connection. Blocks.
    func close() { link.close() }
}
