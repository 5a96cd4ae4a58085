// SPDX-License-Identifier: Apache-2.0

import Telemetry
import Testing
import Traces

@Suite("A page of OpenMetrics")
struct OpenMetricsTests {
    private let metrics = Metrics(
        build: BuildInfo(version: "1", libvips: "2"), codes: ["not_found", "overloaded"])

    private let observed: [ObservedMetric<Int>] = [
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
        // Things that are counted are not units, and a unit must be at the end of the name.
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
            // Numbers are in their canonical spelling.
            "le=\"0.0001\"} 0\n", "le=\"1.0\"} 0\n", "le=\"2.5\"} 0\n", "le=\"10.0\"} 0\n",
            "le=\"+Inf\"} 0\n",
        ] {
            #expect(page.contains(lines), "\(lines)")
        }
        #expect(page.hasSuffix("\n# EOF\n") && !page.dropLast(6).contains("# EOF"))
    }

    private func exemplar(_ number: UInt64, time: Int64 = 1_700_000_000_007) throws -> Exemplar {
        let trace = try #require(TraceID(high: 1, low: number))
        return Exemplar(trace: trace, span: try #require(SpanID(number)), time: time)
    }

    @Test func `an exemplar stands beside its bucket, and the latest one alone`() throws {
        for (number, duration) in [(3, 400), (4, 300), (5, 100), (6, -1), (7, 60_000_000)] as [(UInt64, Int)]
        {
            metrics.times.record(.rendered, microseconds: duration)
            metrics.times.show(try exemplar(number), .rendered, microseconds: duration)
        }
        let families = try ExpositionParser(page(), as: .openMetrics).families
        let samples = try #require(families.first { $0.name == "pictor_request_seconds" }).samples
        let shown = samples.filter { $0.exemplar != nil }
        #expect(shown.map { $0.labels["le"] } == ["1e-05", "0.0001", "0.0005", "+Inf"])
        #expect(
            shown.allSatisfy { $0.labels["outcome"] == "rendered" && $0.exemplar?.time == 1_700_000_000.007 })
        #expect(shown.compactMap(\.exemplar?.value) == [0, 0.0001, 0.0003, 60])
        #expect(
            page().contains(
                "le=\"0.0005\"} 4 # {trace_id=\"00000000000000010000000000000004\",span_id=\"0000000000000004\"} 0.0003 1700000000.007\n"
            ))
        #expect(!metrics.exposition(observed, of: 7).contains("trace_id"), "Prometheus' format has none")
    }

    @Test func `a refusal has one at its code`() throws {
        metrics.refusals.add(at: 1)
        metrics.refusals.show(try exemplar(9, time: -5), at: 1)
        // No code has these indices.
        for index in [-1, 2, .max] { metrics.refusals.show(try exemplar(10), at: index) }
        #expect(page().contains("\npictor_refusals_total{code=\"not_found\"} 0\n"))
        let shown = "{trace_id=\"00000000000000010000000000000009\",span_id=\"0000000000000009\"}"
        #expect(page().contains("\npictor_refusals_total{code=\"overloaded\"} 1 # \(shown) 1 0.000\n"))
    }

    @Test func `exemplars of several threads leave each bucket one or none`() async throws {
        await withTaskGroup(of: Void.self) { group in
            for number in 1...8 as ClosedRange<UInt64> {
                group.addTask {
                    for duration in 0..<2_000 {
                        metrics.times.record(.stale, microseconds: duration)
                        guard let exemplar = try? exemplar(number) else { return }
                        metrics.times.show(exemplar, .stale, microseconds: duration)
                    }
                }
            }
        }
        // The parser checks that each exemplar lies in its bucket.
        let families = try ExpositionParser(page(), as: .openMetrics).families
        #expect(families.flatMap(\.samples).contains { $0.exemplar != nil })
    }

    @Test func `the other format stays as it is`() {
        let page = metrics.exposition(observed, of: 7)
        #expect(page.contains("# TYPE pictor_build_info gauge\n") && page.contains("le=\"1\"} 0\n"))
        #expect(page.contains("# HELP pictor_lamps Lamps that are \"lit\"\\nor \\\\ not.\n"))
        #expect(!page.contains("# EOF") && !page.contains("# UNIT"))
    }
}
