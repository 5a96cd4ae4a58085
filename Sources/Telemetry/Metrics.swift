// SPDX-License-Identifier: Apache-2.0

/// The table of metrics: each is declared here or in `Observed` and nowhere else; the instruments, the
/// Prometheus page and the documentation's table follow from it.
package final class Metrics: Sendable {
    package let requests = Counter<RequestLabels>(
        MetricRow("pictor_requests_total", .counter, "requests", "Requests answered."))
    package let responseBytes = Counter<DoorLabel>(
        MetricRow("pictor_response_bytes_total", .counter, "bytes", "Bytes of bodies sent to clients."))
    package let stages = Histogram<StageLabel>(
        MetricRow(
            "pictor_stage_seconds", .histogram, "seconds",
            "Time that requests spent in each stage they went through."),
        bounds: stageBounds)
    package let originFetches = Counter<FetchResultLabel>(
        MetricRow("pictor_origin_fetches_total", .counter, "fetches", "Exchanges with origins."))
    package let originBytes = Counter<NoLabels>(
        MetricRow("pictor_origin_bytes_total", .counter, "bytes", "Bytes of bodies received from origins."))
    package let renders = Counter<FormatLabel>(
        MetricRow("pictor_renders_total", .counter, "renditions", "Renditions made."))

    package let qualitySearches = Counter<NoLabels>(
        MetricRow(
            "pictor_quality_searches_total", .counter, "renditions",
            "Renditions whose quality was searched for."))
    package let qualityTries = Counter<NoLabels>(
        MetricRow(
            "pictor_quality_tries_total", .counter, "encodings", "Encodings tried in searches for a quality.")
    )

    package let limited = Counter<LimitLabel>(
        MetricRow(
            "pictor_requests_limited_total", .counter, "requests",
            "Requests, or what would have been made for them, that were one too many of their client."))

    private let build: BuildInfo

    package init(build: BuildInfo) { self.build = build }

    /// Microseconds. From 100 µs, below which only a hit stays, to 30 s, after which every deadline has
    /// passed; three steps a decade tell a slow stage from a usual one.
    private static let stageBounds = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000, 30_000_000,
    ]

    private var instruments: [any Instrument] {
        [
            requests, responseBytes, stages, originFetches, originBytes, renders, qualitySearches,
            qualityTries,
            limited,
        ]
    }
}

extension Metrics {
    /// The page for Prometheus. `observe` is asked once for each number that another room keeps.
    package func exposition(_ observe: (Observed) -> Int) -> String {
        var page = Exposition()
        for instrument in instruments { instrument.expose(to: &page) }
        var previous: String?
        for number in Observed.allCases {
            let row = number.row
            if row.name != previous { page.begin(row) }
            previous = row.name
            page.sample(row.name, number.labels, "\(observe(number))")
        }
        page.begin(BuildInfo.row)
        page.sample(BuildInfo.row.name, build.labels, "1")
        return page.text
    }

    /// Every metric once, in the order of the page.
    package var rows: [MetricRow] {
        var rows = instruments.map(\.row)
        for row in Observed.allCases.map(\.row) where row != rows.last { rows.append(row) }
        return rows + [BuildInfo.row]
    }

    /// The table of docs/reference/metrics.md.
    package var markdown: String {
        let head = "| metric | kind | unit | labels | meaning |\n|---|---|---|---|---|\n"
        return rows.reduce(into: head) { text, row in
            let labels = row.labels.isEmpty ? "–" : row.labels.map { "`\($0)`" }.joined(separator: " ")
            text += "| `\(row.name)` | \(row.kind.rawValue) | \(row.unit) | \(labels) | \(row.help) |\n"
        }
    }
}

/// What runs.
package struct BuildInfo: Sendable, Hashable {
    package var version: String
    /// Of the libvips that the decoder is linked with.
    package var libvips: String

    package init(version: String, libvips: String) {
        self.version = version
        self.libvips = libvips
    }

    static let row = MetricRow(
        "pictor_build_info", .gauge, "–", "Always 1; the labels tell what runs.",
        labels: ["version", "libvips"])

    var labels: [(String, String)] { [("version", version), ("libvips", libvips)] }
}
