// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

@testable import Monitoring

@Suite("The history keeps an hour of seconds and a day of minutes")
struct HistoryTests {
    private let metrics = Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])

    private func reading(fetches: Int, connections: Int) -> HistoryReading {
        HistoryReading(
            totals: [.fetches: fetches], levels: [.connections: connections],
            times: metrics.times.counts, stages: StageLabel.allCases.map(metrics.stages.counts))
    }

    @Test func `all samples take at most 2 MiB`() {
        #expect(History().bytes <= 2 << 20)
        #expect(History().bytes > 3_600 * 4, "they are there from the start")
    }

    @Test func `a second has what happened in it, and what is`() {
        let history = History()
        history.add(reading(fetches: 5, connections: 2), at: 100)
        #expect(history.last[.fetches] == nil, "there is nothing to compare with")
        #expect(history.last[.connections] == 2)
        metrics.times.record(.rendered, microseconds: 150)
        metrics.times.record(.refused, microseconds: 150)
        history.add(reading(fetches: 12, connections: 1), at: 101)
        #expect(history.last[.fetches] == 7)
        #expect(history.last[.connections] == 1)
        #expect(history.last[.latency50] == 175)
        history.add(reading(fetches: 12, connections: 1), at: 102)
        #expect(history.last[.latency50] == nil, "no request has none")
        #expect(history.values(of: .fetches, in: .minutes) == [nil, 7, 0])
    }

    @Test func `seconds that were missed have no values, and time does not go back`() {
        let history = History()
        history.add(reading(fetches: 0, connections: 1), at: 10)
        history.add(reading(fetches: 3, connections: 2), at: 13)
        history.add(reading(fetches: 9, connections: 9), at: 13)
        #expect(history.values(of: .connections, in: .hour) == [1, nil, nil, 2])
    }

    @Test func `what is older than the range is gone`() {
        let history = History()
        for second in 0...4_000 { history.add(reading(fetches: second, connections: second), at: second) }
        let hour = history.values(of: .connections, in: .hour)
        #expect(hour.count == 3_600 && hour.first == 401 && hour.last == 4_000)
        #expect(history.values(of: .connections, in: .minutes).first == 3_701)
        history.add(reading(fetches: 0, connections: 7), at: 40_000)
        #expect(history.values(of: .connections, in: .hour).compactMap(\.self) == [7])
    }

    @Test func `a minute has the sum, the highest, and percentiles of its own`() {
        let history = History()
        for second in 0...180 {
            // The second minute has one slow request and 59 quick ones.
            if second > 0 { metrics.times.record(.memoryHit, microseconds: second == 90 ? 9_000_000 : 50) }
            history.add(reading(fetches: second * 2, connections: second == 70 ? 99 : 1), at: second)
        }
        #expect(history.values(of: .fetches, in: .day) == [120, 120, 120])
        #expect(history.values(of: .connections, in: .day) == [1, 99, 1])
        let slow = history.values(of: .latency99, in: .day).map { $0 ?? 0 }
        #expect(slow[0] <= 100 && slow[1] > 5_000_000 && slow[2] <= 100)
        #expect(history.values(of: .latency50, in: .day).allSatisfy { ($0 ?? .infinity) <= 100 })
    }
}
