// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

struct StageTimesTests {
    @Test func `a stage that was not gone through has no time`() {
        var times = StageTimes()
        #expect(StageLabel.allCases.allSatisfy { times[$0] == nil })
        times[.origin] = 12_345
        times[.queue] = 0
        #expect(times[.origin] == 12_345 && times[.queue] == 0 && times[.total] == nil)
        times[.origin] = nil
        #expect(times[.origin] == nil)
    }

    @Test func `Server-Timing is in milliseconds and in the order of the stages`() {
        var times = StageTimes()
        #expect(times.serverTiming.isEmpty)
        times[.total] = 1_234_567
        times[.cache] = 7
        times[.decode] = 45_060
        #expect(times.serverTiming == "cache;dur=0.007, decode;dur=45.060, total;dur=1234.567")
    }

    @Test func `times beyond the range are held at its ends`() {
        var times = StageTimes()
        times[.total] = .max
        times[.cache] = -5
        #expect(times[.total] == Int(Int32.max) && times[.cache] == 0)
    }

    @Test func `recording a request counts it once in each of its stages`() {
        let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"))
        var times = StageTimes()
        times[.cache] = 50
        times[.total] = 70
        metrics.record(times)
        let page = metrics.exposition { _ in 0 }
        #expect(page.contains("\npictor_stage_seconds_count{stage=\"cache\"} 1\n"))
        #expect(page.contains("\npictor_stage_seconds_count{stage=\"total\"} 1\n"))
        #expect(page.contains("\npictor_stage_seconds_count{stage=\"decode\"} 0\n"))
        #expect(page.contains("\npictor_stage_seconds_sum{stage=\"total\"} 0.00007\n"))
    }
}
