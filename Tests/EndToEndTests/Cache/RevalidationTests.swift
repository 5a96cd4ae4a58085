// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport
import Testing

/// No test waits for a lifetime to pass: origins give `max-age=0`, which is over at once.
@Suite("What has expired is asked about, and made again only if it changed", .endToEnd)
struct RevalidationTests {
    private static let picture = Pictures.gradient(60, 40)
    private static let noGrace = ["--cache-stale-while-revalidate", "0s"]

    @Test func `after expiry one conditional request and no new rendering`() throws {
        let origin = ScriptedOrigin { peer in
            guard peer.has("If-None-Match: \"one\"") else {
                return peer.picture(Self.picture, maxAge: 0, fields: ["ETag: \"one\""])
            }
            peer.answer("304 Not Modified", fields: ["ETag: \"one\"", "Cache-Control: max-age=3600"])
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        let first = try daemon.get(origin.url(), "w=30")
        let second = try daemon.get(origin.url(), "w=30")
        #expect(second.status == 200)
        #expect(second.body == first.body)
        #expect(second["ETag"] == first["ETag"])
        #expect(second["Cache-Status"]?.hasPrefix("pictor;fwd=stale;fwd-status=304;ttl=") == true)
        #expect(second["Cache-Status"]?.hasSuffix(";stored;detail=revalidated") == true)

        let third = try daemon.get(origin.url(), "w=30")
        #expect(third["Cache-Status"]?.hasSuffix(";detail=memoryHit") == true)
        // Another size was refreshed with it.
        #expect(try daemon.get(origin.url(), "w=20")["Cache-Status"]?.hasSuffix(";detail=rendered") == true)
        #expect(origin.heads.count == 2)
        #expect(try daemon.metric("pictor_renders_total") == 2)
    }

    @Test func `an origin that has only a date is asked by the date`() throws {
        let date = "Tue, 07 Jul 2020 10:00:00 GMT"
        let origin = ScriptedOrigin { peer in
            guard peer.has("If-Modified-Since: \(date)") else {
                return peer.picture(Self.picture, maxAge: 0, fields: ["Last-Modified: \(date)"])
            }
            peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        _ = try daemon.get(origin.url(), "w=30")
        let second = try daemon.get(origin.url(), "w=30")
        #expect(second["Cache-Status"]?.contains("fwd-status=304") == true)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    /// RFC 9111 §4.3.4. The bytes come again, or are confirmed.
    @Test(arguments: [false, true])
    func `a date that the origin tells anew of the same bytes is what clients are told`(comesAgain: Bool)
        throws
    {
        let (old, new) = ("Tue, 07 Jul 2020 10:00:00 GMT", "Thu, 07 Jul 2022 10:00:00 GMT")
        let origin = ScriptedOrigin { peer in
            guard peer.has("If-None-Match: \"one\"") else {
                return peer.picture(
                    Self.picture, maxAge: 0, fields: ["ETag: \"one\"", "Last-Modified: \(old)"])
            }
            let fields = ["ETag: \"one\"", "Last-Modified: \(new)"]
            if comesAgain { return peer.picture(Self.picture, fields: fields) }
            peer.answer("304 Not Modified", fields: fields + ["Cache-Control: max-age=3600"])
        }
        let cache = TemporaryFolder()
        let daemon = try DaemonUnderTest(Self.noGrace, cache: cache)
        #expect(try daemon.get(origin.url(), "output=raw")["Last-Modified"] == old)
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "output=raw")["Last-Modified"] == new) }
        daemon.stop()
        let second = try DaemonUnderTest(Self.noGrace, cache: cache)
        #expect(try second.get(origin.url(), "output=raw")["Last-Modified"] == new)
        #expect(origin.heads.count == 2)
    }

    /// "latest.jpg" leads to a placeholder until it has a picture of its own, whose entity tag, or date, is as good.
    @Test(arguments: ["ETag: \"1\"", "Last-Modified: Tue, 07 Jul 2020 10:00:00 GMT"])
    func `what a redirect led to is not confirmed by the URL that redirected`(validator: String) throws {
        let latest = Latch()
        let origin = ScriptedOrigin { peer in
            if peer.target != "/latest" { return peer.picture(Self.picture, maxAge: 0, fields: [validator]) }
            if latest.count == 0 { return peer.redirect(to: "/placeholder") }
            if peer.head.lowercased().contains("\r\nif-") {
                return peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=0"])
            }
            peer.picture(Pictures.gradient(60, 40, hue: 99), maxAge: 0, fields: [validator])
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        let placeholder = try daemon.get(origin.url("/latest"), "w=30")
        #expect(placeholder.status == 200)
        #expect(try daemon.get(origin.url("/latest"), "w=30").body == placeholder.body)
        latest.signal()
        let own = try daemon.get(origin.url("/latest"), "w=30")
        #expect(own.status == 200 && own.body != placeholder.body)
        // By now its validators are its own.
        #expect(
            try daemon.get(origin.url("/latest"), "w=30")["Cache-Status"]?.contains("fwd-status=304") == true)
    }

    @Test(arguments: ["ETag: \"1\"", "Last-Modified: Tue, 07 Jul 2020 10:00:00 GMT"])
    func `what a redirect led to is confirmed by its own URL, and no other is asked for it`(validator: String)
        throws
    {
        let moved = Latch()
        let target = ScriptedOrigin { peer in
            if peer.target == "/v1", peer.head.lowercased().contains("\r\nif-") {
                return peer.answer("304 Not Modified", fields: [validator, "Cache-Control: max-age=0"])
            }
            peer.picture(
                peer.target == "/v1" ? Self.picture : Pictures.gradient(60, 40, hue: 99), maxAge: 0,
                fields: [validator])
        }
        let origin = ScriptedOrigin { peer in
            peer.redirect(to: target.url(moved.count == 0 ? "/v1" : "/v2").absolute)
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        let first = try daemon.get(origin.url("/latest"), "w=30")
        let second = try daemon.get(origin.url("/latest"), "w=30")
        #expect(second["Cache-Status"]?.contains("fwd-status=304") == true)
        #expect(second.body == first.body)
        #expect(try daemon.metric("pictor_renders_total") == 1)
        moved.signal()
        let third = try daemon.get(origin.url("/latest"), "w=30")
        #expect(third.status == 200 && third.body != first.body)
        #expect(!origin.heads.contains { $0.lowercased().contains("\r\nif-") })
        #expect(target.heads.map { $0.lowercased().contains("\r\nif-") } == [false, true, false])
    }

    @Test func `a redirect's own lifetime bounds what was confirmed behind it`() throws {
        let origin = ScriptedOrigin { peer in
            if peer.target == "/latest" {
                return peer.answer("302 Found", fields: ["Location: /picture", "Cache-Control: max-age=0"])
            }
            guard peer.has("If-None-Match: \"1\"") else {
                return peer.picture(Self.picture, maxAge: 0, fields: ["ETag: \"1\""])
            }
            peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=31536000"])
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        for _ in 1...3 { #expect(try daemon.get(origin.url("/latest"), "w=30").status == 200) }
        #expect(origin.heads.count == 6)
    }

    @Test func `the same bytes from an origin without validators need no new rendering`() throws {
        let origin = ScriptedOrigin { $0.picture(Self.picture, maxAge: 0) }
        let daemon = try DaemonUnderTest(Self.noGrace)
        let first = try daemon.get(origin.url(), "w=30")
        let second = try daemon.get(origin.url(), "w=30")
        #expect(second["Cache-Status"]?.contains("fwd=stale;fwd-status=200") == true)
        #expect(second["Cache-Status"]?.hasSuffix(";detail=revalidated") == true)
        #expect(second["ETag"] == first["ETag"])
        #expect(origin.heads.count == 2)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `other bytes are another picture with another entity tag`() throws {
        let asked = Latch()
        let origin = ScriptedOrigin { peer in
            asked.signal()
            peer.picture(Pictures.gradient(60, 40, hue: UInt8(asked.count)), maxAge: 0)
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        let first = try daemon.get(origin.url(), "w=30")
        let second = try daemon.get(origin.url(), "w=30")
        #expect(second["Cache-Status"]?.hasSuffix(";detail=rendered") == true)
        #expect(second["ETag"] != first["ETag"])
        #expect(second.body != first.body)
    }

    @Test func `a crowd behind an expired original asks its origin once`() throws {
        let conditional = Latch()
        let release = Latch()
        let origin = ScriptedOrigin { peer in
            guard peer.has("If-None-Match: \"one\"") else {
                return peer.picture(Self.picture, maxAge: 0, fields: ["ETag: \"one\""])
            }
            conditional.signal()
            release.wait()
            peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
        }
        let daemon = try DaemonUnderTest(
            Self.noGrace + ["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        _ = try daemon.get(origin.url(), "w=30")
        let clients = try (0..<40).map { _ in
            let connection = try Connection(port: daemon.port)
            try connection.request(DaemonUnderTest.target(origin.url(), "w=30"))
            return connection
        }
        #expect(try Patience.until { try daemon.metric("pictor_requests_in_flight") == 40 })
        release.signal()
        for client in clients { #expect(try client.reply().status == 200) }
        #expect(conditional.count == 1)
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }

    @Test func `a picture that its origin has taken away is not served on`() throws {
        let served = Latch()
        let origin = ScriptedOrigin { peer in
            guard served.count > 0 else {
                served.signal()
                return peer.picture(Self.picture, maxAge: 0)
            }
            peer.answer("410 Gone")
        }
        let daemon = try DaemonUnderTest(Self.noGrace)
        #expect(try daemon.get(origin.url(), "w=30").status == 200)
        for _ in 1...2 { #expect(try daemon.get(origin.url(), "w=30").status == 410) }
    }

    @Test(arguments: [("no-store", "no-store"), ("private", "private, no-cache")])
    func `what may not be kept is fetched each time and kept nowhere`(directive: String, told: String) throws
    {
        let origin = ScriptedOrigin {
            $0.answer(fields: ["Cache-Control: \(directive)"], body: Self.picture)
        }
        let daemon = try DaemonUnderTest()
        for round in 1...2 {
            let reply = try daemon.get(origin.url(), "w=30")
            #expect(reply.status == 200)
            #expect(reply["Cache-Control"] == told)
            #expect(reply["Cache-Status"]?.hasSuffix(";detail=bypassed") == true)
            #expect(origin.heads.count == round)
        }
        #expect(daemon.cache.files(in: "originals").isEmpty)
        #expect(daemon.cache.files(in: "renditions").isEmpty)
    }

    @Test func `no-cache is kept, and asked about each time`() throws {
        let origin = ScriptedOrigin { peer in
            guard peer.has("If-None-Match: \"one\"") else {
                return peer.answer(fields: ["ETag: \"one\"", "Cache-Control: no-cache"], body: Self.picture)
            }
            peer.answer("304 Not Modified", fields: ["Cache-Control: no-cache"])
        }
        let daemon = try DaemonUnderTest()
        for round in 1...3 {
            let reply = try daemon.get(origin.url(), "w=30")
            #expect(reply.status == 200)
            #expect(reply["Cache-Control"] == "public, no-cache")
            #expect(origin.heads.count == round)
        }
        #expect(try daemon.metric("pictor_renders_total") == 1)
    }
}
