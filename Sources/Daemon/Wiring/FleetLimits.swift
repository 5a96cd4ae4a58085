// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Fleet
internal import Settings

/// The limits that hold for all nodes of a fleet together. They have a connection of their own, so that no purge delays a
/// request.
struct FleetLimits: Sendable {
    private let link: RedisLink
    /// Nil if each node limits clients on its own.
    let clients: ClientBuckets?
    /// Nil if each node limits fetches on its own.
    let origins: OriginLimitAdapter?

    /// Nil without a fleet, or if each node applies all limits on its own. Begins to connect.
    /// - Throws: if a setting is unusable, or a thread cannot be started; not if Redis cannot be reached.
    init?(_ settings: Settings, _ authorities: CertificateAuthorities?) throws {
        let fleet = settings.fleet
        guard fleet.clientLimits || fleet.originLimits,
            let configuration = try settings.redisConfiguration(authorities)
        else { return nil }
        // No events are reported, because the connection for purges reports that Redis is away.
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
