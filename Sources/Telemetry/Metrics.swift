// SPDX-License-Identifier: Apache-2.0

/// The metrics that are counted as events happen, each with its row. `ObservedMetric` is for metrics that are read from other
/// modules on demand.
package final class Metrics: Sendable {
    /// Added to by `RequestRecorder`, for each answer.
    package let requests: Counter<RequestLabels>
    /// In bytes; added to by `RequestRecorder`.
    package let responseBytes: Counter<DialectLabel>
    /// From the end of a request's head to the last byte of its answer; added to by `RequestRecorder`.
    package let times: Histogram<OutcomeLabel>
    /// The durations of stages; added to by `RequestRecorder`.
    package let stages: Histogram<StageLabel>
    /// Added to by the daemon's origin port, for each exchange.
    package let originFetches: Counter<FetchResultLabel>
    /// Added to by the daemon's decoder port, for each rendition.
    package let renders: Counter<FormatLabel>
    /// Added to by the daemon's decoder port, for each rendition of a JPEG.
    package let jpegRenders: Counter<LaneLabel>
    /// Added to by the daemon's decoder port, for each search for a quality.
    package let qualitySearches: Counter<NoLabels>
    /// Counts the encodings of such searches; added to by the daemon's decoder port.
    package let qualityTries: Counter<NoLabels>
    /// Added to by the limits on clients.
    package let limited: Counter<LimitLabel>
    /// Added to by `RequestRecorder`, for each refusal.
    package let refusals: RefusalCounter

    /// Answers with the settings' fallback picture; added to by `RequestRecorder`.
    package let fallbacks: Counter<NoLabels>
    /// Added to by the daemon, for each reload that it refuses.
    package let reloadFailures: Counter<NoLabels>

    /// The daemon replaces its value when the decoders run another version of libvips.
    package let build: BuildMetric

    private let instruments: [any Instrument]

    /// - Parameter codes: the codes of all refusals.
    package init(build: BuildInfo, codes: [String]) {
        var list = InstrumentList()
        requests = list.counter("requests", "requests", "Requests answered.")
        responseBytes = list.counter("response_bytes", "bytes", "Bytes of bodies sent to clients.")
        times = list.histogram(
            "request_seconds", "seconds",
            "Time from the end of a request's head to the last byte of its answer.", bounds: Self.bounds)
        stages = list.histogram(
            "stage_seconds", "seconds", "Time that requests spent in each stage they went through.",
            bounds: Self.bounds)
        originFetches = list.counter("origin_fetches", "fetches", "Exchanges with origins.")
        renders = list.counter("renders", "renditions", "Renditions made.")
        jpegRenders = list.counter(
            "jpeg_renders", "renditions", "Renditions made of JPEGs, by who decoded and resized them.")
        qualitySearches = list.counter(
            "quality_searches", "renditions", "Renditions whose quality was searched for.")
        qualityTries = list.counter(
            "quality_tries", "encodings", "Encodings tried in searches for a quality.")
        limited = list.counter(
            "requests_limited", "requests",
            "Requests beyond a limit of their client: on all requests, or on those that need a fetch or a rendering."
        )
        fallbacks = list.counter(
            "fallbacks", "requests", "Requests answered with fallback.picture in place of an error.")
        reloadFailures = list.counter(
            "settings_reload_failures", "reloads",
            "Reloads that changed nothing, because of a mistake in the settings.")
        refusals = list.add(RefusalCounter(codes: codes))
        self.build = list.add(BuildMetric(build))
        instruments = list.all
    }

    /// Bounds in microseconds, from 10 µs, below which the fastest hits lie, to 50 s, beyond all default deadlines. With three
    /// bounds in each decade, a quantile computed from the buckets is within 2.5 times the true one.
    private static let bounds = [
        10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000,
    ]
}

extension Metrics {
    /// The page of metrics; the numbers of `observed` are read from `source`.
    package func exposition<Source>(
        _ observed: [ObservedMetric<Source>], of source: Source, _ sampled: [SampledMetric] = [],
        as format: Exposition.Format = .classic
    ) -> String {
        var page = Exposition(format)
        for instrument in instruments { instrument.expose(to: &page) }
        for metric in observed { metric.expose(source, to: &page) }
        for metric in sampled { metric.expose(to: &page) }
        page.end()
        return page.text
    }

    /// The rows of all metrics, in the order of the page.
    package func rows<Source>(_ observed: [ObservedMetric<Source>]) -> [MetricRow] {
        instruments.map(\.row) + observed.map(\.row)
    }
}
