// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@Suite("Cache-Status tells how each answer came about", .endToEnd)
struct CacheStatusDaemonTests {
    private static let picture = Pictures.gradient(60, 40)

    private func status(_ reply: Connection.Reply) -> String { reply["Cache-Status"] ?? "none" }

    @Test func `a miss, a hit in memory, a hit on disk and another size`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        let replies = try ["w=30", "w=30", "w=20"].map { try daemon.get(origin.url(), $0) }
        #expect(
            status(replies[0]).wholeMatch(
                of: /pictor;fwd=uri-miss;fwd-status=200;ttl=3[56]\d\d;stored;detail=rendered/) != nil)
        #expect(status(replies[1]).wholeMatch(of: /pictor;hit;ttl=3[56]\d\d;detail=memoryHit/) != nil)
        #expect(status(replies[2]).wholeMatch(of: /pictor;hit;ttl=3[56]\d\d;detail=rendered/) != nil)
        daemon.stop()
        let second = try DaemonUnderTest(cache: daemon.cache)
        let reply = try second.get(origin.url(), "w=30")
        #expect(status(reply).wholeMatch(of: /pictor;hit;ttl=3[56]\d\d;detail=diskHit/) != nil)
    }

    @Test func `a status of a proxy that has changed the original is told`() throws {
        let origin = ScriptedOrigin { peer in
            peer.answer(
                "203 Non-Authoritative Information",
                fields: ["Content-Type: image/png", "Cache-Control: max-age=0"], body: Self.picture)
        }
        let daemon = try DaemonUnderTest()
        for reason in ["uri-miss", "stale"] {
            let reply = try daemon.get(origin.url(), "w=30")
            #expect(status(reply).hasPrefix("pictor;fwd=\(reason);fwd-status=203;"), "\(status(reply))")
        }
    }

    @Test func `a 304 and a HEAD by a cached answer carry it too`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture) }
        let daemon = try DaemonUnderTest()
        let tag = try #require(try daemon.get(origin.url(), "w=30")["ETag"])
        let notModified = try daemon.get(origin.url(), "w=30", fields: [("If-None-Match", tag)])
        let head = try daemon.get(origin.url(), "w=30", method: "HEAD")
        for reply in [notModified, head] {
            #expect(status(reply).wholeMatch(of: /pictor;hit;ttl=3[56]\d\d;detail=memoryHit/) != nil)
            #expect(reply["Age"] != nil)
        }
    }

    @Test func `stale while the origin fails, and what must not be kept`() throws {
        let count = Latch()
        let origin = ScriptedOrigin { peer in
            count.signal()
            if peer.target == "/secret" {
                peer.answer(
                    fields: ["Content-Type: image/png", "Cache-Control: no-store"], body: Self.picture)
            } else if count.count == 1 {
                peer.picture(Self.picture, maxAge: 0)
            } else {
                peer.answer("503 Service Unavailable")
            }
        }
        let daemon = try DaemonUnderTest()
        _ = try daemon.get(origin.url("/a"), "w=30")
        let stale = status(try daemon.get(origin.url("/a"), "w=30"))
        #expect(
            stale.wholeMatch(of: /pictor;fwd=stale;fwd-status=503;ttl=-?\d+;detail=stale/) != nil, "\(stale)")
        let secret = status(try daemon.get(origin.url("/secret"), "w=30"))
        #expect(
            secret.wholeMatch(of: /pictor;fwd=uri-miss;fwd-status=200;ttl=\d+;detail=bypassed/) != nil,
            "\(secret)")
    }
}
