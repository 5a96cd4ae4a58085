// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("An origin is told what its profile passes of a request, and nobody else is", .endToEnd)
struct PassedFieldRuleDaemonTests: PassingFields {
    let folder = TemporaryFolder()

    @Test func `a redirect takes the fields along within the profile, and nowhere else`() throws {
        let stranger = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        // Its own profile passes the same field.
        let rival = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let origin = ScriptedOrigin { peer in
            switch peer.target {
            case "/stranger": peer.redirect(to: stranger.url("/a").absolute)
            case "/rival": peer.redirect(to: rival.url("/a").absolute)
            case "/moved": peer.redirect(to: "/a")
            default: peer.picture(PersonalOrigin.picture(for: peer.value(of: "Cookie")))
            }
        }
        try write(
            "shop:", "  match: ['\(origin.url("/").absolute)']", "  pass: Cookie", "rival:",
            "  match: ['\(rival.url("/").absolute)']", "  pass: [Cookie]")
        let daemon = try daemon()
        for target in ["/moved", "/stranger", "/rival"] {
            let reply = try daemon.raw(origin.url(target), "Cookie", "s=anna")
            #expect(reply.status == 200 && reply["Cache-Control"]?.hasPrefix("private") == true)
        }
        #expect(origin.heads.count == 4)
        for head in origin.heads { #expect(head.value(of: "Cookie") == "s=anna") }
        #expect(stranger.heads.count == 1 && rival.heads.count == 1)
        for head in stranger.heads + rival.heads { #expect(!head.lowercased().contains("cookie")) }
        // Nor from a place that passes nothing to one that does.
        let open = ScriptedOrigin { $0.redirect(to: rival.url("/b").absolute) }
        let reply = try daemon.raw(open.url(), "Cookie", "s=anna")
        #expect(reply.status == 200 && reply["Vary"] == nil)
        #expect(rival.heads.count == 2 && rival.heads.allSatisfy { !$0.lowercased().contains("cookie") })
    }

    @Test func `in each dialect clients have their own`() throws {
        let personal = PersonalOrigin()
        try pass("Cookie", at: personal.origin)
        let daemon = try daemon(
            ["cloudflare", "imgproxy", "thumbor", "imagor"].flatMap { ["--\($0)-enabled", "true"] })
        let source = personal.origin.url("/a").absolute
        let query = DaemonUnderTest.target(source).dropFirst("/img".count)
        let targets = [
            "/img\(query)&h=20", "/\(query)&h=20", "/_next/image\(query)&w=32&q=75",
            "/cdn-cgi/image/h=20/\(source)",
            "/_/h:20/plain/\(source)", "/thumbor/unsafe/x20/\(source)", "/imagor/unsafe/0x20/\(source)",
        ]
        for target in targets {
            var tags: [String] = []
            for _ in 1...2 {
                for cookie in ["s=anna", "s=ben"] {
                    let reply = try daemon.get(target, fields: [("Cookie", cookie)])
                    #expect(reply.status == 200 && reply["Vary"]?.contains("Cookie") == true, "\(target)")
                    #expect(reply["Cache-Control"]?.hasPrefix("private") == true, "\(target)")
                    #expect(reply["Cross-Origin-Resource-Policy"] == "same-site", "\(target)")
                    #expect(reply["Timing-Allow-Origin"] == nil, "\(target)")
                    tags.append(try #require(reply["ETag"]))
                }
            }
            #expect(tags[0] != tags[1] && Array(tags[..<2]) == Array(tags[2...]), "\(target)")
        }
        #expect(personal.origin.heads.count == 2)
    }

    @Test func `only what it names is passed, as it came and in place of Pictor's own`() throws {
        let personal = PersonalOrigin()
        try pass("Cookie, User-Agent, X-Tenant", at: personal.origin)
        let daemon = try daemon()
        let url = personal.origin.url()
        let sent = [
            ("Cookie", "a=1"), ("COOKIE", "b=\"2, 3\""), ("x-tenant", "north"), ("X-Tenant", "east"),
            ("User-Agent", "Browser/1"), ("Authorization", "Bearer theirs"), ("Accept-Language", "de"),
        ]
        #expect(try daemon.get(url, "w=30", fields: sent).status == 200)
        let head = try #require(personal.origin.heads.first)
        #expect(head.value(of: "Cookie") == "a=1; b=\"2, 3\"")
        #expect(head.value(of: "X-Tenant") == "north, east" && head.value(of: "User-Agent") == "Browser/1")
        for name in ["cookie", "x-tenant", "user-agent"] {
            #expect(head.lowercased().components(separatedBy: "\r\n\(name):").count == 2, "\(name)")
        }
        #expect(!head.contains("theirs") && head.value(of: "Accept-Language") == nil)
        // Spelled otherwise it is the same; without one of them it is another.
        let same = [("cookie", "a=1; b=\"2, 3\""), ("X-TENANT", "north, east"), ("user-agent", "Browser/1")]
        #expect(try daemon.get(url, "w=30", fields: same).status == 200 && personal.origin.heads.count == 1)
        #expect(try daemon.get(url, "w=30", fields: Array(same.dropFirst())).status == 200)
        #expect(personal.origin.heads.count == 2)
        // What Connection names is for this connection alone (RFC 9110 §7.6.1); an empty field is none.
        let fields = same + [("Connection", "keep-alive, cookie, X-Tenant")]
        #expect(try daemon.get(url, "w=30", fields: fields).status == 200)
        let last = try #require(personal.origin.heads.last)
        #expect(last.value(of: "Cookie") == nil && last.value(of: "X-Tenant") == nil)
        #expect(
            try daemon.get(url, "w=30", fields: [("Cookie", ""), ("User-Agent", "Browser/1")]).status == 200)
        #expect(personal.origin.heads.count == 3)
    }

    @Test func `what cannot be passed as it is, is refused`() throws {
        let personal = PersonalOrigin()
        try pass("Cookie, Authorization", at: personal.origin)
        let daemon = try daemon(["--server-maximum-head", "32KiB"])
        func ask(_ fields: (String, String)...) throws -> Connection.Reply {
            try daemon.get(personal.origin.url(), "w=30", fields: fields)
        }
        let long = String(repeating: "c", count: 8_000)
        #expect(try ask(("Cookie", long)).status == 200)
        let large = try ask(
            ("Cookie", long), ("Authorization", "Bearer \(String(repeating: "a", count: 300))"))
        #expect(large.status == 431 && large.text.contains("client_fields_too_large"))
        #expect(
            large["Vary"]?.contains("Cookie, Authorization") == true && large["Cache-Control"] == "no-store")
        for value in ["Negotiate YII=", "NTLM TlRM", "negotiate"] {
            let reply = try ask(("Authorization", value))
            #expect(reply.status == 400 && reply.text.contains("bad_client_field"), "\(value)")
        }
        #expect(try ask(("Authorization", "Bearer a"), ("Authorization", "Bearer b")).status == 400)
        #expect(try ask(("Cookie", "a\tb")).status == 400)
        // No text in UTF-8: two of them would be one.
        let connection = try Connection(port: daemon.port)
        let target = DaemonUnderTest.target(personal.origin.url(), "w=30")
        try connection.send(
            Array("GET \(target) HTTP/1.1\r\nHost: a\r\nCookie: a=".utf8) + [0xFF] + Array("\r\n\r\n".utf8))
        #expect(try connection.reply().status == 400)
        #expect(personal.origin.heads.count == 1)
    }

    @Test func `Pictor's own token is not the origin's`() throws {
        let personal = PersonalOrigin(by: "Authorization", fields: ["ETag: \"1\""])
        try pass("Authorization", at: personal.origin)
        let daemon = try daemon()
        #expect(
            try daemon.get(
                personal.origin.url(), "output=raw",
                fields: DaemonUnderTest.trusted + [("Cache-Control", "no-cache")]
            ).body == PersonalOrigin.picture(for: nil))
        _ = try daemon.get(
            personal.origin.url(), "w=30", fields: DaemonUnderTest.trusted + [("Authorization", "Bearer b")])
        #expect(!personal.origin.heads.isEmpty)
        for head in personal.origin.heads { #expect(!head.contains(DaemonUnderTest.token)) }
    }

    @Test func `what Authorization opened is asked about each time, unless the origin says otherwise`() throws
    {
        let personal = PersonalOrigin(by: "Authorization", fields: ["ETag: \"1\""]) { peer in
            guard peer.target != "/plain" || peer.has("If-None-Match: \"1\"") else { return false }
            if peer.target == "/plain" {
                peer.answer("304 Not Modified")
            } else {
                peer.answer(
                    fields: ["Cache-Control: s-maxage=3600", "ETag: \"1\""],
                    body: PersonalOrigin.picture(for: peer.value(of: "Authorization")))
            }
            return true
        }
        try pass("Authorization", at: personal.origin)
        let daemon = try daemon()
        for (target, times, control) in [
            ("/plain", 3, "private, no-cache"), ("/shared", 1, "private, max-age"),
        ] {
            let before = personal.origin.heads.count
            for _ in 1...3 {
                for token in ["Bearer a", "Bearer b"] {
                    let reply = try daemon.raw(personal.origin.url(target), "Authorization", token)
                    #expect(reply.body == PersonalOrigin.picture(for: token))
                    #expect(
                        reply["Cache-Control"]?.hasPrefix(control) == true, "\(reply["Cache-Control"] ?? "")")
                    #expect(reply["Vary"] == "Authorization")
                }
            }
            #expect(personal.origin.heads.count == before + 2 * times, "\(target)")
        }
    }

    /// Access is given after the first request of each token.
    @Test func `what Authorization was refused is asked about each time, unless the origin says otherwise`()
        throws
    {
        let personal = PersonalOrigin(by: "Authorization") { peer in
            guard peer.value(of: "Authorization") != "Bearer given" else { return false }
            switch peer.target {
            case "/shared":
                peer.answer("404 Not Found", fields: ["Cache-Control: public, max-age=300"])
            case "/words": peer.answer(fields: ["Cache-Control: max-age=300"], body: "words".utf8)
            default: peer.answer("404 Not Found", fields: ["Cache-Control: max-age=300"])
            }
            return true
        }
        try pass("Authorization", at: personal.origin)
        let daemon = try daemon()
        for (target, status, asked) in [("/plain", 404, 3), ("/words", 415, 3), ("/shared", 404, 1)] {
            let before = personal.origin.heads.count
            for _ in 1...3 {
                let reply = try daemon.get(
                    personal.origin.url(target), "w=30", fields: [("Authorization", "Bearer refused")])
                #expect(reply.status == status, "\(target)")
                #expect((reply["Cache-Control"] == "no-store") == (asked == 3), "\(target)")
            }
            #expect(personal.origin.heads.count == before + asked, "\(target)")
        }
    }

    @Test func `a preference, and what a profile says is for all, is public`() throws {
        let personal = PersonalOrigin(by: "Accept-Language")
        let open = PersonalOrigin(by: "Authorization")
        try write(
            "languages:", "  match: ['\(personal.origin.url("/").absolute)']", "  pass: [Accept-Language]",
            "open:", "  match: ['\(open.origin.url("/").absolute)']", "  pass: [Authorization]",
            "  public: true")
        let daemon = try daemon()
        for _ in 1...2 {
            for language in ["de", "fr", "de, en;q=0.8"] {
                let reply = try daemon.get(
                    personal.origin.url(), "output=auto&w=30", fields: [("Accept-Language", language)])
                #expect(reply.status == 200 && reply["Vary"] == "Accept, Accept-Language")
                #expect(reply["Cache-Control"]?.hasPrefix("public, max-age") == true)
            }
            let reply = try daemon.raw(open.origin.url(), "Authorization", "Bearer a")
            #expect(reply["Cache-Control"]?.hasPrefix("public, max-age") == true)
            #expect(reply.body == PersonalOrigin.picture(for: "Bearer a"))
        }
        #expect(personal.origin.heads.count == 3 && open.origin.heads.count == 1)
    }

    @Test func `a reload that begins or ends to pass serves nobody what was another's`() throws {
        let personal = PersonalOrigin()
        let url = personal.origin.url()
        try write("shop:", "  match: ['\(url.absolute)']")
        let daemon = try daemon()
        func own(_ cookie: String?) throws -> Bool {
            let body = try daemon.raw(url, "Cookie", cookie).body
            return body == PersonalOrigin.picture(for: cookie)
        }
        #expect(try daemon.raw(url, "Cookie", "s=anna").body == PersonalOrigin.picture(for: nil))
        try pass("Cookie", at: personal.origin)
        #expect(try daemon.order("/admin/reload").status == 200)
        #expect(try own("s=anna") && own("s=ben") && own(nil))
        #expect(personal.origin.heads.count == 3)
        try write("shop:", "  match: ['\(url.absolute)']")
        #expect(try daemon.order("/admin/reload").status == 200)
        for cookie in ["s=anna", "s=ben", nil] {
            let reply = try daemon.raw(url, "Cookie", cookie)
            #expect(reply.body == PersonalOrigin.picture(for: nil) && reply["Vary"] == nil)
        }
        #expect(personal.origin.heads.count == 3)
        // Each is found again by what was sent, whatever else is passed by now.
        try pass("X-Tenant, Cookie", at: personal.origin)
        #expect(try daemon.order("/admin/reload").status == 200)
        #expect(try own("s=anna") && own("s=ben") && own(nil))
        #expect(personal.origin.heads.count == 3)
    }

    @Test func `the picture for failures, and where a failure leads, depend on the fields as well`() throws {
        let personal = PersonalOrigin { peer in
            guard peer.value(of: "Cookie") == nil else { return false }
            peer.answer("401 Unauthorized", fields: ["WWW-Authenticate: Basic"])
            return true
        }
        try pass("Cookie", at: personal.origin)
        let fallback = ScriptedOrigin { $0.picture(Pictures.gradient(90, 40)) }
        let daemon = try daemon([
            "--fallback-picture", fallback.url().absolute, "--options-default-hosts", "b.com",
        ])
        let stand = try daemon.get(personal.origin.url(), "w=30")
        #expect(stand["Pictor-Note"] == "fallback" && stand["Vary"]?.contains("Cookie") == true)
        let own = try daemon.get(personal.origin.url(), "w=30", fields: [("Cookie", "s=anna")])
        #expect(own.status == 200 && own["Pictor-Note"] == nil)
        #expect(fallback.heads.allSatisfy { !$0.lowercased().contains("cookie") })
        let led = try daemon.get(personal.origin.url(), "w=30&default=https://b.com/x")
        #expect(led.status == 302 && led["Vary"]?.contains("Cookie") == true, "\(led.status) \(led.text)")
    }
}
