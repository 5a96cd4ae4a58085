// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Numbers of the metrics name traces that are kept", .endToEnd)
struct TraceExemplarTests {
    private let collector = TraceCollector()
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--traces-endpoint", collector.endpoint] + flags)
    }

    /// Trace ids beside the samples with this text.
    private func shown(_ text: String, by daemon: DaemonUnderTest) throws -> Set<String> {
        let page = try daemon.admin("/metrics", fields: [("Accept", "application/openmetrics-text")]).text
        let lines = page.split(separator: "\n").filter { $0.contains(text) }
        return Set(lines.compactMap { $0.firstMatch(of: /trace_id="([0-9a-f]{32})"/).map { String($0.1) } })
    }

    /// Asks for a picture that is to be made, for the same one when it is held, and for nonsense; returns once the spans of all
    /// requests so far have come.
    private func ask(_ daemon: DaemonUnderTest, round: Int) throws {
        for _ in 0..<2 { #expect(try daemon.get(origin.url(), "w=\(20 + round)").status == 200) }
        #expect(try daemon.get(origin.url(), "w=many").status == 400)
        _ = try #require(collector.spans { $0.count { $0.parent.isEmpty } == 3 * round })
    }

    /// The traces, as the metrics spell them, whose request has this attribute.
    private func traces(_ name: String, _ value: String) -> Set<String> {
        let requests = collector.spans.filter { $0.parent.isEmpty && $0.attributes[name] == value }
        return Set(requests.map { $0.trace.map { String(format: "%02x", $0) }.joined() })
    }

    @Test func `times in the metrics name the traces that show them`() throws {
        let daemon = try daemon("--traces-ratio", "1")
        let samples = [
            "pictor_request_seconds_bucket{outcome=\"rendered\"",
            "pictor_request_seconds_bucket{outcome=\"memoryHit\"",
            "pictor_refusals_total{code=\"bad_parameter\"}", "pictor_stage_seconds_bucket{stage=\"decode\"",
        ]
        // An event names no trace where it meets a scrape or another event: the next one does.
        var named: [Set<String>] = []
        for round in 1...20 where named.isEmpty || named.contains(where: \.isEmpty) {
            try ask(daemon, round: round)
            named = try samples.map { try shown($0, by: daemon) }
        }
        let made = traces("pictor.outcome", "rendered")
        let expected = [
            made, traces("pictor.outcome", "memoryHit"), traces("http.response.status_code", "400"), made,
        ]
        for (sample, (shown, right)) in zip(samples, zip(named, expected)) {
            #expect(!shown.isEmpty && shown.isSubset(of: right), "\(sample)")
        }
        #expect(try !daemon.admin("/metrics").text.contains("trace_id"))
    }

    @Test func `a trace that is not kept is named nowhere`() throws {
        let daemon = try daemon("--traces-ratio", "0", "--traces-slow", "0s")
        for _ in 0..<3 { _ = try daemon.get(origin.url(), "w=30") }
        #expect(daemon.accessLog(of: 3) != nil, "the last one is counted before it has its line")
        #expect(try shown("", by: daemon).isEmpty)
    }
}
