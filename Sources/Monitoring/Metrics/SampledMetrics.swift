// SPDX-License-Identifier: Apache-2.0

internal import Platform
internal import SourceURLs
package import Telemetry

/// The metrics whose number of samples varies: those of the process, and those of single origins.
package enum SampledMetrics {
    /// All rows, in the order of the page.
    package static var rows: [MetricRow] { process(nil).map(\.row) + origins([]).map(\.row) }

    /// The present samples; none of origins if `topOrigins` is nil.
    static func now(_ topOrigins: TopOrigins?) -> [SampledMetric] {
        process(ProcessUsage.now) + origins(topOrigins?.busiest(shownOrigins, fetches: leastFetches) ?? [])
    }

    /// An origin with fewer fetches in the last minutes is not named, because clients could otherwise make any number of series.
    private static let leastFetches = 5.0

    /// The most values of the label `origin` on one page, which limits the series in Prometheus.
    static let shownOrigins = 20

    /// The metrics of the process, named as in Prometheus's own client libraries.
    private static func process(_ usage: ProcessUsage?) -> [SampledMetric] {
        func metric(
            _ kind: MetricRow.Kind, _ name: String, _ unit: String, _ help: String,
            _ sample: (ProcessUsage) -> SampledMetric.Sample
        ) -> SampledMetric {
            SampledMetric(
                MetricRow(ofProcess: kind, name, unit, help), usage.map { [sample($0)] } ?? [])
        }
        return [
            metric(
                .counter, "cpu_seconds", "seconds",
                "Processor time of the daemon, without its decoders and inspectors."
            ) { .init($0.processorSeconds) },
            metric(.gauge, "resident_memory_bytes", "bytes", "Memory of the daemon, without its decoders.") {
                .init($0.residentBytes)
            },
            metric(.gauge, "virtual_memory_bytes", "bytes", "Address space of the daemon.") {
                .init($0.virtualBytes)
            },
            metric(.gauge, "open_fds", "descriptors", "Descriptors that are open.") {
                .init($0.openDescriptors)
            },
            metric(.gauge, "max_fds", "descriptors", "Descriptors that may be open.") {
                .init($0.descriptorLimit)
            },
            metric(.gauge, "start_time_seconds", "seconds", "When the daemon started, in seconds since 1970.")
            {
                .init($0.startTime)
            },
        ]
    }

    private static func origins(_ entries: [TopOrigins.Entry]) -> [SampledMetric] {
        func metric(
            _ name: String, _ unit: String, _ help: String, _ value: (TopOrigins.Entry) -> Double
        ) -> SampledMetric {
            SampledMetric(
                MetricRow(.gauge, name, unit, help, labels: ["origin"], series: shownOrigins),
                entries.map { .init((value($0) * 10_000).rounded() / 10_000, of: "\($0.origin)") })
        }
        return [
            metric(
                "origin_failure_ratio", "ratio",
                "The share of the last minutes' fetches that brought no picture by the origin's fault; for the \(shownOrigins) origins that are asked most."
            ) { $0.failures / max($0.fetches, .leastNonzeroMagnitude) },
            metric(
                "origin_fetch_seconds", "seconds",
                "The mean time of the last minutes' fetches; for the \(shownOrigins) origins that are asked most."
            ) { $0.milliseconds / 1000 },
        ]
    }
}
