// SPDX-License-Identifier: Apache-2.0

import Foundation
import RandomInputs
import Telemetry
import Testing

struct QuantileTests {
    private let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])

    private func record(_ durations: Int...) {
        durations.forEach { metrics.times.record(.rendered, microseconds: $0) }
    }

    @Test func `nothing recorded has no percentiles`() {
        #expect(metrics.times.counts(.rendered).quantile(0.5) == nil)
    }

    @Test func `a percentile lies in the bucket of its record, in proportion`() {
        record(150, 150, 150, 150)
        let counts = metrics.times.counts(.rendered)
        #expect(counts.quantile(0.5) == 175, "the middle of 100 to 250")
        #expect(counts.quantile(1) == 250)
        record(9_000)
        #expect(metrics.times.counts(.rendered).quantile(0.99).map { (5_000...10_000).contains($0) } == true)
    }

    @Test func `what lies above all bounds has the highest of them`() {
        record(70_000_000)
        #expect(metrics.times.counts(.rendered).quantile(0.5) == 50_000_000)
    }

    @Test func `between two moments only what was recorded since counts`() {
        record(50, 50, 50)
        let before = metrics.times.counts(.rendered)
        record(2_000)
        let since = metrics.times.counts(.rendered).since(before)
        #expect(since.total == 1)
        #expect(since.quantile(0.5).map { (1_000...2_500).contains($0) } == true)
        #expect(metrics.times.counts(.stale).total == 0)
    }

    @Test func `all combinations of labels are counted together`() {
        record(150, 150, 150)
        metrics.times.record(.stale, microseconds: 150)
        metrics.times.record(.refused, microseconds: 9_000)
        let counts = metrics.times.counts
        #expect(counts.total == 5 && counts.quantile(0.8) == 250)
    }

    /// The bounds of a bucket are at most a factor of 2.5 apart, and the true quantile lies in the same bucket as the computed
    /// one.
    @Test func `a quantile is within 2.5 times the true one, from 10 µs to 50 s`() throws {
        var random = SeededRandom(for: "quantiles")
        for _ in 0..<200 {
            let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])
            let middle = Double.random(in: log(10)...log(50_000_000), using: &random)
            let durations = (0..<100).map { _ in
                min(max(Int(exp(middle + .random(in: -1...1, using: &random))), 11), 50_000_000)
            }.sorted()
            for duration in durations { metrics.times.record(.rendered, microseconds: duration) }
            for rank in [50, 95, 99] {
                let shown = try #require(metrics.times.counts.quantile(Double(rank) / 100))
                let ratio = shown / Double(durations[rank - 1])
                #expect(
                    ratio <= 2.5 && ratio >= 1 / 2.5,
                    "\(shown) for \(durations[rank - 1])")
            }
        }
    }
}
