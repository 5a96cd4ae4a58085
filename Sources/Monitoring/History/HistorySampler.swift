// SPDX-License-Identifier: Apache-2.0

internal import Telemetry

/// Makes samples for seconds and minutes: the difference of a reading to the reading before.
struct HistorySampler {
    private var before: HistoryReading?
    private var minuteBefore: HistoryReading?
    private var minuteNumber: Int?
    private var highest: [HistorySeries: Int] = [:]

    /// The sample of the second that ends with this reading. The first sample has only levels.
    mutating func second(_ reading: HistoryReading) -> HistorySample {
        defer { before = reading }
        highest.merge(reading.levels) { max($0, $1) }
        return sample(from: before, to: reading, levels: reading.levels)
    }

    /// The sample of the minute that ends with this second; nil if none ends. It is computed from readings, because a percentile
    /// cannot be computed from percentiles of shorter times.
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
