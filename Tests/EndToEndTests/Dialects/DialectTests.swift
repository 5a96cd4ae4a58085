// SPDX-License-Identifier: Apache-2.0

import RequestGrammar
import SourceURLs
import TestSupport
import Testing

@Suite("The metrics and the access log tell the dialects apart", .endToEnd)
struct DialectTests {
    private let origin = ScriptedOrigin { peer in
        if peer.target == "/gone" {
            peer.answer("404 Not Found")
        } else {
            peer.picture(Pictures.gradient(60, 40))
        }
    }

    /// By the word of the dialect: how one source is asked for in it.
    private func targets(_ path: String) -> [(dialect: String, target: String)] {
        let query = DaemonUnderTest.target(origin.url(path).absolute).dropFirst("/img".count)
        return [
            ("native", "/img\(query)&w=30"), ("weserv", "/\(query)&w=30"),
            ("next", "/_next/image\(query)&w=32&q=75"),
            ("cloudflare", "/cdn-cgi/image/w=34/\(origin.url(path).absolute)"),
            ("imgproxy", "/_/w:36/plain/\(origin.url(path).absolute)"),
            ("thumbor", "/thumbor/unsafe/37x/\(origin.url(path).absolute)"),
            ("imagor", "/imagor/unsafe/38x/\(origin.url(path).absolute)"),
        ]
    }

    /// With every dialect.
    private func daemon(_ flags: String...) throws -> DaemonUnderTest {
        let own = ["cloudflare", "imgproxy", "thumbor", "imagor"].flatMap { ["--\($0)-enabled", "true"] }
        return try DaemonUnderTest(own + flags)
    }

    /// The samples of `pictor_requests_total` that are not 0, by their labels.
    private func requests(_ daemon: DaemonUnderTest) throws -> [String: Int] {
        let lines = try daemon.admin("/metrics").text.split(separator: "\n")
        let samples = lines.compactMap { line -> (String, Int)? in
            let match = line.wholeMatch(
                of: /pictor_requests_total\{dialect="(\w+)",outcome="(\w+)",status="(\w+)"\} (\d+)/)
            guard let match, let count = Int(match.4), count > 0 else { return nil }
            return ("\(match.1) \(match.2) \(match.3)", count)
        }
        return Dictionary(uniqueKeysWithValues: samples)
    }

    @Test func `a miss and a hit move the series of their dialect and no other`() throws {
        let daemon = try daemon()
        var expected: [String: Int] = [:]
        for (dialect, target) in targets("/a") {
            var tag = ""
            for _ in 1...2 {
                let reply = try daemon.get(target)
                #expect(reply.status == 200, "\(target): \(reply.text)")
                let outcome = try #require(
                    reply["Cache-Status"]?.firstMatch(of: /detail=(\w+)/).map { String($0.1) })
                expected["\(dialect) \(outcome) 2xx", default: 0] += 1
                tag = reply["ETag"] ?? ""
                // An exchange is counted when the client already has its answer.
                #expect(try Patience.until { try requests(daemon) == expected }, "\(target)")
            }
            #expect(try daemon.get(target, fields: [("If-None-Match", tag)]).status == 304)
            #expect(try daemon.get(target, method: "HEAD").status == 200)
            expected["\(dialect) memoryHit 3xx", default: 0] += 1
            expected["\(dialect) memoryHit 2xx", default: 0] += 1
            #expect(try Patience.until { try requests(daemon) == expected }, "\(target)")
        }
        for dialect in DialectName.allCases.map(\.rawValue) {
            #expect(expected["\(dialect) memoryHit 2xx"] ?? 0 >= 2)
        }
    }

    @Test func `hits from an open file count for their dialect`() throws {
        let daemon = try daemon("--cache-memory", "0")
        for (dialect, target) in targets("/a") {
            for _ in 1...3 { #expect(try daemon.get(target).status == 200) }
            let label = "dialect=\"\(dialect)\",outcome=\"diskHit\""
            #expect(
                try Patience.until { try daemon.metric("pictor_requests_total", label) >= 2 }, "\(dialect)")
        }
        #expect(try daemon.metric("pictor_requests_total", "dialect=\"other\"") == 0)
    }

    @Test func `so do refusals and failures; what no dialect reads is counted as other`() throws {
        let daemon = try daemon()
        for (dialect, target) in targets("/gone") {
            #expect(try daemon.get(target).status == 404, "\(dialect)")
        }
        #expect(try daemon.get("/img?url=a.com&w=x").status == 400)
        #expect(try daemon.get("/?url=http:%5C%5Cfoobar").status == 400)
        #expect(try daemon.get("/_next/image?url=https://a.com/x").status == 400)
        #expect(try daemon.get("/cdn-cgi/image/w=x/https://a.com/x").status == 400)
        #expect(try daemon.get("/_/w:x/plain/https://a.com/x").status == 400)
        #expect(try daemon.get("/thumbor/unsafe/filters:x()/a.com/x").status == 400)
        #expect(try daemon.get("/imagor/unsafe/filters:x()/a.com/x").status == 400)
        #expect(try daemon.get("/img?url=a.com", method: "DELETE").status == 405)
        #expect(try daemon.get("/nothing").status == 404)
        #expect(try daemon.get("/").status == 302)
        let counts = [
            "native": 3, "weserv": 2, "next": 2, "cloudflare": 2, "imgproxy": 2, "thumbor": 2, "imagor": 2,
            "other": 2,
        ]
        for (dialect, count) in counts {
            let label = "dialect=\"\(dialect)\""
            #expect(
                try Patience.until { try daemon.metric("pictor_requests_total", label) == count },
                "\(dialect)")
        }
    }

    @Test func `one picture asked for in every dialect has one ETag and one file`() throws {
        let daemon = try daemon()
        let source = origin.url("/a").absolute
        let query = DaemonUnderTest.target(source).dropFirst("/img".count)
        let targets = [
            "/img\(query)&w=32&output=jpg&q=75", "/\(query)&w=32&we&output=jpg&q=75",
            "/_next/image\(query)&w=32&q=75",
            "/cdn-cgi/image/w=32,format=baseline-jpeg,q=75/\(source)",
            "/_/w:32/q:75/plain/\(source)@jpg",
            "/thumbor/unsafe/fit-in/32x/filters:format(jpeg):quality(75)/\(source)",
            "/imagor/unsafe/fit-in/32x0/filters:quality(75):format(jpg)/\(source)",
        ]
        #expect(targets.count == DialectName.allCases.count)
        let replies = try targets.map { try daemon.get($0) }
        #expect(replies.allSatisfy { $0.status == 200 }, "\(replies.map(\.status))")
        #expect(Set(replies.map { $0["ETag"] }).count == 1, "\(replies.map { $0["ETag"] ?? "–" })")
        #expect(Set(replies.map { Array($0.body) }).count == 1)
        #expect(origin.heads.count == 1)
        #expect(try daemon.metric("pictor_disk_entries", "kind=\"rendition\"") == 1)
    }

    @Test func `bytes are counted by dialect`() throws {
        let daemon = try daemon()
        var sum = 0
        for (dialect, target) in targets("/a") {
            let length = try daemon.get(target).body.count + daemon.get(target).body.count
            sum += length
            let label = "dialect=\"\(dialect)\""
            #expect(
                try Patience.until { try daemon.metric("pictor_response_bytes_total", label) == length },
                "\(dialect)")
        }
        #expect(try daemon.metric("pictor_response_bytes_total") == sum)
    }

    @Test(arguments: ["json", "text"])
    func `the access log names the dialect`(format: String) throws {
        let daemon = try daemon("--log-format", format)
        let connection = try Connection(port: daemon.port)
        var dialects: [String] = []
        for (dialect, target) in targets("/a") {
            for _ in 1...2 {
                try connection.request(target)
                #expect(try connection.reply().status == 200)
                dialects.append(dialect)
            }
        }
        try connection.request("/nothing")
        _ = try connection.reply()
        dialects.append("other")
        let lines = try #require(daemon.accessLog(of: dialects.count))
        for (line, dialect) in zip(lines, dialects) {
            let field = format == "json" ? "\"dialect\":\"\(dialect)\"" : "dialect=\(dialect)"
            #expect(line.contains(field), "\(line)")
        }
    }

    @Test func `a client that leaves counts for the dialect that read its request`() throws {
        let begun = Latch()
        let silent = ScriptedOrigin { peer in
            begun.signal()
            peer.waitForHangup()
        }
        let daemon = try daemon()
        let connection = try Connection(port: daemon.port)
        let query = DaemonUnderTest.target(silent.url("/a").absolute).dropFirst("/img".count)
        try connection.request("/_next/image\(query)&w=32&q=75")
        #expect(begun.wait())
        connection.close()
        #expect(try Patience.until { try requests(daemon) == ["next refused 4xx": 1] })
    }
}
