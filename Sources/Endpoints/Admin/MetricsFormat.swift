// SPDX-License-Identifier: Apache-2.0

internal import HTTPSemantics
package import Telemetry

extension Exposition.Format {
    /// The format that a scraper prefers: OpenMetrics if `accept` names it and ranks it no lower than Prometheus' text format.
    /// - Parameter accept: the request's `Accept`, its lines joined.
    package init(accepted accept: String?) {
        let open = Accept.preference(
            for: "application/openmetrics-text", having: Self.openMetricsParameters, in: accept)
        let classic = Accept.preference(for: "text/plain", having: Self.classicParameters, in: accept)
        let isOpen = open.isExplicit && open.quality > 0 && open.quality >= classic.quality
        self = isOpen ? .openMetrics : .classic
    }

    private static let openMetricsParameters = [
        Accept.Parameter("version", "1.0.0"), Accept.Parameter("charset", "utf-8"), anyEscaping,
    ]
    private static let classicParameters = [
        Accept.Parameter("version", "0.0.4"), Accept.Parameter("charset", "utf-8"), anyEscaping,
    ]
    /// Prometheus 3 sends a wish how to escape unusual metric names; there are none, so any value is accepted.
    private static let anyEscaping = Accept.Parameter("escaping", nil)
}
