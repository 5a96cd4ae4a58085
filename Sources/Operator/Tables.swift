// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Monitoring
internal import RequestGrammar
internal import Telemetry

/// Markdown tables of other modules, for the documentation derived from them.
package enum Tables {
    /// The options of a picture.
    package static var options: String { OptionTable.markdown }

    /// The metrics on the page of /metrics.
    package static var metrics: String { MetricRow.markdown(metricRows) }

    /// The labels of the metrics, with their values.
    package static var labels: String { MetricRow.labelsMarkdown(metricRows) }

    static var metricRows: [MetricRow] {
        Metrics(build: BuildInfo(version: "", libvips: ""), codes: ErrorCode.all).rows(MetricTable.rows)
            + SampledMetrics.rows
    }

    /// The statuses and codes of refusals.
    package static var errors: String { ErrorReference.markdown }
}
