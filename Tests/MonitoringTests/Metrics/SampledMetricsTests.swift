// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import Telemetry
import Testing

@testable import Monitoring

struct SampledMetricsTests {
    private func page(_ topOrigins: TopOrigins) -> [Substring] {
        Metrics(build: BuildInfo(version: "1", libvips: "1"), codes: ["not_found"])
            .exposition([ObservedMetric<Int>](), of: 0, SampledMetrics.now(topOrigins)).split(separator: "\n")
    }

    private func value(_ name: String, in page: [Substring]) throws -> Double {
        let line = try #require(page.first { $0.hasPrefix(name + " ") }, "\(name)")
        return try #require(Double(line.dropFirst(name.count + 1)))
    }

    @Test func `the process is told as every program tells it`() throws {
        let page = page(TopOrigins())
        #expect(try value("process_cpu_seconds_total", in: page) > 0)
        #expect(try value("process_resident_memory_bytes", in: page) > 1_000_000)
        let (open, most) = (
            try value("process_open_fds", in: page), try value("process_max_fds", in: page)
        )
        #expect(open >= 3 && open < most)
        #expect(
            try value("process_virtual_memory_bytes", in: page)
                >= value("process_resident_memory_bytes", in: page))
        // The process started before now, but not long ago: a run of all tests takes minutes.
        let age = Date.now.timeIntervalSince1970 - (try value("process_start_time_seconds", in: page))
        #expect(age > -1 && age < 86_400)
    }

    @Test func `of a thousand origins the page names twenty`() {
        let topOrigins = TopOrigins()
        for number in 0..<1_000 {
            let origin = SourceOrigin(scheme: .https, host: "h\(number).test", port: 443)
            for _ in 0..<6 { topOrigins.note(origin, isFailure: number % 2 == 0, milliseconds: 250) }
        }
        // An origin that was asked once is not named.
        topOrigins.note(
            SourceOrigin(scheme: .https, host: "once.test", port: 443), isFailure: true, milliseconds: 1)
        let often = SourceOrigin(scheme: .https, host: "often.test", port: 443)
        for number in 0..<400 { topOrigins.note(often, isFailure: number % 4 == 0, milliseconds: 100) }
        let page = page(topOrigins)
        #expect(page.count { $0.hasPrefix("pictor_origin_failure_ratio{") } == 20)
        #expect(!page.contains { $0.contains("once.test") })
        #expect(page.contains("pictor_origin_failure_ratio{origin=\"https://often.test\"} 0.25"))
        #expect(page.contains("pictor_origin_fetch_seconds{origin=\"https://often.test\"} 0.1"))
    }

    @Test func `each row has a name and a sentence`() {
        for row in SampledMetrics.rows {
            #expect(row.name.wholeMatch(of: /(pictor|process)(_[a-z]+)+/) != nil, "\(row.name)")
            #expect(row.name.hasSuffix("_total") == (row.kind == .counter), "\(row.name)")
            #expect(row.help.hasSuffix("."), "\(row.name)")
        }
    }
}
