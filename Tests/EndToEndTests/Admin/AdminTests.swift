// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("The daemon says how it is doing", .endToEnd)
struct AdminTests {
    private let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }

    @Test func `it is alive and ready as soon as it listens`() throws {
        let daemon = try DaemonUnderTest()
        #expect(try daemon.admin("/health/live").status == 200)
        #expect(try daemon.admin("/health/ready").status == 200)
        #expect(try daemon.admin("/health/ready", method: "POST").status == 405)
        #expect(try daemon.admin("/elsewhere").status == 404)
    }

    @Test func `the list of originals goes on where a page of it ended`() throws {
        struct Page: Decodable {
            struct Original: Decodable { var url: String }
            var originals: [Original]
            var next: String?
        }
        let daemon = try DaemonUnderTest()
        let urls = (1...5).map { origin.url("/\($0)") }
        for url in urls { #expect(try daemon.get(url, "w=30").status == 200) }
        var (seen, lengths, query) = ([String](), [Int](), "limit=2")
        while lengths.count < 3 {
            let text = try daemon.admin("/admin/list?\(query)").text
            let page = try JSONDecoder().decode(Page.self, from: Data(text.utf8))
            seen += page.originals.map(\.url)
            lengths.append(page.originals.count)
            guard let next = page.next else { break }
            let after = try #require(next.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            query = "limit=2&after=\(after)"
        }
        #expect(lengths == [2, 2, 1] && seen == urls.map(\.absolute))
    }

    @Test func `every sample of the metrics has its help and its type, and stands once`() throws {
        let daemon = try DaemonUnderTest()
        _ = try daemon.get(origin.url(), "w=30")
        let page = try daemon.admin("/metrics")
        #expect(page["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        var family = ""
        var hasType = false
        var samples: Set<Substring> = []
        for line in page.text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if line.hasPrefix("# HELP ") {
                family = String(words[2])
                hasType = false
                #expect(words.count > 3, "\(line)")
            } else if line.hasPrefix("# TYPE ") {
                #expect(words[2] == family)
                #expect(["counter", "gauge", "histogram"].contains(words[3]))
                hasType = true
            } else {
                let name = line.prefix { $0 != "{" && $0 != " " }
                #expect(hasType && name.hasPrefix(family), "\(line)")
                let value = try #require(words.last)
                #expect(Double(value) != nil, "\(line)")
                #expect(samples.insert(line.dropLast(value.count)).inserted, "\(line)")
            }
        }
        #expect(samples.count > 50)
    }

    @Test func `a scraper that asks for OpenMetrics gets a whole page of it`() throws {
        let daemon = try DaemonUnderTest()
        let accept = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1"
        let page = try daemon.admin("/metrics", fields: [("Accept", accept)])
        #expect(page["Content-Type"] == "application/openmetrics-text; version=1.0.0; charset=utf-8")
        #expect(page["Vary"] == "Accept")
        #expect(page.text.hasSuffix("\n# EOF\n"))
        #expect(page.text.contains("# TYPE pictor_requests counter\n"))
        #expect(page.text.contains("\npictor_requests_total{"))
    }

    @Test func `the metrics count what has happened`() throws {
        let daemon = try DaemonUnderTest()
        _ = try daemon.get(origin.url(), "w=30")
        _ = try daemon.get(origin.url(), "w=30")
        _ = try daemon.get("/nothing")
        let counts = [
            ("pictor_requests_total", "outcome=\"rendered\"", 1),
            ("pictor_requests_total", "outcome=\"memoryHit\"", 1),
            ("pictor_requests_total", "status=\"4xx\"", 1),
            ("pictor_renders_total", "format=\"png\"", 1),
            ("pictor_origin_fetches_total", "result=\"complete\"", 1),
            ("pictor_memory_entries", "", 1),
            ("pictor_disk_entries", "kind=\"original\"", 1),
            ("pictor_disk_entries", "kind=\"rendition\"", 1),
            ("pictor_decoders", "", 3),
            ("pictor_disk_damaged_total", "", 0),
        ]
        // An exchange is counted when the client already has its answer.
        for (name, label, count) in counts {
            #expect(try Patience.until { try daemon.metric(name, label) == count }, "\(name) \(label)")
        }
        #expect(try daemon.metric("pictor_response_bytes_total") > 0)
        #expect(try daemon.metric("pictor_origin_bytes_total") == Pictures.gradient(60, 40).count)
    }

    @Test(arguments: ["json", "text"])
    func `each request has its line in the access log`(format: String) throws {
        let daemon = try DaemonUnderTest(["--log-format", format])
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        // One connection, so that the lines are in the order of the requests.
        let connection = try Connection(port: daemon.port)
        try connection.request(target)
        let body = try connection.reply().body
        try connection.request(target, method: "HEAD")
        _ = try connection.reply(bodiless: true)
        try connection.request("/no\"thing%0A")
        let last = try connection.reply()
        let lines = try #require(daemon.accessLog(of: 3))
        let expected = [
            (status: 200, bytes: body.count, method: "GET", outcome: "rendered", target: target),
            (status: 200, bytes: 0, method: "HEAD", outcome: "memoryHit", target: target),
        ]
        for (line, row) in zip(lines, expected) {
            let fields = try Self.fields(of: line, json: format == "json")
            #expect(fields["status"] == "\(row.status)", "\(line)")
            #expect(fields["bytes"] == "\(row.bytes)", "\(line)")
            #expect(fields["method"] == row.method)
            #expect(fields["outcome"] == row.outcome)
            #expect(fields["target"] == row.target)
            #expect(fields["peer"]?.hasPrefix("127.0.0.1") == true)
            #expect(Int(fields["duration_us"] ?? "") != nil)
            #expect(fields["time"]?.hasPrefix("20") == true)
        }
        #expect(try Self.fields(of: lines[2], json: format == "json")["status"] == "\(last.status)")
        #expect(daemon.stop() == 0)
        #expect(daemon.accessLog.count == 3)
    }

    /// A line's fields as text.
    private static func fields(of line: String, json: Bool) throws -> [String: String] {
        if json {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            return try #require(object).mapValues { "\($0)" }
        }
        let pairs = line.matches(of: /([a-z_]+)=("(?:[^"\\]|\\.)*"|[^ ]*)/).map { match in
            (
                String(match.1),
                match.2.hasPrefix("\"") ? String(match.2.dropFirst().dropLast()) : String(match.2)
            )
        }
        return Dictionary(pairs) { $1 }
    }

    @Test func `without an access log standard output stays empty`() throws {
        let daemon = try DaemonUnderTest(["--log-access", "false"])
        _ = try daemon.get("/nothing")
        daemon.stop()
        #expect(daemon.accessLog.isEmpty)
    }

    @Test func `its log is one JSON object a line`() throws {
        let daemon = try DaemonUnderTest()
        #expect(daemon.stop() == 0)
        #expect(daemon.logLine(with: "\"stopped\"") != nil)
        for line in daemon.log {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            for name in ["time", "level", "message"] { #expect(object?[name] is String, "\(line)") }
        }
    }
}
