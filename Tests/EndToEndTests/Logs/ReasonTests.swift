// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("The logs say why there is no picture", .endToEnd)
struct ReasonTests {
    private struct Line: Decodable {
        var status: Int
        var outcome: String
        var error: String?
    }

    private func lines(_ daemon: DaemonUnderTest, _ count: Int) throws -> [Line] {
        try #require(daemon.accessLog(of: count)).map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    @Test func `a refusal's line has its code, and a picture's has none`() throws {
        let origin = ScriptedOrigin { peer in
            if peer.target == "/teapot" { return peer.answer("418 I'm a teapot") }
            if peer.target == "/text" { return peer.picture(Array("no picture".utf8)) }
            peer.picture(Pictures.gradient(60, 40))
        }
        let daemon = try DaemonUnderTest()
        let targets = [
            DaemonUnderTest.target(origin.url(), "w=30"), DaemonUnderTest.target(origin.url(), "w=many"),
            DaemonUnderTest.target(origin.url("/teapot")), DaemonUnderTest.target(origin.url("/text")),
            "/nothing",
        ]
        for target in targets { _ = try daemon.get(target) }
        let lines = try lines(daemon, targets.count)
        #expect(
            Set(lines.map { $0.error ?? "-" }) == [
                "-", "bad_parameter", "origin_status", "not_an_image", "not_found",
            ])
        #expect(lines.filter { $0.status == 200 }.allSatisfy { $0.error == nil })
        for code in ["bad_parameter", "origin_status", "not_an_image", "not_found"] {
            #expect(try daemon.metric("pictor_refusals_total", "code=\"\(code)\"") == 1, "\(code)")
        }
        #expect(try daemon.metric("pictor_refusals_total", "code=\"overloaded\"") == 0)
    }

    @Test func `a fetch that failed has a line with the reason, the origin's status and libcurl's words`()
        throws
    {
        let teapot = ScriptedOrigin { $0.answer("418 I'm a teapot") }
        let moved = ScriptedOrigin { $0.redirect(to: teapot.url("/there").absolute) }
        let daemon = try DaemonUnderTest()
        #expect(try daemon.get(moved.url()).status == 502)
        let answered = try #require(daemon.logLine(with: "no picture was fetched", "418"))
        #expect(answered.contains("origin_status") && answered.contains(teapot.url("/there").absolute))
        #expect(answered.contains(moved.url().absolute))
        // A port on which nobody listens.
        let closed = ScriptedOrigin { $0.reset() }
        #expect(try daemon.get(closed.url()).status == 502)
        let broken = try #require(daemon.logLine(with: "no picture was fetched", closed.url().absolute))
        #expect(broken.contains("libcurl") && broken.contains("reason"))
    }

    @Test func `a flood of failures is a few lines, and the rest is counted`() throws {
        let origin = ScriptedOrigin { $0.answer("404 Not Found") }
        let daemon = try DaemonUnderTest(["--origin-rest-after", "0"])
        let begin = ContinuousClock.now
        for number in 0..<200 { #expect(try daemon.get(origin.url("/\(number)")).status == 404) }
        #expect(try Patience.until { try daemon.metric("pictor_origin_fetches_total") == 200 })
        let lines = daemon.log.count { $0.contains("no picture was fetched") }
        let seconds = Int(begin.duration(to: .now).components.seconds)
        #expect(lines <= 10 * (seconds + 2))
    }
}
