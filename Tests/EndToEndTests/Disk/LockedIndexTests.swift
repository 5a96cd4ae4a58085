// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

@Suite("An index that somebody locks costs no answer", .endToEnd)
struct LockedIndexTests {
    private let origin = ScriptedOrigin.pictures()

    @Test func `a daemon started meanwhile serves what is there, and keeps when the lock is gone`() throws {
        let cache = TemporaryFolder()
        let first = try DaemonUnderTest(cache: cache)
        let made = try first.get(origin.url("/1"), "w=30")
        #expect(first.stop() == 0)
        let other = try CacheIndex(cache, .readWrite)
        try other.execute("BEGIN IMMEDIATE")

        let second = try DaemonUnderTest(cache: cache)
        let held = try second.get(origin.url("/1"), "w=30")
        #expect(held.body == made.body)
        #expect(held["Cache-Status"]?.hasSuffix("detail=diskHit") == true)
        #expect(try second.get(origin.url("/2"), "w=30").status == 200)
        #expect(try second.saysTrouble("locked"))
        try other.execute("ROLLBACK")
        #expect(try second.saysRecovery())
        #expect(try second.get(origin.url("/3"), "w=30").status == 200)
        #expect(try second.entries("rendition") == 2)
    }

    @Test func `what is made while it is locked is in the index once the lock is gone`() throws {
        let cache = TemporaryFolder()
        let daemon = try DaemonUnderTest(cache: cache)
        let other = try CacheIndex(cache, .readWrite)
        try other.execute("BEGIN IMMEDIATE")
        for number in 0..<5 { #expect(try daemon.get(origin.url("/\(number)"), "w=30").status == 200) }
        #expect(try daemon.saysTrouble("locked"))
        #expect(try daemon.metric("pictor_disk_index_errors_total") > 0)
        #expect(try daemon.get(origin.url("/7"), "w=30").status == 200)
        try other.execute("ROLLBACK")
        #expect(try daemon.saysRecovery())
        #expect(daemon.stop() == 0)
        for folder in ["originals", "renditions"] {
            let files = Set(cache.files(in: folder).map { String($0.suffix(64)) })
            #expect(files.count == 6)
            #expect(try other.names(in: folder) == files)
        }
    }

    @Test(arguments: ["\"all\":true", "\"host\":\"127.0.0.1\"", "\"tag\":\"shop\"", "\"url\":\"URL\""])
    func `a purge meanwhile says that a restart may undo it, and nothing of before is served`(
        member: String
    ) throws {
        let asked = Latch()
        let origin = ScriptedOrigin { peer in
            asked.signal()
            peer.picture(Pictures.gradient(60, 40, hue: UInt8(asked.count)), fields: ["Cache-Tag: shop"])
        }
        let daemon = try DaemonUnderTest(environment: DaemonUnderTest.trusting)
        let before = try daemon.get(origin.url(), "w=30")
        let other = try CacheIndex(daemon.cache, .readWrite)
        try other.execute("BEGIN IMMEDIATE")

        let order = "{\(member.replacing("URL", with: origin.url().absolute))}"
        let reply = try daemon.order("/admin/purge", order)
        #expect(reply.status == 503 && reply.text.contains("index_unreadable"), "\(reply.text)")
        #expect(reply.text.contains("is removed from memory") && reply.text.contains("a restart may"))
        let after = try daemon.get(origin.url(), "w=30")
        #expect(after.status == 200 && after.body != before.body && asked.count == 2)

        #expect(try daemon.saysTrouble("locked"))
        try other.execute("ROLLBACK")
        #expect(try daemon.saysRecovery())
        #expect(try daemon.order("/admin/purge", order).status == 200)
        daemon.kill()
        let second = try DaemonUnderTest(cache: daemon.cache)
        #expect(try second.get(origin.url(), "w=30").body != before.body)
    }
}
