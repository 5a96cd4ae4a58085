// SPDX-License-Identifier: Apache-2.0
//
// Counts any number of latencies in fixed memory, as HdrHistogram does: below 256 µs each microsecond has a counter, above that
// each power of two has 128 counters.
//
//     0 … 255 µs  each      256 … 511  by 2      512 … 1,023  by 4      …      up to an hour
//
// So a percentile is at most 1/128 above the true one, at every size.

/// A histogram of durations in microseconds.
package struct LatencyCounts: Sendable {
    private static let longest = 1 << 32
    /// Enough counters for `longest`: there are 25 powers of two above 255.
    private static let counters = 256 + 26 * 128

    // Cannot trap: the count is a constant.
    private var counts = [Int](repeating: 0, count: Self.counters)
    /// How many durations were recorded.
    package private(set) var count = 0
    /// The longest duration, exactly.
    package private(set) var maximum = 0
    private var sum = 0.0

    package init() {}

    /// Records a duration. A negative one counts as 0, and one of more than `longest` (over an hour) counts as that.
    package mutating func record(microseconds: Int) {
        let value = min(max(microseconds, 0), Self.longest)
        counts[Self.place(of: value)] += 1
        count += 1
        sum += Double(value)
        maximum = max(maximum, value)
    }

    /// The mean in microseconds; nil if nothing was recorded.
    package var mean: Double? { count > 0 ? sum / Double(count) : nil }

    /// The least duration that at least this share of all durations do not exceed (nearest rank); nil if nothing was recorded.
    /// - Parameter share: from 0 to 1.
    package func percentile(_ share: Double) -> Int? {
        guard count > 0, share.isFinite else { return nil }
        let rank = max((min(max(share, 0), 1) * Double(count)).rounded(.up), 1)
        var seen = 0
        for (place, number) in counts.enumerated() where number > 0 {
            seen += number
            if Double(seen) >= rank { return min(Self.highest(at: place), maximum) }
        }
        return maximum
    }

    private static func place(of value: Int) -> Int {
        guard value >= 256 else { return value }
        let shift = Int.bitWidth - value.leadingZeroBitCount - 8
        return 256 + (shift - 1) * 128 + (value >> shift) - 128
    }

    /// The longest duration that this counter counts.
    private static func highest(at place: Int) -> Int {
        guard place >= 256 else { return place }
        let shift = (place - 256) / 128 + 1
        return (((place - 256) % 128 + 129) << shift) - 1
    }
}
