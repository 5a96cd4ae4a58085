// SPDX-License-Identifier: Apache-2.0

/// The values of all series over one second or one minute; NaN if there is no value, as for the latency when there were no
/// requests.
package struct HistorySample: Sendable {
    // Cannot trap: the count is a constant.
    private var values = [Float](repeating: .nan, count: HistorySeries.allCases.count)

    package init() {}

    package subscript(_ series: HistorySeries) -> Double? {
        get { values[series.rawValue].isNaN ? nil : Double(values[series.rawValue]) }
        set { values[series.rawValue] = newValue.map(Float.init) ?? .nan }
    }

    var floats: [Float] { values }
}
