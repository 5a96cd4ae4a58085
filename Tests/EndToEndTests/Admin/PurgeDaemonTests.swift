// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A purged picture is never served again, from no layer", .endToEnd)
struct PurgeDaemonTests {
    /// Counts how often it was asked; each answer is another picture.
    private let asked: Latch
    private let origin: ScriptedOrigin

    init() {
        let asked = Latch()
        self.asked = asked
        origin = ScriptedOrigin { peer in
            asked.signal()
            let tag = peer.target.hasPrefix("/shop") ? "shop, all-of-it" : "news, all-of-it"
            peer.picture(
                Pictures.gradient(60, 40, hue: UInt8(asked.count)),
                fields: ["ETag: \"\(asked.count)\"", "Cache-Tag: \(tag)"])
        }
    }

    private func daemon(_ flags: [String] = [], cache: TemporaryFolder? = nil) throws -> DaemonUnderTest {
        try DaemonUnderTest(flags, cache: cache, environment: DaemonUnderTest.trusting)
    }

    private func isHit(_ daemon: DaemonUnderTest, _ path: String, _ options: String = "w=30") throws -> Bool {
        let reply = try daemon.get(origin.url(path), options)
        #expect(reply.status == 200)
        return reply["Cache-Status"]?.hasPrefix("pictor;hit") == true
    }

    private struct PurgeMember: CustomTestStringConvertible, Sendable {
        let member: String
        let value: @Sendable (ScriptedOrigin) -> String
        var testDescription: String { member }
    }

    private static let ways = [
        PurgeMember(member: "url") { "\"\($0.url("/shop/1").absolute)\"" },
        PurgeMember(member: "prefix") { "\"\($0.url("/shop").absolute)\"" },
        PurgeMember(member: "tag") { _ in "\"shop\"" },
    ]

    @Test(arguments: ways)
    private func `what is meant is asked for again, and the rest is still held`(way: PurgeMember) throws {
        let daemon = try daemon()
        for path in ["/shop/1", "/news/1"] {
            for width in [20, 30] { _ = try daemon.get(origin.url(path), "w=\(width)") }
        }
        let reply = try daemon.order("/admin/purge", "{\"\(way.member)\":\(way.value(origin))}")
        #expect(reply.status == 200)
        #expect(
            reply.text
                == "{\"answers\":2,\"failures\":0,\"fetches\":0,\"originals\":1,\"renditions\":2,\"soft\":false}\n"
        )
        #expect(try isHit(daemon, "/news/1"))
        #expect(try !isHit(daemon, "/shop/1"))
        #expect(asked.count == 3)
        #expect(try isHit(daemon, "/shop/1"), "what came after the purge is kept")
    }

    @Test func `the log tells of each order, and of who tries to give one`() throws {
        let daemon = try daemon()
        #expect(try daemon.order("/admin/purge", "{\"tag\":\"shop\"}").status == 200)
        #expect(daemon.logLine(with: "an order was given", "/admin/purge", "127.0.0.1", "200", "shop") != nil)
        #expect(try daemon.admin("/admin/purge", method: "POST", fields: [], body: "{}").status == 401)
        #expect(daemon.logLine(with: "an order was refused", "/admin/purge", "unauthorized") != nil)
        #expect(!daemon.log.contains { $0.contains(DaemonUnderTest.token) })
    }

    @Test func `a URL names what it names in a request, by an alias and with parameters that are dropped`()
        throws
    {
        let folder = TemporaryFolder()
        let place = origin.url("/").absolute
        let profiles = folder.path + "/origins.yaml"
        try "a:\n  match: ['\(place)']\n  drop: [utm_*]\n".write(
            toFile: profiles, atomically: true, encoding: .utf8)
        let daemon = try daemon(["--origin-aliases", "media=\(place)", "--origin-profiles", profiles])
        for url in ["media/shop/1", "\(place)shop/1?utm_source=x"] {
            _ = try daemon.get(origin.url("/shop/1"), "w=30")
            let reply = try daemon.order("/admin/purge", "{\"url\":\"\(url)\"}")
            #expect(reply.text.contains("\"originals\":1,"), "\(url): \(reply.text)")
            #expect(try !isHit(daemon, "/shop/1"))
        }
    }

    @Test(arguments: ["{\"all\":true}", "{\"host\":\"127.0.0.1\"}", "{\"tag\":\"all-of-it\"}"])
    func `nothing is left in memory, on disk, or after a restart`(order: String) throws {
        let first = try daemon()
        for path in ["/shop/1", "/news/1"] { _ = try first.get(origin.url(path), "w=30") }
        #expect(try first.order("/admin/purge", order).status == 200)
        for folder in ["originals", "renditions"] { #expect(first.cache.files(in: folder).isEmpty) }
        // A crash right behind the answer brings nothing back.
        first.kill()
        let second = try daemon(cache: first.cache)
        for path in ["/shop/1", "/news/1"] { #expect(try !isHit(second, path)) }
        #expect(asked.count == 4)
    }

    @Test func `what was made of a picture that its origin has replaced since goes with its URL`() throws {
        let daemon = try daemon()
        let url = "\"url\":\"\(origin.url("/shop/1").absolute)\""
        for width in [20, 30] { _ = try daemon.get(origin.url("/shop/1"), "w=\(width)") }
        #expect(try daemon.order("/admin/purge", "{\(url),\"soft\":true}").status == 200)
        #expect(try !isHit(daemon, "/shop/1"))
        #expect(asked.count == 2 && daemon.cache.files(in: "renditions").count == 3)
        for member in [",\"dry_run\":true", ""] {
            let reply = try daemon.order("/admin/purge", "{\(url)\(member)}")
            #expect(reply.text.contains("\"originals\":1,\"renditions\":3,"), "\(reply.text)")
        }
        for folder in ["originals", "renditions"] { #expect(daemon.cache.files(in: folder).isEmpty) }
    }

    @Test func `a large answer that is served from its file goes too`() throws {
        let daemon = try daemon(["--cache-memory", "0B"])
        _ = try daemon.get(origin.url("/shop/1"), "w=30")
        #expect(try isHit(daemon, "/shop/1"))
        #expect(try daemon.order("/admin/purge", "{\"all\":true}").text.contains("\"answers\":1"))
        #expect(try !isHit(daemon, "/shop/1"))
    }

    @Test(arguments: [
        "\"tag\":\"shop\"", "\"host\":\"127.0.0.1\"", "\"all\":true", "\"all\":true,\"soft\":true",
    ])
    func `a dry run tells what would go, and takes nothing`(members: String) throws {
        let daemon = try daemon()
        for path in ["/shop/1", "/news/1"] { _ = try daemon.get(origin.url(path), "w=30") }
        let dry = try daemon.order("/admin/purge", "{\(members),\"dry_run\":true}")
        #expect(dry.status == 200)
        for path in ["/shop/1", "/news/1"] { #expect(try isHit(daemon, path)) }
        #expect(asked.count == 2)
        #expect(daemon.cache.files(in: "originals").count == 2)
        let purge = try daemon.order("/admin/purge", "{\(members),\"dry_run\":false}")
        #expect(dry.text == purge.text, "the same as the purge itself")
        #expect(!purge.text.contains("\"originals\":0"))
    }

    @Test func `a dry run counts remembered failures, and forgets none`() throws {
        let failing = ScriptedOrigin { $0.answer("404 Not Found") }
        let daemon = try daemon()
        _ = try daemon.get(failing.url("/x"), "w=30")
        let order = "{\"url\":\"\(failing.url("/x").absolute)\",\"dry_run\":true}"
        for _ in 0..<2 { #expect(try daemon.order("/admin/purge", order).text.contains("\"failures\":1")) }
        _ = try daemon.get(failing.url("/x"), "w=30")
        #expect(failing.heads.count == 1)
    }

    @Test func `a remembered failure is forgotten`() throws {
        let failing = ScriptedOrigin { $0.answer("404 Not Found") }
        let daemon = try daemon()
        for _ in 0..<2 { #expect(try daemon.get(failing.url("/x"), "w=30").status == 404) }
        #expect(failing.heads.count == 1)
        let order = "{\"url\":\"\(failing.url("/x").absolute)\"}"
        #expect(try daemon.order("/admin/purge", order).text.contains("\"failures\":1"))
        _ = try daemon.get(failing.url("/x"), "w=30")
        #expect(failing.heads.count == 2)
    }

    @Test(arguments: ["{\"tag\":\"slow\"}", "{\"host\":\"127.0.0.1\"}"])
    func `a fetch that began before the purge is not kept, and nobody joins it`(order: String) throws {
        let (arrived, release) = (Latch(), Latch())
        let slow = ScriptedOrigin { peer in
            arrived.signal()
            let number = arrived.count
            if number == 1 { release.wait() }
            peer.picture(Pictures.gradient(60, 40, hue: UInt8(number)), fields: ["Cache-Tag: slow"])
        }
        let daemon = try daemon(["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        let early = try Connection(port: daemon.port)
        try early.request(DaemonUnderTest.target(slow.url(), "w=30"))
        #expect(arrived.wait())
        #expect(try daemon.order("/admin/purge", order).text.contains("\"fetches\":1"))

        let late = try daemon.get(slow.url(), "w=30")
        #expect(late.status == 200)
        #expect(arrived.count == 2)
        release.signal()
        let old = try early.reply()
        #expect(old.status == 200)
        #expect(old.body != late.body)
        let now = try daemon.get(slow.url(), "w=30")
        #expect(now.body == late.body)
        #expect(now["Cache-Status"]?.hasPrefix("pictor;hit") == true)
        #expect(try daemon.get(slow.url(), "w=20")["Cache-Status"]?.hasSuffix("detail=rendered") == true)
        #expect(arrived.count == 2)
    }

    @Test func `a soft purge has everything asked about once, and deletes nothing`() throws {
        let origin = ScriptedOrigin { peer in
            guard peer.has("If-None-Match: \"one\"") else {
                return peer.picture(Pictures.gradient(60, 40), fields: ["ETag: \"one\"", "Cache-Tag: t"])
            }
            peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
        }
        let daemon = try daemon()
        _ = try daemon.get(origin.url(), "w=30")
        let reply = try daemon.order("/admin/purge", "{\"tag\":\"t\",\"soft\":true}")
        #expect(
            reply.text
                == "{\"answers\":1,\"failures\":0,\"fetches\":0,\"originals\":1,\"renditions\":0,\"soft\":true}\n"
        )
        let second = try daemon.get(origin.url(), "w=30")
        #expect(second["Cache-Status"]?.contains("fwd=stale;fwd-status=304") == true)
        #expect(try daemon.get(origin.url(), "w=30")["Cache-Status"]?.hasPrefix("pictor;hit") == true)
        #expect(try daemon.metric("pictor_renders_total") == 1)
        #expect(origin.heads.count == 2)
    }

    @Test func `an order that is not clear is refused with words, and purges nothing`() throws {
        let daemon = try daemon()
        _ = try daemon.get(origin.url("/shop/1"), "w=30")
        for (body, word) in [
            ("", "object"), ("[]", "object"), ("{}", "Exactly one"), ("{\"all\":false}", "Exactly one"),
            ("{\"all\":true,\"tag\":\"a\"}", "Exactly one"), ("{\"url\":5}", "strings"),
            ("{\"all\":true,\"dry_run\":1}", "dry_run"),
            ("{\"urls\":\"x\"}", "urls"), ("{\"url\":\"ftp://a/\"}", "url"), ("{\"host\":\"a/b\"}", "host"),
            ("{\"host\":\"a:8080\"}", "host"), ("{\"host\":\"\"}", "host"), ("{\"tag\":\" \"}", "tag"),
            ("{\"prefix\":\"https://\"}", "prefix"),
            ("{\"dry_run\":true,\"all\":true,\"dry_run\":false}", "more than once"),
            ("{\"tag\":\"none\",\"t\\u0061g\":\"shop\"}", "more than once"),
            ("{\"all\":true,}", "object"), ("\u{FEFF}{\"all\":true}", "object"),
        ] {
            let reply = try daemon.order("/admin/purge", body)
            #expect(reply.status == 400, "\(body)")
            #expect(reply.text.contains("\"bad_order\"") && reply.text.contains(word), "\(reply.text)")
        }
        #expect(try isHit(daemon, "/shop/1"))
    }

    @Test func `an order that is too long is refused`() throws {
        let body = "{\"tag\":\"" + String(repeating: "x", count: 20_000) + "\"}"
        let reply = try daemon().order("/admin/purge", body)
        #expect(reply.status == 413 && reply.text.contains("content_too_large"))
    }
}
