// SPDX-License-Identifier: Apache-2.0

internal import Answers
internal import Monitoring
internal import RequestGrammar
internal import Telemetry

/// The other modules' tables, for the documentation that is derived from them.
package enum Tables {
    /// What can be asked of a picture.
    package static var options: String { OptionTable.markdown }

    /// What /metrics tells.
    package static var metrics: String { MetricRow.markdown(metricRows) }

    static var metricRows: [MetricRow] {
        Metrics(build: BuildInfo(version: "", libvips: "")).rows(MetricTable.rows)
    }

    /// How refusals are told.
    package static var errors: String { ErrorReference.markdown }
}
