// SPDX-License-Identifier: Apache-2.0

/// A Prometheus histogram of durations: stored in microseconds, written in seconds.
///
/// **Isolation:** any thread, like `Counter`. The count is computed as the sum of the buckets, so the two never disagree.
package final class Histogram<Labels: LabelSet>: Sendable {
    /// Name, kind, unit and help.
    package let row: MetricRow
    /// Upper bounds in microseconds, ascending; the last bucket, `+Inf`, has no bound here.
    private let bounds: [Int]
    /// For each combination of labels: the buckets, the bucket without a bound, and the sum in microseconds.
    private let cells: Cells
    /// Numbered like the buckets in `cells`.
    private let exemplars: Exemplars

    init(_ row: MetricRow, bounds: [Int]) {
        self.row = row
        self.bounds = bounds
        cells = Cells(Labels.count * (bounds.count + 2))
        exemplars = Exemplars(Labels.count * (bounds.count + 2))
    }

    /// Records a duration; a negative one counts as 0.
    package func record(_ labels: Labels, microseconds: Int) {
        let duration = max(microseconds, 0)
        let start = labels.index * (bounds.count + 2)
        cells.add(1, at: start + bucket(of: duration))
        cells.add(duration, at: start + bounds.count + 1)
    }

    /// Sets the exemplar of the bucket that holds this duration.
    package func show(_ exemplar: Exemplar, _ labels: Labels, microseconds: Int) {
        let duration = max(microseconds, 0)
        let place = labels.index * (bounds.count + 2) + bucket(of: duration)
        exemplars.put(Exemplars.Entry(exemplar: exemplar, amount: duration), at: place)
    }

    /// The counts of one combination of labels.
    package func counts(_ labels: Labels) -> BucketCounts { counts(at: labels.index) }

    /// The counts of all combinations together.
    package var counts: BucketCounts {
        (0..<Labels.count).reduce(BucketCounts(bounds: bounds)) { $0.with(counts(at: $1)) }
    }

    private func counts(at index: Int) -> BucketCounts {
        let start = index * (bounds.count + 2)
        return BucketCounts(bounds: bounds, counts: (0...bounds.count).map { cells.value(at: start + $0) })
    }

    private func bucket(of duration: Int) -> Int {
        var (low, high) = (0, bounds.count)
        while low < high {
            let middle = (low + high) / 2
            if duration <= bounds[middle] { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension Histogram: Instrument {
    func expose(to page: inout Exposition) {
        page.begin(row)
        let shown = exemplars.all
        for index in 0..<Labels.count {
            let start = index * (bounds.count + 2)
            let labels = Labels.pairs(at: index)
            var total = 0
            for (bucket, bound) in (bounds.map(page.bound) + ["+Inf"]).enumerated() {
                total += cells.value(at: start + bucket)
                page.sample(row.name + "_bucket", labels + [("le", bound)], "\(total)")
                if let entry = shown[at: start + bucket] {
                    page.add(entry.exemplar, Exposition.seconds(entry.amount))
                }
            }
            let sum = cells.value(at: start + bounds.count + 1)
            page.sample(row.name + "_sum", labels, Exposition.seconds(sum))
            page.sample(row.name + "_count", labels, "\(total)")
        }
    }
}
