// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A scan of sizes ends at the quota of its original", .endToEnd)
struct RenditionQuotaDaemonTests {
    private let origin = ScriptedOrigin { peer in
        peer.picture(Pictures.gradient(60, 40, hue: peer.target.hasPrefix("/other") ? 1 : 2))
    }

    private func daemon(_ limit: Int, _ flags: String...) throws -> DaemonUnderTest {
        try DaemonUnderTest(
            ["--limits-renditions-per-original", "\(limit)"] + flags, environment: DaemonUnderTest.trusting)
    }

    @Test func `what goes beyond is told when to come again, and what is held is answered`() throws {
        let daemon = try daemon(3)
        for width in 1...3 { #expect(try daemon.get(origin.url(), "w=\(width)").status == 200) }
        let refusal = try daemon.get(origin.url(), "w=4")
        #expect(refusal.status == 429)
        #expect(refusal.text.contains("\"too_many_renditions\""))
        #expect(refusal["Cache-Control"] == "no-store")
        let wait = try #require(refusal["Retry-After"].flatMap { Int($0) })
        #expect((3_000...3_600).contains(wait))
        #expect(try daemon.get(origin.url(), "w=3&q=50").status == 200)
        #expect(try daemon.get(origin.url("/other"), "w=4").status == 200)
        #expect(try daemon.metric("pictor_renditions_refused_total") == 1)
        #expect(try daemon.metric("pictor_renders_total") == 4)
    }

    @Test func `every dialect and every URL of the same bytes counts into the same quota`() throws {
        let daemon = try daemon(2)
        let source = origin.url().absolute
        #expect(try daemon.get("/img?url=\(source)&w=10").status == 200)
        #expect(try daemon.get("/?url=\(source)&w=20").status == 200)
        for target in [
            "/img?url=\(source)&w=30", "/?url=\(source)&w=30", "/_next/image?url=\(source)&w=30&q=75",
            "/img?url=\(source)%3Fagain&w=30", "/img?url=\(source)&w=10&output=webp&n=-1",
            "/img?url=\(source)&output=json&json=average",
        ] {
            #expect(try daemon.get(target).status == 429, "\(target)")
        }
        #expect(try daemon.get("/img?url=\(source)%3Fagain&w=10").status == 200)
        #expect(try daemon.get("/img?url=\(source)&output=json").status == 200)
    }

    @Test func `the source can stand in for what is refused`() throws {
        let daemon = try daemon(1, "--options-default-hosts", "127.0.0.1")
        #expect(try daemon.get(origin.url(), "w=10").status == 200)
        let reply = try daemon.get(origin.url(), "w=20&default=1")
        #expect(reply.status == 302)
        #expect(reply["Location"] == origin.url().absolute)
    }

    @Test func `whoever carries the token has none`() throws {
        let daemon = try daemon(1)
        for width in 1...4 {
            let reply = try daemon.get(origin.url(), "w=\(width)", fields: DaemonUnderTest.trusted)
            #expect(reply.status == 200)
        }
        #expect(try daemon.get(origin.url(), "w=10").status == 200)
        #expect(try daemon.get(origin.url(), "w=11").status == 429)
    }

    @Test func `the log says it once, and explain before it happens`() throws {
        let daemon = try daemon(1)
        #expect(try daemon.get(origin.url(), "w=10").status == 200)
        let target = DaemonUnderTest.target(origin.url(), "w=20").replacing("/img?", with: "/admin/explain?")
        let explanation = try daemon.admin(target, fields: DaemonUnderTest.trusted)
        #expect(explanation.text.contains("\"renditions_this_hour\":1"), "\(explanation.text)")
        #expect(explanation.text.contains("\"outcome\":\"refused\""))
        for width in 20...30 { #expect(try daemon.get(origin.url(), "w=\(width)").status == 429) }
        #expect(daemon.logLine(with: "too many renditions", origin.url().absolute) != nil)
        daemon.stop()
        #expect(daemon.log.count { $0.contains("too many renditions") } == 1)
    }

    @Test func `a stranger's scan of a picture leaves it to those who ask for few of its sizes`() throws {
        let daemon = try daemon(40)
        func get(_ width: Int, from client: String) throws -> Int {
            try daemon.get(DaemonUnderTest.target(origin.url(), "w=30&h=\(width)&fit=fill"), from: client)
                .status
        }
        let scan = try (1...60).map { try get($0, from: "127.0.0.66") }
        #expect(scan.count { $0 == 200 } == 30 && scan.last == 429)
        for client in 3...12 {
            for number in 1...2 {
                #expect(try get(100 + 2 * client + number, from: "127.0.0.\(client)") == 200)
            }
        }
        #expect(try get(500, from: "127.0.0.66") == 429)
    }

    @Test func `without a limit there is none`() throws {
        let daemon = try daemon(0)
        for width in 1...20 { #expect(try daemon.get(origin.url(), "w=\(width)").status == 200) }
    }
}
