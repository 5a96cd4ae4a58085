// SPDX-License-Identifier: Apache-2.0

import Operator
import RandomInputs
import Testing

@Suite("Latencies are counted in fixed memory")
struct LatencyCountsTests {
    @Test func `a percentile is that of the sorted list, at most a 128th above it`() throws {
        var random = SeededRandom(for: "LatencyCounts")
        for _ in 1...200 {
            let count = Int.random(in: 1...300, using: &random)
            let bits = Int.random(in: 1...32, using: &random)
            let values = (0..<count).map { _ in Int.random(in: 0..<(1 << bits), using: &random) }
            var counts = LatencyCounts()
            for value in values { counts.record(microseconds: value) }
            let sorted = values.sorted()
            for share in [0, 0.01, 0.5, 0.9, 0.99, 0.999, 1] {
                let rank = max(Int((share * Double(count)).rounded(.up)), 1)
                let (found, exact) = (try #require(counts.percentile(share)), sorted[rank - 1])
                #expect(found >= exact && found <= exact + exact / 128, "\(share) of \(count)")
            }
            #expect(counts.maximum == sorted.last && counts.percentile(1) == sorted.last)
            let mean = Double(values.reduce(0, +)) / Double(count)
            #expect(abs((counts.mean ?? -1) - mean) < 0.001 + mean / 1e9)
        }
    }

    @Test func `no durations have no percentile, and absurd ones are clamped`() {
        var counts = LatencyCounts()
        #expect(counts.percentile(0.5) == nil && counts.mean == nil)
        counts.record(microseconds: -5)
        #expect(counts.percentile(0.5) == 0)
        counts.record(microseconds: .max)
        #expect(counts.percentile(1) == 1 << 32 && counts.percentile(.nan) == nil)
    }
}
