// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("The admin listener shows the daemon at work", .endToEnd)
struct LiveDaemonTests {
    private struct Report: Decodable {
        struct Decoder: Decodable {
            var state: String; var process: Int32?; var original: String?; var price: Int?
        }
        struct Budget: Decodable { var used: Int; var limit: Int? }
        struct Target: Decodable { var target: String; var share: Double }
        struct Mistake: Decodable { var target: String; var status: Int; var count: Int }
        struct Fetch: Decodable { var url: String; var waiting: Int }
        struct Origin: Decodable { var origin: String; var fetches: Double; var failed: Double }
        var is_ready: Bool
        var decoders: [Decoder]
        var budgets: [String: Budget]
        var targets: [Target]
        var errors: [Mistake]
        var fetching: [Fetch]
        var fetched_origins: [Origin]
        var resting_origins: Int
        var second: [String: Double]
        var readers: Int
    }

    private struct History: Decodable {
        struct Series: Decodable { var unit: String; var values: [Double?] }
        var step: Int
        var series: [String: Series]

        func sum(_ name: String) -> Int { Int((series[name]?.values ?? []).compactMap(\.self).reduce(0, +)) }
    }

    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
    /// A fetch from a silent origin lasts as long as it is looked at.
    private static let patient = ["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"]

    private func read<Value: Decodable>(_ type: Value.Type, _ text: some StringProtocol) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    @Test func `a moment tells what is asked for, what failed, and what is there`() throws {
        let daemon = try DaemonUnderTest()
        for _ in 1...3 { _ = try daemon.get(origin.url(), "w=30") }
        _ = try daemon.get("/img?w=nonsense")
        #expect(
            try Patience.until {
                let report = try read(Report.self, daemon.admin("/admin/live").text)
                // The spare may still be starting.
                let isComplete = report.decoders.allSatisfy { $0.process ?? 0 > 0 }
                return report.targets.first?.share == 1 && report.errors.count == 1 && isComplete
            })
        let report = try read(Report.self, daemon.admin("/admin/live").text)
        #expect(report.is_ready)
        #expect(report.decoders.count == 3)
        #expect(report.targets.map(\.target) == [DaemonUnderTest.target(origin.url(), "w=30")])
        #expect(report.errors.first?.target == "/img?w=nonsense" && report.errors.first?.status == 400)
        let disk = report.budgets["disk"]
        #expect(disk?.limit == 1 << 30 && disk?.used ?? 0 > 0)
    }

    @Test func `origins that were asked are told, the worst first, and how many rest`() throws {
        let ill = ScriptedOrigin { $0.answer("404 Not Found") }
        let dead = ScriptedOrigin { $0.reset() }
        let daemon = try DaemonUnderTest([
            "--origin-rest-after", "3", "--origin-first-rest", "1h", "--origin-longest-rest", "1h",
            "--negative-unreachable", "0s",
        ])
        for origin in [origin, ill, dead] {
            for number in 1...3 { _ = try daemon.get(origin.url("/\(number)"), "w=30") }
        }
        let isTold = try Patience.until {
            let report = try read(Report.self, daemon.admin("/admin/live").text)
            guard report.fetched_origins.count == 3, report.resting_origins == 1 else { return false }
            let shares = report.fetched_origins.map { $0.failed }
            let places = report.fetched_origins.map { $0.origin.hasSuffix(":\(dead.port)") }
            // A 404 is no fault of the origin's.
            return shares == [1, 0, 0] && places == [true, false, false]
        }
        #expect(isTold)
    }

    @Test func `the history's sums are those of the metrics`() throws {
        let daemon = try DaemonUnderTest()
        // After the first second, which has nothing before it.
        #expect(
            try Patience.until {
                try past(daemon).series["rendered"]?.values.contains { $0 != nil } ?? false
            })
        for width in 20...26 { _ = try daemon.get(origin.url(), "w=\(width)") }
        for _ in 1...9 { _ = try daemon.get(origin.url(), "w=20") }
        _ = try daemon.get("/img?w=nonsense")
        // Each event loop counts what it has sent, in no order.
        let isWhole = try Patience.until {
            let history = try past(daemon)
            return try history.sum("client_errors") == 1 && history.sum("rendered") == 7
                && history.sum("memory_hits") == 9
                && history.sum("sent_bytes") == daemon.metric("pictor_response_bytes_total")
        }
        #expect(isWhole)
        let history = try past(daemon)
        let names = [
            ("rendered", "outcome=\"rendered\""), ("memory_hits", "outcome=\"memoryHit\""),
            ("refused", "outcome=\"refused\""), ("client_errors", "status=\"4xx\""),
        ]
        for (series, label) in names {
            #expect(try history.sum(series) == daemon.metric("pictor_requests_total", label), "\(series)")
        }
        #expect(history.sum("rendered") == 7 && history.sum("memory_hits") == 9)
        #expect(try history.sum("sent_bytes") == daemon.metric("pictor_response_bytes_total"))
        #expect(history.sum("fetches") == 1)
        #expect(Set(history.series.values.map(\.values.count)).count == 1, "one length")
    }

    private func past(_ daemon: DaemonUnderTest) throws -> History {
        try read(History.self, daemon.admin("/admin/history?range=hour").text)
    }

    @Test func `the history is of the range and the series that were asked for`() throws {
        let daemon = try DaemonUnderTest()
        let day = try read(
            History.self, daemon.admin("/admin/history?range=day&series=rendered,latency_95").text)
        #expect(day.step == 60 && Set(day.series.keys) == ["rendered", "latency_95"])
        for query in ["range=week", "series=nothing", "span=1", "range=day&range=day"] {
            let reply = try daemon.admin("/admin/history?\(query)")
            #expect(reply.status == 400 && reply.text.contains("bad_parameter"), "\(query)")
        }
    }

    @Test func `events come each second, to whoever has the token`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        for path in ["/admin/live", "/admin/events", "/admin/history"] {
            #expect(try daemon.admin(path).status == 401, "\(path)")
        }
        let stream = try Connection(port: daemon.adminPort)
        try stream.request("/admin/events", fields: DaemonUnderTest.trusted)
        let head = try stream.reply()
        #expect(head.status == 200 && head["Content-Type"] == "text/event-stream; charset=utf-8")
        #expect(head["Transfer-Encoding"] == "chunked" && head["Cache-Control"] == "no-store")
        var numbers: [Int] = []
        for _ in 1...3 {
            let lines = try stream.read(until: "\n\n").split(whereSeparator: \.isNewline).map(String.init)
            numbers.append(Int(try #require(lines.first { $0.hasPrefix("id: ") }).dropFirst(4)) ?? 0)
            #expect(lines.contains("event: live"))
            let data = try #require(lines.first { $0.hasPrefix("data: ") }).dropFirst(6)
            #expect(try read(Report.self, data).readers == 1)
        }
        // One is left out where the machine was too slow to send it within its second.
        #expect(numbers == Set(numbers).sorted() && numbers.count == 3)
        stream.close()
        let report = { try self.read(Report.self, daemon.order("/admin/live", method: "GET").text) }
        #expect(try Patience.until { try report().readers == 0 })
    }

    @Test func `streams are bounded, and a drain ends them`() throws {
        let daemon = try DaemonUnderTest()
        let streams = try (1...64).map { _ in try Connection(port: daemon.adminPort) }
        for stream in streams {
            try stream.request("/admin/events")
            #expect(try stream.reply().status == 200)
        }
        let refusal = try daemon.admin("/admin/events")
        #expect(refusal.status == 503 && refusal.text.contains("too_many_streams"))
        _ = try streams[0].read(until: "\n\n")
        daemon.terminate()
        #expect(try streams[0].read(until: "\r\n0\r\n\r\n").isEmpty == false)
        // Those that stay are waited for a while.
        for stream in streams { stream.close() }
        #expect(daemon.exitStatus() == 0)
    }

    @Test func `a fetch and a job under way are shown`() throws {
        let slow = ScriptedOrigin { peer in
            peer.waitForHangup()
        }
        let daemon = try DaemonUnderTest(Self.patient)
        let client = try Connection(port: daemon.port)
        try client.request(DaemonUnderTest.target(slow.url(), "w=30"))
        #expect(
            try Patience.until {
                let report = try read(Report.self, daemon.admin("/admin/live").text)
                return report.fetching.first?.url == slow.url().absolute
                    && report.fetching.first?.waiting == 1
            })
        client.close()
    }

    @Test func `what is asked for, what failed and what is fetched are shown without secrets`() throws {
        let (secret, slow) = ("s3cr3t-s3cr3t", ScriptedOrigin { $0.waitForHangup() })
        let daemon = try DaemonUnderTest(["--log-redact", "token"] + Self.patient)
        #expect(
            try daemon.get(DaemonUnderTest.target(origin.url("/a?token=\(secret)"), "w=30")).status == 200)
        let opened = DaemonUnderTest.target("https://user:\(secret)@host.test/b.png", "w=30")
        #expect(try daemon.get(opened).status >= 400)
        #expect(daemon.accessLog(of: 2) != nil)
        let client = try Connection(port: daemon.port)
        try client.request(DaemonUnderTest.target(slow.url("/c?token=\(secret)"), "w=30"))
        #expect(
            try Patience.until {
                let report = try read(Report.self, daemon.admin("/admin/live").text)
                return report.fetching.first?.url.hasSuffix("/c?token=REDACTED") == true
                    && report.targets.first?.target.hasSuffix("%2Fa%3Ftoken%3DREDACTED&w=30") == true
                    && report.errors.first?.target
                        == "/img?url=https%3A%2F%2FREDACTED%40host.test%2Fb.png&w=30"
            })
        let stream = try Connection(port: daemon.adminPort)
        try stream.request("/admin/events")
        #expect(try stream.reply().status == 200)
        let event = try stream.read(until: "\n\n")
        #expect(event.contains("REDACTED") && !event.contains(secret), "\(event)")
        #expect(try !daemon.admin("/admin/live").text.contains(secret))
        client.close()
    }
}
