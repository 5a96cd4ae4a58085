// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The daemon's numbers over time: the last hour by seconds and the last day by minutes, in a fixed amount of memory.
///
/// **Isolation:** a `Mutex`; one task adds a sample each second, and readers copy the values.
package final class History: Sendable {
    /// A range of time and its resolution.
    package enum Range: String, CaseIterable, Sendable {
        case minutes = "5min"
        case hour = "hour"
        case day = "day"

        /// Seconds between two samples.
        package var step: Int { self == .day ? 60 : 1 }
        /// The most samples.
        package var count: Int {
            switch self {
            case .minutes: 300
            case .hour: 3_600
            case .day: 1_440
            }
        }
    }

    private struct State {
        var seconds = SampleRing(capacity: Range.hour.count)
        var minutes = SampleRing(capacity: Range.day.count)
        var minute = HistorySampler()
        var last = HistorySample()
    }

    private let state = Mutex(State())

    package init() {}

    /// Bytes that all samples occupy.
    package var bytes: Int { state.withLock { $0.seconds.bytes + $0.minutes.bytes } }

    /// The sample of the last second.
    package var last: HistorySample { state.withLock { $0.last } }

    /// Adds the reading of this second.
    /// - Parameter second: the second, by a clock that never goes back.
    package func add(_ reading: HistoryReading, at second: Int) {
        state.withLock { state in
            let sample = state.minute.second(reading)
            state.last = sample
            state.seconds.append(sample, at: second)
            if let minute = state.minute.minute(reading, at: second) {
                state.minutes.append(minute, at: second / 60)
            }
        }
    }

    /// The values of a series in a range, the newest last.
    package func values(of series: HistorySeries, in range: Range) -> [Float?] {
        state.withLock { state in
            let ring = range == .day ? state.minutes : state.seconds
            return ring.values(of: series, last: range.count)
        }
    }
}
