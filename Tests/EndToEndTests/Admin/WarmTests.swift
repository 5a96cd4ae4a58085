// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Pictures are made before they are asked for", .endToEnd)
struct WarmTests {
    private struct Report: Decodable {
        struct Failure: Decodable {
            var target: String
            var status: Int
            var error: String
        }
        var state: String
        var total: Int
        var held: Int
        var made: Int
        var failed: Int
        var failures: [Failure]
    }

    private let origin = ScriptedOrigin { peer in
        if peer.target == "/gone" { return peer.answer("404 Not Found") }
        peer.picture(Pictures.gradient(60, 40))
    }

    private func warm(_ daemon: DaemonUnderTest, _ targets: [String], accept: String = "") throws -> Report {
        let order = ["targets": targets, "accept": accept] as [String: Any]
        let body = String(decoding: try JSONSerialization.data(withJSONObject: order), as: UTF8.self)
        let reply = try daemon.order("/admin/warm", body)
        #expect(reply.status == 202, "\(reply.text)")
        var report = try progress(daemon)
        #expect(
            try Patience.until {
                report = try progress(daemon)
                return report.state == "done"
            })
        return report
    }

    private func progress(_ daemon: DaemonUnderTest) throws -> Report {
        let text = try daemon.order("/admin/warm", method: "GET").text
        return try JSONDecoder().decode(Report.self, from: Data(text.utf8))
    }

    @Test func `what was warmed is held, and what cannot be made is told`() throws {
        let daemon = try DaemonUnderTest(
            ["--signatures-required", "all"],
            environment: DaemonUnderTest.trusting.merging(
                ["PICTOR_SIGNATURES_KEYS": String(repeating: "k", count: 32)]) { $1 })
        #expect(try progress(daemon).state == "idle")
        let targets = [20, 30].map { DaemonUnderTest.target(origin.url("/a"), "w=\($0)") }
        let gone = DaemonUnderTest.target(origin.url("/gone"), "w=20")
        let first = try warm(daemon, targets + [gone])
        #expect((first.total, first.made, first.held, first.failed) == (3, 2, 0, 1))
        #expect(first.failures.map(\.target) == [gone])
        #expect(first.failures.first?.status == 404)
        #expect(first.failures.first?.error == "origin_status")
        #expect(daemon.cache.files(in: "renditions").count == 2)
        let second = try warm(daemon, ["http://cdn.test" + targets[0]])
        #expect((second.total, second.made, second.held) == (1, 0, 1))
        #expect(try daemon.metric("pictor_renders_total") == 2)
    }

    @Test func `the clients to come say what they accept`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let target = DaemonUnderTest.target(origin.url("/a"), "w=20&output=auto")
        _ = try warm(daemon, [target], accept: "image/webp")
        let reply = try daemon.get(target, fields: [("Accept", "image/webp")])
        #expect(reply["Cache-Status"]?.hasPrefix("pictor;hit") == true, "\(reply["Cache-Status"] ?? "")")
        #expect(reply["Content-Type"] == "image/webp")
    }

    @Test func `an order with a mistake is refused as a whole, with words`() throws {
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let good = DaemonUnderTest.target(origin.url("/a"), "w=20")
        for (body, word) in [
            ("", "targets"), ("{\"targets\":[]}", "targets"), ("{\"targets\":[5]}", "targets"),
            ("{\"targets\":[\"\(good)\",\"/other\"]}", "no request of /img"),
            ("{\"targets\":[\"\(good)\",\"/img?url=a.com&w=x\"]}", "\\\"w\\\""),
            ("{\"targets\":[\"\(good)&output=json\"]}", "json"),
            ("{\"targets\":[\"\(good)\"],\"targets\":[\"\(good)\"]}", "more than once"),
        ] {
            let reply = try daemon.order("/admin/warm", body)
            #expect(reply.status == 400, "\(body)")
            #expect(reply.text.contains(word), "\(reply.text)")
        }
        #expect(try progress(daemon).state == "idle")
        #expect(origin.heads.isEmpty)
    }

    @Test func `one order is at work at a time`() throws {
        let (arrived, release) = (Latch(), Latch())
        let slow = ScriptedOrigin { peer in
            arrived.signal()
            release.wait()
            peer.picture(Pictures.gradient(60, 40))
        }
        let daemon = try DaemonUnderTest(
            ["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"],
            environment: DaemonUnderTest.trusting)
        let body = "{\"targets\":[\"\(DaemonUnderTest.target(slow.url(), "w=20"))\"]}"
        #expect(try daemon.order("/admin/warm", body).status == 202)
        #expect(arrived.wait())
        #expect(try progress(daemon).state == "running")
        let other = try daemon.order("/admin/warm", body)
        #expect(other.status == 409)
        #expect(other.text.contains("busy"))
        release.signal()
        #expect(try Patience.until { try progress(daemon).made == 1 })
    }
}
