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
    /// Nil if each node limits fetches by itself.
    let origins: OriginLimitAdapter?

    /// Nil without a fleet, and if each node keeps all limits by itself. Begins to connect.
    /// - Throws: if a setting is unusable, or a thread cannot be had; a Redis that is away is no reason.
    init?(_ settings: Settings, _ authorities: CertificateAuthorities?) throws {
        let fleet = settings.fleet
        guard fleet.clientLimits || fleet.originLimits,
            let configuration = try settings.redisConfiguration(authorities)
        else { return nil }
        // A Redis that is away is away for purges as well, which tell of it.
        let link = try RedisLink(configuration, name: "fleet-limits") { _ in }
        func buckets() -> RedisBuckets {
            RedisBuckets(link: link, prefix: fleet.prefix, patience: fleet.limitTimeout)
        }
        self.link = link
        clients = fleet.clientLimits ? ClientBuckets(buckets(), key: configuration.password) : nil
        origins =
            fleet.originLimits
            ? OriginLimitAdapter(
                slots: RedisSlots(
                    link: link, prefix: fleet.prefix, time: fleet.leaseTime, patience: fleet.limitTimeout),
                buckets: buckets()) : nil
        try link.start()
        origins?.slots.start()
    }

    /// Gives all slots back and ends the connection. Blocks.
    func close() {
        if let slots = origins?.slots { blocking { await slots.close() } }
        link.close()
    }
}
