// SPDX-License-Identifier: Apache-2.0

/// The metrics that are counted where things happen, each with its row. Those that are read of other rooms when
/// somebody asks are `Observed`.
package final class Metrics: Sendable {
    package let requests: Counter<RequestLabels>
    package let responseBytes: Counter<DialectLabel>
    package let stages: Histogram<StageLabel>
    package let originFetches: Counter<FetchResultLabel>
    package let originBytes: Counter<NoLabels>
    package let renders: Counter<FormatLabel>
    package let jpegRenders: Counter<LaneLabel>
    package let qualitySearches: Counter<NoLabels>
    package let qualityTries: Counter<NoLabels>
    package let limited: Counter<LimitLabel>

    private let instruments: [any Instrument]

    package init(build: BuildInfo) {
        var list = InstrumentList()
        requests = list.counter("requests", "requests", "Requests answered.")
        responseBytes = list.counter("response_bytes", "bytes", "Bytes of bodies sent to clients.")
        stages = list.histogram(
            "stage_seconds", "seconds", "Time that requests spent in each stage they went through.",
            bounds: Self.stageBounds)
        originFetches = list.counter("origin_fetches", "fetches", "Exchanges with origins.")
        originBytes = list.counter("origin_bytes", "bytes", "Bytes of bodies received from origins.")
        renders = list.counter("renders", "renditions", "Renditions made.")
        jpegRenders = list.counter(
            "jpeg_renders", "renditions", "Renditions made of JPEGs, by who decoded and resized them.")
        qualitySearches = list.counter(
            "quality_searches", "renditions", "Renditions whose quality was searched for.")
        qualityTries = list.counter(
            "quality_tries", "encodings", "Encodings tried in searches for a quality.")
        limited = list.counter(
            "requests_limited", "requests",
            "Requests, or what would have been made for them, that were one too many of their client.")
        list.add(build)
        instruments = list.all
    }

    /// Microseconds. From 100 µs, below which only a hit stays, to 30 s, after which every deadline has
    /// passed; three steps a decade tell a slow stage from a usual one.
    private static let stageBounds = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
        2_500_000, 5_000_000, 10_000_000, 30_000_000,
    ]
}

extension Metrics {
    /// The page for Prometheus.
    package func exposition<Source>(_ observed: [Observed<Source>], of source: Source) -> String {
        var page = Exposition()
        for instrument in instruments { instrument.expose(to: &page) }
        for metric in observed { metric.expose(source, to: &page) }
        return page.text
    }

    /// Every metric once, in the order of the page.
    package func rows<Source>(_ observed: [Observed<Source>]) -> [MetricRow] {
        instruments.map(\.row) + observed.map(\.row)
    }
}
