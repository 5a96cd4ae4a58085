// SPDX-License-Identifier: Apache-2.0

internal import Telemetry

/// The metrics that are read of the rooms. A metric is one row: its name, kind, unit and help, its label where it has
/// one, and how its numbers are read.
enum MetricTable {
    typealias Row = Observed<RoomReadings>

    /// In the order of the page.
    static let rows: [Row] = server + origins + decoders + inspectors + jail + memory + disk + log
}
