// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

struct QuantileTests {
    private let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])

    private func record(_ durations: Int...) {
        durations.forEach { metrics.stages.record(.total, microseconds: $0) }
    }

    @Test func `nothing recorded has no percentiles`() {
        #expect(metrics.stages.counts(.total).quantile(0.5) == nil)
    }

    @Test func `a percentile lies in the bucket of its record, in proportion`() {
        record(150, 150, 150, 150)
        let counts = metrics.stages.counts(.total)
        #expect(counts.quantile(0.5) == 175, "the middle of 100 to 250")
        #expect(counts.quantile(1) == 250)
        record(9_000)
        #expect(metrics.stages.counts(.total).quantile(0.99).map { (5_000...10_000).contains($0) } == true)
    }

    @Test func `what lies above all bounds has the highest of them`() {
        record(40_000_000)
        #expect(metrics.stages.counts(.total).quantile(0.5) == 30_000_000)
    }

    @Test func `between two moments only what was recorded since counts`() {
        record(50, 50, 50)
        let before = metrics.stages.counts(.total)
        record(2_000)
        let since = metrics.stages.counts(.total).since(before)
        #expect(since.total == 1)
        #expect(since.quantile(0.5).map { (1_000...2_500).contains($0) } == true)
        #expect(metrics.stages.counts(.decode).total == 0)
    }
}
