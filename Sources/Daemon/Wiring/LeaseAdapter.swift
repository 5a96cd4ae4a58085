// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Foundation
internal import Glibc
internal import Pipeline
internal import Settings

/// The pipeline's leases over Redis. They have a connection of their own, so that no purge delays a miss.
struct LeaseAdapter: LeasePort {
    private let link: RedisLink
    private let leases: RedisLeases

    /// Nil without a fleet. Begins to connect.
    /// - Throws: if a setting is unusable, or a thread cannot be started; not if Redis cannot be reached.
    init?(_ settings: Settings, _ authorities: CertificateAuthorities?) throws {
        guard let configuration = try settings.redisConfiguration(authorities) else { return nil }
        // No events are reported, because the connection for purges reports that Redis is away.
        link = try RedisLink(configuration, name: "fleet-leases") { _ in }
        leases = RedisLeases(
            link: link, prefix: settings.fleet.prefix, node: Self.node, time: settings.fleet.leaseTime,
            // A quarter of the usual patience: a client waits meanwhile, and without an answer the work is merely done without a
            // lease.
            patience: settings.fleet.commandTimeout / 4)
        try link.start()
        leases.start()
    }

    /// The host's name and a random number for this process.
    private static var node: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        let host = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }.filter { $0 > 0x20 && $0 < 0x7F }
        return String(decoding: host, as: UTF8.self) + "-"
            + String(UInt32.random(in: .min ... .max), radix: 16)
    }

    /// Gives all leases back and ends the connection. Blocks.
    func close() {
        blocking { [leases] in await leases.close() }
        link.close()
    }

    func take(_ name: LeaseName, over marker: LeaseMarker?) async -> LeaseVerdict {
        switch await leases.take(name.text, over: marker?.text) {
        case .taken(let token): .led(Lease(name: name, token: token))
        case .own: .own
        case .held: .held
        case .done(let marker): .done(LeaseMarker(text: marker))
        case .nothingToShare: .unshared
        case .unavailable: .unavailable
        }
    }

    func release(_ lease: Lease, _ end: LeaseEnd) {
        let marker: RedisLeases.Marker =
            switch end {
            case .done: .done
            case .unshared: .nothingToShare
            case .abandoned: .none
            }
        leases.release(lease.name.text, token: lease.token, leaving: marker)
    }

    func holder(of name: LeaseName) async -> String? { await leases.holder(of: name.text) }
}
