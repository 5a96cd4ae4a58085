// SPDX-License-Identifier: Apache-2.0

package import Monitoring

/// The answer of `GET /admin/history`.
struct HistoryReport: Sendable, Encodable {
    /// One series; the newest value is the last.
    struct Series: Sendable, Encodable {
        var unit: String
        /// Null for a second without a value: a percentile of no requests, or a second that was missed.
        var values: [Float?]
    }

    /// `5min`, `hour` or `day`.
    var range: String
    /// Seconds between two values.
    var step: Int
    /// The time of the newest values, in seconds since 1970.
    var end: Int
    /// The series by name. All have the same number of values, fewer than the range covers if the daemon is younger.
    var series: [String: Series]

    /// - Parameters:
    ///   - names: the names of the series; nil for all.
    ///   - end: the time of the newest values, in seconds since 1970.
    init(_ history: History, _ range: History.Range, names: Set<HistorySeries>?, end: Int) {
        self.range = range.rawValue
        step = range.step
        self.end = end
        series = [:]
        for one in HistorySeries.allCases where names?.contains(one) ?? true {
            series[one.name] = Series(unit: one.unit, values: history.values(of: one, in: range))
        }
    }
}

extension HistorySeries {
    /// The name in reports, such as `memory_hits` and `latency_50`.
    package var name: String {
        var name = ""
        for character in "\(self)" {
            if character.isUppercase || character.isNumber, name.last?.isNumber == false { name += "_" }
            name += character.lowercased()
        }
        return name
    }
}
