// SPDX-License-Identifier: Apache-2.0

package import Telemetry

/// The metrics that are read of the modules. A metric is one row: its name, kind, unit and help, its label where it has
/// one, and how its numbers are read.
package enum MetricTable {
    package typealias Row = Observed<Readings>

    /// In the order of the page.
    package static let rows: [Row] = server + origins + decoders + inspectors + jail + memory + disk + log
}
