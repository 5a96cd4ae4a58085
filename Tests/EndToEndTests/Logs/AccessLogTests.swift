// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A line of the access log tells what came of a request", .endToEnd)
struct AccessLogTests {
    private struct Line: Decodable {
        var request: String
        var target: String
        var status: Int
        var outcome: String
        var duration_us: Int
        var key: String?
        var error: String?
        var cache_us: Int?
        var origin_us: Int?
        var inspect_us: Int?
        var queue_us: Int?
        var decode_us: Int?
        var encode_us: Int?
        var sample: Int?
        var left_out: Int?

        var stages: [Int] { [cache_us, origin_us, queue_us, decode_us, encode_us].compactMap { $0 } }
    }

    /// In no order: each event loop writes its own.
    private func lines(_ daemon: DaemonUnderTest, _ count: Int) throws -> [Line] {
        try #require(daemon.accessLog(of: count)).map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test func `a picture's line has its key and the times of its stages, a hit's the same key`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(600, 400)) }
        let daemon = try DaemonUnderTest()
        let made = try daemon.get(origin.url(), "w=300")
        #expect(try daemon.get(origin.url(), "w=300").status == 200)
        let lines = try lines(daemon, 2)
        let miss = try #require(lines.first { $0.outcome == "rendered" })
        let hit = try #require(lines.first { $0.outcome == "memoryHit" })
        // The entity tag is the key's beginning.
        let tag = try #require(made["ETag"])
        #expect(miss.key.map { tag == "\"\($0.prefix(32))\"" } == true)
        #expect(hit.key == miss.key && hit.stages.isEmpty)
        #expect(try #require(miss.decode_us) > 0 && miss.encode_us ?? 0 > 0 && miss.origin_us ?? 0 > 0)
        #expect(miss.stages.reduce(0, +) <= miss.duration_us * 2)
    }

    @Test func `what the log calls a hit counts as one, also where the request has a body`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        for body in ["body", "body", ""] {
            let connection = try Connection(port: daemon.port)
            try connection.request(target, body: body)
            #expect(try connection.reply().status == 200)
        }
        let outcomes = try lines(daemon, 3).map(\.outcome).sorted()
        #expect(outcomes == ["memoryHit", "memoryHit", "rendered"])
        #expect(try daemon.metric("pictor_memory_hits_total") == 2)
        #expect(try daemon.metric("pictor_memory_misses_total") == 1)
    }

    @Test func `a failure's line has the times of the stages that it went through, and so have the metrics`()
        throws
    {
        let origin = ScriptedOrigin { peer in
            switch peer.target {
            case "/none": peer.answer("404 Not Found")
            case "/broken":
                peer.answer(
                    "200 OK", fields: ["Content-Type: image/png"], body: [UInt8](repeating: 0, count: 64))
            default: peer.picture(Pictures.gradient(60, 40))
            }
        }
        let daemon = try DaemonUnderTest()
        func stages(_ stage: String) throws -> Int {
            try daemon.metric("pictor_stage_seconds_count", "stage=\"\(stage)\"")
        }
        #expect(try daemon.get(origin.url("/none"), "w=30").status == 404)
        #expect(try stages("origin") == 1)
        #expect(try daemon.get(origin.url("/broken"), "w=30").status == 415)
        #expect(try stages("origin") == 2 && stages("inspect") == 1)
        // It is fetched and inspected, and has no such page.
        #expect(try daemon.get(origin.url("/good"), "w=30&page=2").status == 400)
        #expect(try stages("origin") == 3 && stages("inspect") == 2)
        // What is remembered takes no such time.
        #expect(try daemon.get(origin.url("/none"), "w=30").status == 404)
        #expect(try stages("origin") == 3 && stages("inspect") == 2)

        let lines = try lines(daemon, 4)
        let none = try #require(lines.first { $0.target.contains("none") && $0.outcome == "refused" })
        #expect(none.origin_us ?? 0 > 0 && none.inspect_us == nil && none.error == "origin_status")
        let remembered = try #require(lines.first { $0.outcome == "negative" })
        #expect(remembered.origin_us == nil && remembered.inspect_us == nil)
        for path in ["broken", "good"] {
            let line = try #require(lines.first { $0.target.contains(path) })
            #expect(line.origin_us ?? 0 > 0 && line.inspect_us ?? 0 > 0, "\(line)")
        }
    }

    @Test func `a condition or a range that does not hold is named in the line and the metrics`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        #expect(try daemon.get(target).status == 200)
        for (field, value, status, code) in [
            ("If-Match", "\"other\"", 412, "precondition_failed"),
            ("Range", "bytes=9999999-", 416, "range_not_satisfiable"),
        ] {
            #expect(try daemon.get(target, fields: [(field, value)]).status == status)
            // Counted once it is sent.
            #expect(
                Patience.until { (try? daemon.metric("pictor_refusals_total", "code=\"\(code)\"")) == 1 },
                "\(code)")
        }
        let lines = try lines(daemon, 3)
        #expect(lines.first { $0.status == 412 }?.error == "precondition_failed")
        #expect(lines.first { $0.status == 416 }?.error == "range_not_satisfiable")
        #expect(lines.allSatisfy { $0.status == 200 || $0.outcome == "memoryHit" })
    }

    @Test func `the client's own name of a request is in its answer and its line, whatever came of it`()
        throws
    {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let own = "Root=1-67891233-abcdef012345678912345678"
        let target = DaemonUnderTest.target(origin.url(), "w=30")
        let targets = [target, target, DaemonUnderTest.target(origin.url(), "w=many"), "/nothing"]
        for target in targets {
            #expect(try daemon.get(target, fields: [("X-Request-ID", own)])["X-Request-Id"] == own)
        }
        let lines = try lines(daemon, targets.count)
        #expect(lines.allSatisfy { $0.request == own })
        #expect(Set(lines.map(\.outcome)) == ["rendered", "memoryHit", "refused"])
    }

    @Test func `what is no picture and no refusal is synthetic, and counted so`() throws {
        let daemon = try DaemonUnderTest(["--server-probes", "true", "--server-drain-delay", "1h"])
        for (path, method) in [
            ("/health/live", "GET"), ("/health/ready", "HEAD"), ("/img", "OPTIONS"), ("*", "OPTIONS"),
        ] {
            let status = try daemon.get(path, method: method).status
            #expect(status == 200 || status == 204, "\(path)")
        }
        // Not a probe's path, and not a probe's method.
        for (path, method, status) in [("/health", "GET", 404), ("/health/live", "POST", 405)] {
            #expect(try daemon.get(path, method: method).status == status)
        }
        // Probes that found all well have no line.
        let lines = try lines(daemon, 4)
        #expect(lines.allSatisfy { $0.outcome == ($0.status >= 400 ? "refused" : "synthetic") }, "\(lines)")
        // Counted once they are sent: of those without a line, nothing else tells that.
        #expect(
            try Patience.until { try daemon.metric("pictor_requests_total", "outcome=\"synthetic\"") == 4 })
        #expect(try daemon.metric("pictor_requests_total", "outcome=\"refused\"") == 2)
        // One that is not ready says so, and has refused nobody.
        daemon.terminate()
        #expect(try Patience.until { try daemon.get("/health/ready").status == 503 })
        #expect(try daemon.metric("pictor_requests_total", "outcome=\"refused\"") == 2)
        daemon.kill()
    }

    @Test func `other requests get a name each, which a refusal tells`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest()
        let refused = try daemon.get("/nothing")
        #expect(try daemon.get(origin.url(), "w=30")["X-Request-Id"] == nil)
        #expect(try daemon.get(origin.url(), "w=30")["X-Request-Id"] == nil)
        let broken = try daemon.get("/a b")
        #expect(broken.status == 400)
        let lines = try lines(daemon, 4)
        #expect(lines.first { $0.status == 404 }?.request == refused["X-Request-Id"])
        #expect(lines.first { $0.status == 400 }?.request == broken["X-Request-Id"])
        #expect(Set(lines.map(\.request)).count == 4)
        #expect(lines.allSatisfy { $0.request.wholeMatch(of: /[0-9a-hjkmnp-tv-z]{13}/) != nil })
    }

    @Test(arguments: ["", "a b", "a\"b", "<b>", String(repeating: "x", count: 129), "é"])
    func `a name that is none counts as none`(name: String) throws {
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get("/nothing", fields: [("X-Request-Id", name)])
        let line = try #require(try lines(daemon, 1).first)
        #expect(line.request == reply["X-Request-Id"] && line.request.utf8.count == 13)
    }

    @Test func `what the log says of a request has its name`() throws {
        let origin = ScriptedOrigin { $0.answer("418 I'm a teapot") }
        let daemon = try DaemonUnderTest()
        let reply = try daemon.get(
            DaemonUnderTest.target(origin.url()), fields: [("X-Request-Id", "number-7")])
        #expect(reply.status == 502)
        #expect(try #require(daemon.logLine(with: "no picture was fetched")).contains("number-7"))
    }

    @Test func `secrets in URLs are in neither log`() throws {
        let origin = ScriptedOrigin { $0.answer("403 Forbidden") }
        let daemon = try DaemonUnderTest(["--log-redact", "token,x-amz-signature"])
        let secret = "s3cr3t-s3cr3t"
        let places = [
            DaemonUnderTest.target(origin.url("/a.png?x=1&Token=\(secret)&y=2")),
            "/img?url=\(origin.url("/b.png?X-Amz-Signature=\(secret)").absolute)&w=30",
        ]
        for place in places { _ = try daemon.get(place) }
        let written = try #require(daemon.accessLog(of: places.count))
        #expect(written.allSatisfy { $0.contains("REDACTED") && !$0.contains(secret) })
        #expect(try #require(daemon.logLine(with: "no picture", "Token=REDACTED")).isEmpty == false)
        #expect(try #require(daemon.logLine(with: "no picture", "X-Amz-Signature=REDACTED")).isEmpty == false)
        #expect(!daemon.log.contains { $0.contains(secret) })
    }

    @Test func `of many successes some have lines, of refusals all`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let daemon = try DaemonUnderTest(["--log-access-sample", "10"])
        for _ in 0..<30 { #expect(try daemon.get(origin.url(), "w=30").status == 200) }
        for _ in 0..<5 { #expect(try daemon.get("/nothing").status == 404) }
        let lines = try lines(daemon, 8)
        #expect(lines.filter { $0.status == 200 }.map(\.sample) == [10, 10, 10])
        #expect(lines.filter { $0.status == 404 }.map(\.sample) == Array(repeating: nil, count: 5))
    }

    @Test func `a flood gets so many lines a second, and none is left out untold`() throws {
        let daemon = try DaemonUnderTest(["--log-access-rate", "5"])
        let begin = ContinuousClock.now
        // One connection's lines are in order.
        let connection = try Connection(port: daemon.port)
        func ask(_ number: Int) throws {
            try connection.request("/nothing", fields: [("X-Request-Id", "\(number)")])
            #expect(try connection.reply().status == 404)
        }
        for number in 1...300 { try ask(number) }
        let seconds = Int(begin.duration(to: .now).components.seconds)
        // A line of a later second tells what was left out before.
        var last = 300
        let told = try Patience.until {
            last += 1
            try ask(last)
            return try lines(daemon, 1).contains { Int($0.request) ?? 0 > 300 }
        }
        #expect(told)
        var counted = 0
        for line in try lines(daemon, 1) {
            counted += 1 + (line.left_out ?? 0)
            #expect(line.request == "\(counted)")
        }
        let early = try lines(daemon, 1).count { Int($0.request) ?? 0 <= 300 }
        #expect(early <= 5 * (seconds + 2))
    }
}
