// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Monitoring

/// The members of `GET /admin/live` that `pictor top` shows, so that it can also read the answer of another version's daemon.
package struct DaemonMoment: Sendable, Decodable {
    /// Milliseconds since 1970.
    var time: Int64
    var uptime: Int
    var version: String
    var isReady: Bool
    var remark: String?
    /// The values of the last second, with the names of `GET /admin/history`.
    var second: [String: Double]
    var decoders: [LiveReport.Decoder]
    var budgets: [String: LiveReport.Budget]
    var fetching: [LiveReport.Fetch]
    var targets: [LiveReport.Target]
    var origins: [OriginReport]
    var fetchedOrigins: [LiveReport.FetchedOrigin]
    var errors: [RecentErrors.Entry]
    /// Nil without a fleet.
    var fleet: FleetReport?

    /// The value of a series; 0 if it has none.
    subscript(_ series: String) -> Double { second[series] ?? 0 }

    static let outcomes = [
        ("memory", "memory_hits"), ("disk", "disk_hits"), ("shared", "shared_hits"),
        ("stale", "stale_answers"),
        ("revalidated", "revalidated"), ("rendered", "rendered"), ("coalesced", "coalesced"),
        ("negative", "negative"), ("bypassed", "bypassed"), ("refused", "refused"),
        ("synthetic", "synthetic_answers"),
    ]

    /// Requests answered in the last second.
    var rate: Double { Self.outcomes.reduce(0) { $0 + self[$1.1] } }

    /// The share of the answers with pictures that were held already, as in the metrics' `pictor:hits:ratio_rate5m`; nil if there were
    /// none.
    var hitRatio: Double? {
        let pictures = rate - self["synthetic_answers"] - self["refused"] - self["negative"]
        guard pictures > 0 else { return nil }
        let held = ["memory_hits", "disk_hits", "shared_hits", "stale_answers", "revalidated"]
        return held.reduce(0) { $0 + self[$1] } / pictures
    }

    /// The time of day in UTC.
    var clock: String {
        let seconds = Int(clamping: max(time, 0) / 1_000 % 86_400)
        return [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
            .joined(separator: ":")
    }
}
