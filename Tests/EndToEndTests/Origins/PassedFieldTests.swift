// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("Clients whose fields an origin is told never share what it made of them", .endToEnd)
struct PassedFieldTests: PassingFields {
    let folder = TemporaryFolder()
    private static let cookies: [String?] = [nil, "s=anna", "s=ben"]

    private func fields(_ cookie: String?) -> [(String, String)] { cookie.map { [("Cookie", $0)] } ?? [] }

    @Test func `each gets its own picture, as often as they ask in turn, by whatever method and form`() throws
    {
        let personal = PersonalOrigin()
        try pass("Cookie", at: personal.origin)
        let daemon = try daemon()
        let connection = try Connection(port: daemon.port)
        var bodies: [String: [UInt8]] = [:]
        for round in 1...3 {
            for cookie in Self.cookies {
                for (options, method) in [
                    ("w=30", "GET"), ("w=30", "HEAD"), ("output=raw", "GET"), ("output=json", "GET"),
                    ("w=30&encoding=base64", "GET"),
                ] {
                    try connection.request(
                        DaemonUnderTest.target(personal.origin.url(), options), method: method,
                        fields: fields(cookie))
                    let reply = try connection.reply(bodiless: method == "HEAD")
                    #expect(reply.status == 200)
                    #expect(reply["Vary"]?.contains("Cookie") == true)
                    let control = try #require(reply["Cache-Control"])
                    #expect(
                        control.hasPrefix(cookie == nil ? "public, max-age" : "private, max-age"),
                        "\(control)")
                    if method == "HEAD" { continue }
                    let name = "\(cookie ?? "") \(options)"
                    if round == 1 { bodies[name] = reply.body } else { #expect(bodies[name] == reply.body) }
                    if options == "output=raw" {
                        #expect(reply.body == PersonalOrigin.picture(for: cookie))
                    }
                }
            }
        }
        #expect(Set(bodies.values).count == bodies.count)
        for cookie in Self.cookies { #expect(personal.asked(for: cookie) == 1) }
        daemon.stop()
        for line in daemon.log { #expect(!line.contains("anna"), "\(line)") }
    }

    @Test func `an entity tag of another's picture is none of one's own`() throws {
        let personal = PersonalOrigin()
        try pass("Cookie", at: personal.origin)
        let daemon = try daemon()
        var tags: [String] = []
        for cookie in Self.cookies {
            tags.append(
                try #require(try daemon.get(personal.origin.url(), "w=30", fields: fields(cookie))["ETag"]))
        }
        #expect(Set(tags).count == 3)
        for (cookie, own) in zip(Self.cookies, tags) {
            for tag in tags {
                let reply = try daemon.get(
                    personal.origin.url(), "w=30", fields: fields(cookie) + [("If-None-Match", tag)])
                #expect(reply.status == (tag == own ? 304 : 200) && reply["ETag"] == own)
                #expect(reply["Vary"]?.contains("Cookie") == true)
                #expect(reply["Cache-Control"]?.hasPrefix(cookie == nil ? "public" : "private") == true)
            }
        }
    }

    @Test func `after a restart each has its own, and the values are nowhere on the disk`() throws {
        let personal = PersonalOrigin(fields: ["Vary: Cookie"])
        try pass("Cookie", at: personal.origin)
        let cache = TemporaryFolder()
        for _ in 1...2 {
            let daemon = try daemon(cache: cache)
            for cookie in Self.cookies {
                #expect(
                    try daemon.raw(personal.origin.url(), "Cookie", cookie).body
                        == PersonalOrigin.picture(for: cookie))
                #expect(try daemon.get(personal.origin.url(), "w=30", fields: fields(cookie)).status == 200)
            }
            #expect(daemon.stop() == 0)
        }
        #expect(personal.origin.heads.count == 3)
        for file in cache.files(in: "") {
            let bytes = try Data(contentsOf: URL(filePath: "\(cache.path)/\(file)"))
            #expect(bytes.firstRange(of: Data("anna".utf8)) == nil, "\(file)")
        }
        let last = try daemon(cache: cache)
        #expect(
            try last.raw(personal.origin.url(), "Cookie", "s=cleo").body
                == PersonalOrigin.picture(for: "s=cleo")
        )
        #expect(personal.asked(for: "s=cleo") == 1)
    }

    @Test func `requests under way are joined by those with the same fields alone`() throws {
        let (arrived, release) = (Latch(), Latch())
        let personal = PersonalOrigin { _ in
            arrived.signal()
            release.wait()
            return false
        }
        try pass("Cookie", at: personal.origin)
        let daemon = try daemon(["--origin-first-byte-timeout", "2m", "--origin-timeout", "3m"])
        let crowd = try (0..<12).map { number in
            let (cookie, connection) = (Self.cookies[number % 3], try Connection(port: daemon.port))
            try connection.request(
                DaemonUnderTest.target(personal.origin.url(), "output=raw"), fields: fields(cookie))
            return (cookie, connection)
        }
        #expect(arrived.wait(for: 3))
        #expect(try Patience.until { try daemon.metric("pictor_requests_in_flight") == 12 })
        release.signal()
        for (cookie, connection) in crowd {
            #expect(try connection.reply().body == PersonalOrigin.picture(for: cookie))
        }
        #expect(personal.origin.heads.count == 3)
    }

    @Test func `a refusal is remembered for who was refused`() throws {
        let personal = PersonalOrigin { peer in
            guard peer.value(of: "Cookie") == "s=ben" else { return false }
            peer.answer("403 Forbidden", fields: ["Cache-Control: max-age=60"])
            return true
        }
        try pass("Cookie", at: personal.origin)
        let daemon = try daemon()
        for _ in 1...3 {
            for cookie in ["s=ben"] + Self.cookies {
                let reply = try daemon.get(personal.origin.url(), "w=30", fields: fields(cookie))
                #expect((reply.status == 200) == (cookie != "s=ben"), "\(reply.status)")
                #expect(reply["Vary"]?.contains("Cookie") == true)
                #expect(reply["Cache-Control"]?.hasPrefix(cookie == nil ? "public" : "private") == true)
            }
        }
        #expect(personal.origin.heads.count == 3)
    }

    @Test func `what is stale is asked for again with its own fields, also behind the answer`() throws {
        let personal = PersonalOrigin(maxAge: 0, fields: ["ETag: \"1\""]) { peer in
            guard peer.has("If-None-Match: \"1\"") else { return false }
            peer.answer("304 Not Modified", fields: ["Cache-Control: max-age=3600"])
            return true
        }
        try pass("Cookie", at: personal.origin)
        let daemon = try daemon(["--cache-stale-while-revalidate", "10m"])
        for _ in 1...2 {
            for cookie in Self.cookies {
                #expect(
                    try daemon.raw(personal.origin.url(), "Cookie", cookie).body
                        == PersonalOrigin.picture(for: cookie))
            }
        }
        #expect(Patience.until { personal.origin.heads.count == 6 })
        for cookie in Self.cookies { #expect(personal.asked(for: cookie) == 2) }
        for cookie in Self.cookies {
            #expect(
                try daemon.raw(personal.origin.url(), "Cookie", cookie).body
                    == PersonalOrigin.picture(for: cookie))
        }
    }

    @Test func `two daemons share what they made for the same fields, and forget it together`() throws {
        let store = StoreDouble()
        let personal = PersonalOrigin(fields: ["ETag: \"1\""])
        try pass("Cookie", at: personal.origin)
        func start() throws -> DaemonUnderTest {
            try DaemonUnderTest(
                ["--origin-profiles", profiles] + store.flags,
                environment: StoreDouble.secrets.merging(DaemonUnderTest.trusting) { $1 })
        }
        func ask(_ daemon: DaemonUnderTest) throws {
            for cookie in Self.cookies {
                #expect(
                    try daemon.raw(personal.origin.url(), "Cookie", cookie).body
                        == PersonalOrigin.picture(for: cookie))
            }
        }
        let first = try start()
        try ask(first)
        // What is being written waits no more, and is not there yet.
        #expect(Patience.until { store.objects.keys.count { $0.contains("/u/") } == 3 })
        #expect(first.stop() == 0)
        let second = try start()
        try ask(second)
        #expect(personal.origin.heads.count == 3)
        for (name, object) in store.objects {
            #expect(!name.contains("anna") && Data(object).firstRange(of: Data("anna".utf8)) == nil)
        }
        // What it has purged it does not read back, of whichever variant; what it had of them leaves the store as well.
        let order = "{\"url\":\"\(personal.origin.url().absolute)\"}"
        #expect(try second.order("/admin/purge", order).text.contains("\"originals\":3"))
        #expect(Patience.until { store.objects.keys.allSatisfy { !$0.contains("/u/") } })
        try ask(second)
        #expect(personal.origin.heads.count == 6)
    }

    @Test(arguments: ["url", "prefix", "host", "tag", "all"], [false, true])
    func `a purge reaches all variants`(kind: String, isSoft: Bool) throws {
        let personal = PersonalOrigin(fields: ["Cache-Tag: shop"]) { peer in
            guard peer.value(of: "Cookie") == "s=dora" else { return false }
            peer.answer("404 Not Found", fields: ["Cache-Control: max-age=60"])
            return true
        }
        try pass("Cookie", at: personal.origin)
        let cache = TemporaryFolder()
        let daemon = try daemon(cache: cache)
        let (url, other) = (personal.origin.url("/a"), personal.origin.url("/b"))
        func askAll(_ daemon: DaemonUnderTest) throws {
            for cookie in Self.cookies { #expect(try daemon.raw(url, "Cookie", cookie).status == 200) }
            #expect(try daemon.raw(url, "Cookie", "s=dora").status == 404)
        }
        try askAll(daemon)
        if kind == "url" { _ = try daemon.raw(other, "Cookie", "s=anna") }
        let before = personal.origin.heads.count
        let member =
            switch kind {
            case "url": "\"url\":\"\(url.absolute)\""
            case "prefix": "\"prefix\":\"\(personal.origin.url("/").absolute)\""
            case "host": "\"host\":\"127.0.0.1\""
            case "tag": "\"tag\":\"shop\""
            default: "\"all\":true"
            }
        let dry = try daemon.order("/admin/purge", "{\(member),\"soft\":\(isSoft),\"dry_run\":true}")
        let purge = try daemon.order("/admin/purge", "{\(member),\"soft\":\(isSoft)}")
        #expect(purge.status == 200 && purge.text.contains("\"originals\":3"), "\(purge.text)")
        #expect(dry.text == purge.text)
        // A failure has no tag.
        #expect(purge.text.contains("\"failures\":\(kind == "tag" ? 0 : 1)"), "\(purge.text)")
        daemon.stop()
        let again = try self.daemon(["--cache-stale-while-revalidate", "0s"], cache: cache)
        try askAll(again)
        #expect(personal.origin.heads.count == before + 4)
        if kind == "url" { #expect(try again.raw(other, "Cookie", "s=anna").status == 200) }
        #expect(personal.origin.heads.count == before + 4)
    }
}
