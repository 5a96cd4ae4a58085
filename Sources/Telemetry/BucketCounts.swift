// SPDX-License-Identifier: Apache-2.0

/// The counts of a histogram's buckets at one moment, or between two.
package struct BucketCounts: Sendable, Hashable {
    /// Upper bounds in microseconds, ascending.
    private let bounds: [Int]
    /// One more than `bounds`, because the last bucket has no upper bound.
    private let counts: [Int]

    init(bounds: [Int], counts: [Int]) {
        self.bounds = bounds
        self.counts = counts
    }

    /// All counts are 0.
    /// Cannot trap: a count is not negative.
    init(bounds: [Int]) { self.init(bounds: bounds, counts: Array(repeating: 0, count: bounds.count + 1)) }

    /// The sum of both counts; `other` must have the same bounds.
    func with(_ other: BucketCounts) -> BucketCounts {
        BucketCounts(bounds: bounds, counts: zip(counts, other.counts).map { $0 + $1 })
    }

    /// The counts since an earlier moment of the same histogram.
    package func since(_ earlier: BucketCounts) -> BucketCounts {
        BucketCounts(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
    }

    /// The number of all records.
    package var total: Int { counts.reduce(0, +) }

    /// The duration in microseconds that this share of the records does not exceed. Like Prometheus's `histogram_quantile` it
    /// assumes that records are evenly spread within a bucket, and returns the highest bound if the quantile lies above it. Nil
    /// without records.
    package func quantile(_ share: Double) -> Double? {
        let total = total
        guard total > 0 else { return nil }
        let rank = share * Double(total)
        var below = 0
        for (bucket, count) in counts.enumerated() where count > 0 {
            guard Double(below + count) >= rank else {
                below += count
                continue
            }
            guard bucket < bounds.count else { break }
            let lower = bucket == 0 ? 0 : Double(bounds[bucket - 1])
            let part = (rank - Double(below)) / Double(count)
            return lower + (Double(bounds[bucket]) - lower) * part
        }
        return bounds.last.map(Double.init)
    }
}
