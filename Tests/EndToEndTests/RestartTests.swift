// SPDX-License-Identifier: Apache-2.0

import Foundation
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
