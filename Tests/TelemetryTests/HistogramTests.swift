// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

struct HistogramTests {
    private let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])

    private func samples(_ stage: String) throws -> [ExpositionParser.Sample] {
        let families = try ExpositionParser(metrics.page).families
        return try #require(families.first { $0.name == "pictor_stage_seconds" }).samples
            .filter { $0.labels["stage"] == stage }
    }

    /// The second value is the `le` of the first bucket that holds the duration.
    @Test(
        arguments: [
            (0, "1e-05"), (-5, "1e-05"), (10, "1e-05"), (11, "2.5e-05"), (25, "2.5e-05"), (26, "5e-05"),
            (51, "0.0001"), (100, "0.0001"), (101, "0.00025"), (250, "0.00025"),
            (251, "0.0005"), (1_000, "0.001"), (1_001, "0.0025"),
            (999_999, "1"), (1_000_000, "1"), (1_000_001, "2.5"), (50_000_000, "50"), (50_000_001, "+Inf"),
            (1_000_000_000_000, "+Inf"),
        ] as [(Int, String)])
    func `a duration falls into the first bucket that is large enough`(microseconds: Int, bound: String)
        throws
    {
        metrics.stages.record(.decode, microseconds: microseconds)
        let samples = try samples("decode")
        #expect(samples.first { $0.name.hasSuffix("_bucket") && $0.value == 1 }?.labels["le"] == bound)
        #expect(samples.first { $0.name.hasSuffix("_count") }?.value == 1)
    }

    @Test func `the sum is exact and in seconds`() throws {
        for duration in [1, 20, 300, 4_000, 50_000, 600_000, 7_000_000] {
            metrics.stages.record(.encode, microseconds: duration)
        }
        let page = metrics.page
        #expect(page.contains("\npictor_stage_seconds_sum{stage=\"encode\"} 7.654321\n"))
        #expect(page.contains("\npictor_stage_seconds_count{stage=\"encode\"} 7\n"))
        #expect(page.contains("\npictor_stage_seconds_sum{stage=\"cache\"} 0\n"))
        #expect(try samples("cache").allSatisfy { $0.value == 0 })
    }

    @Test func `stages do not mix`() throws {
        metrics.stages.record(.queue, microseconds: 5)
        #expect(try samples("queue").first { $0.name.hasSuffix("_count") }?.value == 1)
        for stage in ["cache", "origin", "inspect", "decode", "encode"] {
            #expect(try samples(stage).allSatisfy { $0.value == 0 })
        }
    }
}
