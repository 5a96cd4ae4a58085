// SPDX-License-Identifier: Apache-2.0

internal import Pipeline
internal import Telemetry

extension MetricTable {
    /// Rows of the fleet's leases; all 0 without a shared store or without a fleet.
    package static let leases: [Row] = [
        .counter(
            "fleet_leases", "jobs",
            "Fetches and renderings that the shared store did not spare. led: by this node; followed: another node's result was used; expired: another node took too long, so this one did it as well; unshared: another node's result was not for others; unavailable: Redis was away.",
            by: "result",
            [
                "led": \.leases.led, "followed": \.leases.followed, "expired": \.leases.expired,
                "unshared": \.leases.unshared, "unavailable": \.leases.unavailable,
            ]),
        .time(
            "fleet_lease_wait_seconds",
            "Time that fetches and renderings have waited for Redis and for other nodes.",
            microseconds: \.leases.waited),
    ]
}
