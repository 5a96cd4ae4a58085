// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import SourceURLs
import TestSupport
import Testing

private func now() -> Int { Int(Date.now.timeIntervalSince1970) }

@Suite("Nothing outlives the end of its URL", .endToEnd, .timeLimit(.minutes(5)))
struct URLEndTests {
    private let origin = ScriptedOrigin { peer in
        if peer.target == "/none" { return peer.answer("404 Not Found") }
        peer.picture(
            Pictures.gradient(60, 40), fields: ["Cache-Control: stale-while-revalidate=600"])
    }

    /// Seconds for which caches may keep it.
    private func left(_ reply: Connection.Reply) throws -> Int {
        let control = try #require(reply["Cache-Control"])
        let age = try #require(control.firstMatch(of: /max-age=([0-9]+)/).flatMap { Int($0.1) })
        return age - (reply["Age"].flatMap { Int($0) } ?? 0)
    }

    @Test func `clients are told no more than what is left of it, on the long way and on the short one`()
        throws
    {
        let daemon = try DaemonUnderTest(["--cache-client-minimum-lifetime", "2h"])
        let source = origin.url("/a")
        let end = now() + 500
        for round in 1...3 {
            for method in ["GET", "HEAD"] {
                let reply = try daemon.get(source, "w=30&exp=\(end)", method: method)
                #expect((1...500).contains(try left(reply)), "\(round)")
                #expect(reply["Cache-Control"]?.contains("must-revalidate") == true)
                #expect(reply["Cache-Control"]?.contains("stale") == false)
            }
        }
        let tag = try #require(try daemon.get(source, "w=30&exp=\(end)")["ETag"])
        let unmodified = try daemon.get(source, "w=30&exp=\(end)", fields: [("If-None-Match", tag)])
        #expect(unmodified.status == 304)
        #expect(try left(unmodified) <= 500)
        #expect(try left(try daemon.get(source, "w=30")) > 3000, "the same picture, without an end")
        // Shorter than what is remembered of it.
        let failure = try daemon.get(origin.url("/none"), "exp=\(now() + 40)")
        #expect(failure.status == 404)
        #expect(try left(failure) <= 40)
    }

    @Test func `what memory holds of it ends with it`() throws {
        let daemon = try DaemonUnderTest()
        let source = origin.url("/a")
        // Made before the time runs, so that what is left of it is for hits.
        #expect(try daemon.get(source, "w=30").status == 200)
        let connection = try Connection(port: daemon.port)
        /// Asks until the end has come; how often it was in memory before.
        func hits(within seconds: Int) throws -> Int {
            let end = now() + seconds
            let target = DaemonUnderTest.target(source, "w=30&exp=\(end)")
            var statuses: [Int] = []
            var hits = 0
            while statuses.last != 410, now() < end + 60 {
                try connection.request(target)
                let reply = try connection.reply()
                statuses.append(reply.status)
                if now() < end { #expect(reply.status == 200) }
                if reply.status == 200 { #expect(try left(reply) <= seconds) }
                if reply["Cache-Status"]?.hasSuffix("detail=memoryHit") == true { hits += 1 }
                usleep(100_000)
            }
            #expect(statuses.last == 410)
            #expect(try daemon.get(target).text.contains("url_expired"))
            return hits
        }
        // A slow machine may not come to ask twice before an end that is near.
        #expect(try [4, 8, 16, 32].contains { try hits(within: $0) > 1 }, "it had been in memory")
    }
}
