// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("What was made survives a restart, and nothing hangs on its surviving", .endToEnd)
struct RestartTests {
    private let origin = ScriptedOrigin { peer in
        peer.picture(Pictures.gradient(60, 40), fields: ["ETag: \"one\""])
    }

    @Test func `after a restart the answer comes from disk, then from memory, with the same entity tag`()
        throws
    {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url(), "w=30")
        #expect(first.stop() == 0)

        let second = try DaemonUnderTest(cache: cache)
        for detail in ["diskHit", "memoryHit"] {
            let reply = try second.get(origin.url(), "w=30")
            #expect(reply.status == 200)
            #expect(reply.body == made.body)
            #expect(reply["ETag"] == made["ETag"])
            #expect(reply["Cache-Status"]?.hasPrefix("pictor;hit;ttl=") == true)
            #expect(reply["Cache-Status"]?.hasSuffix(";detail=\(detail)") == true)
        }
        #expect(origin.heads.count == 1)
        #expect(try second.metric("pictor_renders_total") == 0)
    }

    @Test func `a client's validator holds after a restart, without a fetch`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let tag = try #require(try first.get(origin.url(), "w=30")["ETag"])
        first.stop()
        let second = try DaemonUnderTest(cache: cache)
        #expect(try second.get(origin.url(), "w=30", fields: [("If-None-Match", tag)]).status == 304)
        #expect(origin.heads.count == 1)
    }

    @Test
    func `the first answer from disk says what the next one from memory says, but for how it came about`()
        throws
    {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        _ = try first.get(origin.url(), "w=30")
        first.stop()
        let second = try DaemonUnderTest(cache: cache)
        let page = [("Origin", "https://page.test")]
        let replies = try (0..<2).map { _ in try second.get(origin.url(), "w=30", fields: page) }
        #expect(replies[0]["Server-Timing"]?.wholeMatch(of: /cache;dur=\d+\.\d\d/) != nil)
        #expect(replies[1]["Server-Timing"] == nil)
        let own = ["date", "age", "cache-status", "server-timing", "x-request-id"]
        let told = replies.map { reply in
            reply.fields.map { "\($0.name.lowercased()): \($0.value)" }
                .filter { line in !own.contains { line.hasPrefix("\($0):") } }.sorted()
        }
        #expect(told[0] == told[1] && told[0].count > 8)
        #expect(
            try Patience.until { try second.metric("pictor_requests_total", "outcome=\"diskHit\"") == 1 })
    }

    @Test func `heads, validators and ranges hold for pictures that are on disk alone`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try (0..<4).map { try first.get(origin.url(), "w=\(30 + $0)") }
        first.stop()
        let second = try DaemonUnderTest(cache: cache)
        let tag = try #require(made[1]["ETag"])
        let head = try second.get(origin.url(), "w=30", method: "HEAD")
        let notModified = try second.get(origin.url(), "w=31", fields: [("If-None-Match", tag)])
        let part = try second.get(origin.url(), "w=32", fields: [("Range", "bytes=0-9")])
        let failed = try second.get(origin.url(), "w=33", fields: [("If-Match", tag)])
        #expect(head.status == 200 && head.body.isEmpty)
        #expect(head["Content-Length"] == "\(made[0].body.count)")
        #expect(notModified.status == 304 && notModified["ETag"] == tag && notModified.body.isEmpty)
        #expect(part.status == 206 && part.body == Array(made[2].body.prefix(10)))
        #expect(failed.status == 412)
        for (number, reply) in made.enumerated() {
            #expect(try second.get(origin.url(), "w=\(30 + number)").body == reply.body)
        }
        #expect(origin.heads.count == 1)
        #expect(try second.metric("pictor_renders_total") == 0)
    }

    @Test func `what is purged after a restart is not answered from disk`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        for width in [30, 31] { _ = try first.get(origin.url(), "w=\(width)") }
        first.stop()
        let second = try DaemonUnderTest(cache: cache, environment: DaemonUnderTest.trusting)
        #expect(try second.get(origin.url(), "w=30")["Cache-Status"]?.hasSuffix("diskHit") == true)
        let reply = try second.order("/admin/purge", "{\"url\":\"\(origin.url().absolute)\"}")
        #expect(reply.status == 200)
        for width in [30, 31] {
            let reply = try second.get(origin.url(), "w=\(width)")
            #expect(reply["Cache-Status"]?.hasSuffix("detail=rendered") == true)
        }
        #expect(origin.heads.count == 2)
    }

    @Test func `two nodes give one picture the same entity tag and the same bytes`() throws {
        let replies = try [DaemonUnderTest(), DaemonUnderTest()].map { try $0.get(origin.url(), "w=30") }
        #expect(replies[0]["ETag"] == replies[1]["ETag"])
        #expect(replies[0].body == replies[1].body)
    }

    @Test func `a new size of a held original needs no fetch after a restart`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        _ = try first.get(origin.url(), "w=30")
        first.stop()
        let second = try DaemonUnderTest(cache: cache)
        let reply = try second.get(origin.url(), "w=20")
        #expect(reply["Cache-Status"]?.hasSuffix(";detail=rendered") == true)
        #expect(origin.heads.count == 1)
    }

    @Test func `a rendition too large for memory is served from its file`() throws {
        let origin = ScriptedOrigin { $0.picture(Pictures.noise(400, 300)) }
        let daemon = try DaemonUnderTest(["--cache-memory", "1MiB"])
        let first = try daemon.get(origin.url(), "w=399&output=png")
        let second = try daemon.get(origin.url(), "w=399&output=png")
        #expect(first.body.count > 200_000)
        #expect(second.body == first.body)
        #expect(second["Cache-Status"]?.hasSuffix(";detail=diskHit") == true)
    }

    @Test func `a damaged file is a miss and not an answer`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url(), "w=30")
        first.stop()
        let name = try #require(cache.files(in: "renditions").first)
        let url = URL(filePath: "\(cache.path)/renditions/\(name)")
        var bytes = try Data(contentsOf: url)
        bytes[bytes.count / 3] ^= 0xFF
        try bytes.write(to: url)

        let second = try DaemonUnderTest(cache: cache)
        let reply = try second.get(origin.url(), "w=30")
        #expect(reply.status == 200)
        #expect(reply.body == made.body)
        #expect(origin.heads.count == 1)
    }

    @Test func `a lost index costs time and nothing else`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url(), "w=30")
        first.stop()
        try Data("no database".utf8).write(to: URL(filePath: "\(cache.path)/index.sqlite"))
        let second = try DaemonUnderTest(cache: cache)
        let reply = try second.get(origin.url(), "w=30")
        #expect(reply.status == 200)
        #expect(reply.body == made.body)
        #expect(second.logLine(with: "index was damaged") != nil)
    }

    @Test func `files deleted under a running daemon cost time and nothing else`() throws {
        let daemon = try DaemonUnderTest(["--cache-memory", "0B", "--cache-open-files", "0"])
        let made = try daemon.get(origin.url(), "w=30")
        for folder in ["originals", "renditions"] {
            for name in daemon.cache.files(in: folder) {
                try FileManager.default.removeItem(atPath: "\(daemon.cache.path)/\(folder)/\(name)")
            }
        }
        let reply = try daemon.get(origin.url(), "w=30")
        #expect(reply.status == 200)
        #expect(reply.body == made.body)
        #expect(origin.heads.count == 2)
    }
}
