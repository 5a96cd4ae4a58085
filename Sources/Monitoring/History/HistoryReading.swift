// SPDX-License-Identifier: Apache-2.0

package import Telemetry

/// The modules' numbers at one moment, as the history needs them: totals since the start, present levels, and the counts of
/// durations.
package struct HistoryReading: Sendable {
    /// For each series of increases: the total since the start.
    package var totals: [HistorySeries: Int]
    /// For each series of levels: the present number. A minute's sample has the highest level.
    package var levels: [HistorySeries: Int]
    /// The durations of requests.
    package var times: BucketCounts
    /// The durations of each stage.
    package var stages: [BucketCounts]

    /// - Parameter stages: in the order of `StageLabel.allCases`.
    package init(
        totals: [HistorySeries: Int], levels: [HistorySeries: Int], times: BucketCounts,
        stages: [BucketCounts]
    ) {
        self.totals = totals
        self.levels = levels
        self.times = times
        self.stages = stages
    }
}
