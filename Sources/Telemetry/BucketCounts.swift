// SPDX-License-Identifier: Apache-2.0

/// The counts of a histogram's buckets at one moment, or between two.
package struct BucketCounts: Sendable, Hashable {
    /// Upper bounds in microseconds, ascending.
    private let bounds: [Int]
    /// One more than bounds: the last bucket has none.
    private let counts: [Int]

    init(bounds: [Int], counts: [Int]) {
        self.bounds = bounds
        self.counts = counts
    }

    /// The counts of nothing.
    // Cannot trap: a count is not negative.
    init(bounds: [Int]) { self.init(bounds: bounds, counts: Array(repeating: 0, count: bounds.count + 1)) }

    /// Together with what another histogram with these bounds has recorded.
    func with(_ other: BucketCounts) -> BucketCounts {
        BucketCounts(bounds: bounds, counts: zip(counts, other.counts).map { $0 + $1 })
    }

    /// The counts since the earlier moment of the same histogram.
    package func since(_ earlier: BucketCounts) -> BucketCounts {
        BucketCounts(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 - $1 })
    }

    /// All records.
    package var total: Int { counts.reduce(0, +) }

    /// Microseconds within which this share of the records lies, evenly spread in its bucket as `histogram_quantile`
    /// of Prometheus has it: the highest bound where it lies above all bounds; nil without records.
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
