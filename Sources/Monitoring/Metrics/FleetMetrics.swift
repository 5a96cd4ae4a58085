// SPDX-License-Identifier: Apache-2.0

internal import Fleet
internal import Pipeline
internal import Telemetry

extension MetricTable {
    /// Rows of the fleet; all 0 without one.
    package static let fleet: [Row] = [
        .gauge(
            "fleet_connected", "–",
            "1 while the fleet's Redis answers; 0 while it does not, and without one.",
            \.fleet.connected),
        .counter(
            "fleet_connects", "connections",
            "Connections to the fleet's Redis that this node has made for its purges, two at first; each further one follows a loss, or a move in a Cluster.",
            \.fleet.connects),
        .gauge(
            "peers", "nodes",
            "Other nodes of the fleet that have told Redis of themselves in the last 15 seconds; 0 while Redis does not answer, and without one.",
            \.fleet.peers),
        .counter(
            "fleet_purges", "purges",
            "Purges of the fleet: sent by this node; received from others and carried out; received once more and passed over.",
            by: "direction",
            ["sent": \.fleet.sent, "received": \.fleet.received, "repeated": \.fleet.repeated]),
        .gauge("fleet_outbox", "purges", "Purges of this node that wait for Redis.", \.fleet.outbox),
        .counter(
            "fleet_gaps", "times",
            "Times that this node did not know what it had missed, and had all it holds confirmed.",
            \.fleet.gaps),
        .gauge(
            "fleet_lag_seconds", "seconds",
            "Time since this node last knew that it has every purge; 1 or less while Redis answers.",
            \.fleet.lag),
        .counter(
            "fleet_client_limits", "questions",
            "Questions to Redis about limits of clients: granted, or told of what was granted; refused; without an answer, so this node's own limit decided.",
            by: "result",
            [
                "granted": \.fleetClients.granted, "refused": \.fleetClients.refused,
                "unavailable": \.fleetClients.unavailable,
            ]),
        .counter(
            "fleet_origin_limits", "fetches",
            "Fetches that asked the fleet whether they may begin: granted, also after a wait; refused; without an answer, so this node's own limits decided.",
            by: "result",
            [
                "granted": \.fleetOrigins.granted, "refused": \.fleetOrigins.refused,
                "unavailable": \.fleetOrigins.unavailable,
            ]),
        .time(
            "fleet_origin_wait_seconds", "Time that fetches have waited for other nodes' fetches.",
            microseconds: \.fleetOrigins.waited),
    ]
}
