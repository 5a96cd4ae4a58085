// SPDX-License-Identifier: Apache-2.0

package import Telemetry

/// The modules' numbers at one moment, as the history needs them: totals since the start, levels of now, and the counts
/// of durations.
package struct HistoryReading: Sendable {
    /// Totals, for each series that is summed.
    package var totals: [HistorySeries: Int]
    /// Numbers of now, for each series of which a minute keeps the highest.
    package var levels: [HistorySeries: Int]
    /// Durations of requests.
    package var times: BucketCounts
    /// Durations, for each stage.
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

/// Makes samples of readings: the difference to the reading before, of a second and of a minute.
struct HistorySampler {
    private var before: HistoryReading?
    private var minuteBefore: HistoryReading?
    private var minuteNumber: Int?
    private var highest: [HistorySeries: Int] = [:]

    /// The sample of the second that ends with this reading. The first has levels alone.
    mutating func second(_ reading: HistoryReading) -> HistorySample {
        defer { before = reading }
        highest.merge(reading.levels) { max($0, $1) }
        return sample(from: before, to: reading, levels: reading.levels)
    }

    /// The sample of the minute that ends with this second; nil within it. It is made of readings, because percentiles cannot be
    /// made of percentiles.
    mutating func minute(_ reading: HistoryReading, at second: Int) -> HistorySample? {
        guard let number = minuteNumber else {
            (minuteNumber, minuteBefore) = (second / 60, reading)
            return nil
        }
        guard second / 60 != number else { return nil }
        defer { (minuteNumber, minuteBefore, highest) = (second / 60, reading, [:]) }
        return sample(from: minuteBefore, to: reading, levels: highest)
    }

    private func sample(
        from start: HistoryReading?, to end: HistoryReading, levels: [HistorySeries: Int]
    ) -> HistorySample {
        var sample = HistorySample()
        for (series, level) in levels { sample[series] = Double(level) }
        guard let start else { return sample }
        for (series, total) in end.totals { sample[series] = Double(total - (start.totals[series] ?? 0)) }
        let times = end.times.since(start.times)
        sample[.latency50] = times.quantile(0.5)
        sample[.latency95] = times.quantile(0.95)
        sample[.latency99] = times.quantile(0.99)
        for (stage, counts) in zip(StageLabel.allCases, zip(end.stages, start.stages)) {
            sample[.percentile95(of: stage)] = counts.0.since(counts.1).quantile(0.95)
        }
        return sample
    }
}

extension HistorySeries {
    fileprivate static func percentile95(of stage: StageLabel) -> HistorySeries {
        switch stage {
        case .cache: .cache95
        case .origin: .origin95
        case .inspect: .inspect95
        case .queue: .queue95
        case .decode: .decode95
        case .encode: .encode95
        }
    }
}
