// SPDX-License-Identifier: Apache-2.0

/// The histograms of `pictor_stage_seconds`, and that of `pictor_request_seconds` over all outcomes, read from the page of
/// metrics.
package struct StageHistograms: Sendable, Hashable {
    /// Upper bounds in seconds, ascending, each with the cumulative count up to it.
    private var buckets: [String: [Bucket]] = [:]

    private struct Bucket: Sendable, Hashable {
        var bound: Double
        var count: Double
    }

    /// The stages in the order in which a request passes them; the last stands for the whole request.
    package static let names = ["cache", "origin", "inspect", "queue", "decode", "encode", "total"]

    /// - Parameter page: the page of `GET /metrics`; lines of other kinds are skipped.
    package init(page: String) {
        for line in page.split(separator: "\n") {
            let isWhole = line.hasPrefix("pictor_request_seconds_bucket{")
            guard isWhole || line.hasPrefix("pictor_stage_seconds_bucket{"),
                let brace = line.firstIndex(of: "}")
            else { continue }
            let labels = line[..<brace]
            // An exemplar may follow the count.
            let number = line[line.index(after: brace)...].split(separator: " ").first
            guard let stage = isWhole ? "total" : Self.value("stage", in: labels),
                let bound = Self.value("le", in: labels),
                let limit = bound == "+Inf" ? .infinity : Double(bound),
                let count = number.flatMap({ Double($0) })
            else { continue }
            add(Bucket(bound: limit, count: count), to: stage)
        }
    }

    private mutating func add(_ bucket: Bucket, to stage: String) {
        var list = buckets[stage] ?? []
        if let index = list.firstIndex(where: { $0.bound == bucket.bound }) {
            list[index].count += bucket.count
        } else {
            list.append(bucket)
        }
        buckets[stage] = list
    }

    private static func value(_ label: String, in labels: Substring) -> String? {
        guard let start = labels.firstRange(of: "\(label)=\"") else { return nil }
        return String(labels[start.upperBound...].prefix { $0 != "\"" })
    }

    /// The counts since an earlier page; all counts if the daemon was restarted in between.
    package func since(_ earlier: StageHistograms) -> StageHistograms {
        var result = self
        for (stage, list) in buckets {
            let old = earlier.buckets[stage] ?? []
            let differences = zip(list, old).map { Bucket(bound: $0.bound, count: $0.count - $1.count) }
            guard old.map(\.bound) == list.map(\.bound), differences.allSatisfy({ $0.count >= 0 }) else {
                return self
            }
            result.buckets[stage] = differences
        }
        return result
    }

    /// How many requests went through the stage.
    package func count(_ stage: String) -> Double { buckets[stage]?.last?.count ?? 0 }

    /// The percentile in microseconds, interpolated within the bucket as Prometheus's `histogram_quantile` does; nil if the count
    /// is 0.
    package func percentile(_ share: Double, _ stage: String) -> Double? {
        guard let list = buckets[stage], let all = list.last?.count, all > 0 else { return nil }
        let rank = share * all
        var (below, seen) = (0.0, 0.0)
        for bucket in list {
            if bucket.count >= rank {
                guard bucket.bound.isFinite else { return below * 1e6 }
                let inside = bucket.count - seen
                let part = inside > 0 ? (rank - seen) / inside : 1
                return (below + (bucket.bound - below) * part) * 1e6
            }
            (below, seen) = (bucket.bound, bucket.count)
        }
        return below * 1e6
    }
}
