// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing

@Suite("A page of OpenMetrics")
struct OpenMetricsTests {
    private let metrics = Metrics(
        build: BuildInfo(version: "1", libvips: "2"), codes: ["not_found", "overloaded"])

    private let observed: [Observed<Int>] = [
        .gauge("lamps", "lamps", "Lamps that are \"lit\"\nor \\ not.") { $0 },
        .counter(
            "lamp_seconds", "seconds", "Time of lamps.", by: "colour", ["red": { $0 }, "blue": { $0 + 1 }]),
        .gauge("lamps_lit_ratio", "ratio", "Of all lamps.") { $0 },
        .gauge("lamp_bytes_free", "bytes", "Has its unit elsewhere.") { $0 },
    ]

    private func page() -> String { metrics.exposition(observed, of: 7, as: .openMetrics) }

    @Test func `it is well-formed, and has every metric of the table under its family's name`() throws {
        let families = try ExpositionParser(page(), as: .openMetrics).families
        let rows = metrics.rows(observed)
        #expect(families.count == rows.count && Set(families.map(\.name)).count == rows.count)
        for (family, row) in zip(families, rows) {
            let suffix = ["counter": "_total", "info": "_info"][family.type] ?? ""
            #expect(family.name + suffix == row.name && family.help == row.help)
            #expect(family.type == row.kind.rawValue)
        }
    }

    @Test func `both formats tell the same numbers`() throws {
        metrics.refusals.add(at: 1)
        metrics.stages.record(.decode, microseconds: 1_000_000)
        let classic = try ExpositionParser(metrics.exposition(observed, of: 7)).families.flatMap(\.samples)
        let open = try ExpositionParser(page(), as: .openMetrics).families.flatMap(\.samples)
        func numbers(_ samples: [ExpositionParser.Sample]) -> [ExpositionParser.Sample] {
            samples.map { sample in
                var sample = sample
                if let bound = sample.labels["le"].flatMap(Double.init) { sample.labels["le"] = "\(bound)" }
                return sample
            }
        }
        #expect(numbers(classic) == numbers(open) && classic.count > 100)
    }

    @Test func `units are told where the name ends with them`() throws {
        let families = try ExpositionParser(page(), as: .openMetrics).families
        let units = Dictionary(uniqueKeysWithValues: families.map { ($0.name, $0.unit) })
        #expect(units["pictor_stage_seconds"] == "seconds" && units["pictor_response_bytes"] == "bytes")
        #expect(units["pictor_lamp_seconds"] == "seconds" && units["pictor_lamps_lit_ratio"] == "ratio")
        // Counts of things are no units, and a unit within a name is not at its end.
        for name in ["pictor_requests", "pictor_lamps", "pictor_lamp_bytes_free", "pictor_build"] {
            #expect(units[name] == .some(nil), "\(name)")
        }
    }

    @Test func `its lines are those of the specification`() {
        let page = page()
        for lines in [
            "# TYPE pictor_lamp_seconds counter\n# UNIT pictor_lamp_seconds seconds\n# HELP pictor_lamp_seconds Time of lamps.\n",
            "\npictor_lamp_seconds_total{colour=\"blue\"} 8\n",
            "# TYPE pictor_build info\n# HELP pictor_build ",
            "\npictor_build_info{version=\"1\",libvips=\"2\"} 1\n",
            "# HELP pictor_lamps Lamps that are \\\"lit\\\"\\nor \\\\ not.\n",
            // Numbers by their canonical texts.
            "le=\"0.0001\"} 0\n", "le=\"1.0\"} 0\n", "le=\"2.5\"} 0\n", "le=\"10.0\"} 0\n",
            "le=\"+Inf\"} 0\n",
        ] {
            #expect(page.contains(lines), "\(lines)")
        }
        #expect(page.hasSuffix("\n# EOF\n") && !page.dropLast(6).contains("# EOF"))
    }

    @Test func `the other format stays as it is`() {
        let page = metrics.exposition(observed, of: 7)
        #expect(page.contains("# TYPE pictor_build_info gauge\n") && page.contains("le=\"1\"} 0\n"))
        #expect(page.contains("# HELP pictor_lamps Lamps that are \"lit\"\\nor \\\\ not.\n"))
        #expect(!page.contains("# EOF") && !page.contains("# UNIT"))
    }
}
