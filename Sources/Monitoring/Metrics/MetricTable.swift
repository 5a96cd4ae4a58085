// SPDX-License-Identifier: Apache-2.0

package import Telemetry

/// The metrics that are read from the modules. One row declares a metric: its name, kind, unit, help and label, and the place
/// where its number is read.
package enum MetricTable {
    /// A metric that is read from `Readings`.
    package typealias Row = ObservedMetric<Readings>

    /// All rows, in the order of the page.
    package static let rows: [Row] =
        server + origins + decoders + inspectors + jail + memory + disk + held + shared + fleet + leases
        + limits
        + log
}
