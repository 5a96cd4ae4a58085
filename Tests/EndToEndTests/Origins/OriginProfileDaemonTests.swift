// SPDX-License-Identifier: Apache-2.0

import Foundation
import SourceURLs
import TestSupport
import Testing

@Suite("A profile says how an origin is asked, and what becomes of its answers", .endToEnd)
struct OriginProfileDaemonTests {
    private let folder = TemporaryFolder()
    private var file: String { folder.path + "/origins.yaml" }

    private func write(_ lines: String...) throws {
        try lines.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
    }

    private func daemon(_ flags: [String] = []) throws -> DaemonUnderTest {
        try DaemonUnderTest(["--origin-profiles", file] + flags)
    }

    /// What `GET /admin/explain` says of a picture.
    private func explained(_ daemon: DaemonUnderTest, _ source: SourceURL) throws -> String {
        let query = DaemonUnderTest.target(source, "w=30").drop { $0 != "?" }
        return try daemon.admin("/admin/explain\(query)").text
    }

    @Test func `its credentials go to its places alone, and what they open is private`() throws {
        let other = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let origin = ScriptedOrigin { peer in
            peer.target == "/moved"
                ? peer.redirect(to: other.url("/a").absolute) : peer.picture(Pictures.gradient(60, 40))
        }
        try write(
            "shop:", "  match: ['\(origin.url("/").absolute)']", "  bearer: abc.def",
            "  headers: {X-Shop: 'of ours', User-Agent: Shop}", "  drop: [utm_*, fbclid]")
        let daemon = try daemon()
        let known = try daemon.get(origin.url("/a?fbclid=1&b=2&utm_source=c"), "w=30")
        #expect(known.status == 200)
        #expect(
            known["Cache-Control"]?.hasPrefix("private, max-age=") == true, "\(known["Cache-Control"] ?? "")")
        let head = try #require(origin.heads.first)
        #expect(head.hasPrefix("GET /a?b=2 HTTP/1.1\r\n"), "\(head)")
        for line in ["Authorization: Bearer abc.def", "X-Shop: of ours", "User-Agent: Shop"] {
            #expect(head.contains("\r\n\(line)\r\n"), "\(line)")
        }
        #expect(head.components(separatedBy: "User-Agent").count == 2)
        // One original, whoever sent the client.
        #expect(
            try daemon.get(origin.url("/a?b=2&fbclid=7"), "w=30")["Cache-Control"]?.hasPrefix("private")
                == true)
        #expect(origin.heads.count == 1)
        #expect(
            try explained(daemon, origin.url("/a?b=2")).contains(
                #""profile":{"is_private":true,"name":"shop"}"#))
        #expect(try !explained(daemon, other.url("/a")).contains(#""profile""#))
        // A redirect takes nothing along, but came by what the credentials opened.
        let moved = try daemon.get(origin.url("/moved"), "w=30")
        #expect(moved.status == 200 && moved["Cache-Control"]?.hasPrefix("private") == true)
        let stranger = try daemon.get(other.url("/a?fbclid=1"), "w=30")
        #expect(stranger.status == 200 && stranger["Cache-Control"]?.hasPrefix("public") == true)
        #expect(other.heads.count == 2)
        for head in other.heads { #expect(!head.contains("Authorization") && !head.contains("X-Shop")) }
        daemon.stop()
        for line in daemon.log { #expect(!line.contains("abc.def"), "\(line)") }
    }

    @Test func `a picture that was revalidated stays private, and one for everybody is public`() throws {
        let origin = ScriptedOrigin { peer in
            if peer.has("If-None-Match: \"a\"") {
                peer.answer("304 Not Modified", fields: ["ETag: \"a\"", "Cache-Control: max-age=60"])
            } else {
                peer.picture(Pictures.gradient(60, 40), maxAge: 0, fields: ["ETag: \"a\""])
            }
        }
        try write("shop:", "  match: ['\(origin.url("/").absolute)']", "  basic: 'me:pass:word'")
        let daemon = try daemon(["--cache-stale-while-revalidate", "0s"])
        for _ in 1...3 {
            let reply = try daemon.get(origin.url("/a"), "w=30")
            #expect(reply.status == 200 && reply["Cache-Control"]?.hasPrefix("private") == true)
        }
        #expect(origin.heads.count == 2)
        #expect(origin.heads.allSatisfy { $0.contains("Authorization: Basic bWU6cGFzczp3b3Jk\r\n") })
        // Nobody gives an order: the file is watched.
        try write(
            "shop:", "  match: ['\(origin.url("/").absolute)']", "  bearer: second", "  public: true")
        #expect(
            try Patience.until {
                let reply = try daemon.get(origin.url("/b\(origin.heads.count)"), "w=30")
                return reply["Cache-Control"]?.hasPrefix("public") == true
            })
        #expect(origin.heads.last?.contains("Authorization: Bearer second\r\n") == true)
    }

    @Test func `an origin that asks for a certificate gets it, and its own authority counts`() throws {
        let origin = try SecureOrigin(
            in: folder.path, demands: ["-Verify", "1", "-verify_return_error", "-CAfile", "certificate.pem"])
        let (certificate, key) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
        let place = "  match: ['https://127.0.0.1:\(origin.port)/']"
        try write("shop:", place, "  authorities: [\(certificate)]")
        let target = DaemonUnderTest.target(origin.picture, "w=30")
        #expect(try daemon().get(target).text.contains("origin_tls"))
        try write(
            "shop:", place, "  authorities: \(certificate)", "  certificate: \(certificate)", "  key: \(key)")
        let reply = try daemon().get(target)
        #expect(reply.status == 200 && reply["Cache-Control"]?.hasPrefix("private") == true)
        // The same without the authority: the origin is not trusted.
        try write("shop:", place, "  certificate: \(certificate)", "  key: \(key)")
        #expect(try daemon().get(target).text.contains("origin_tls"))
    }

    /// OpenSSL would wait for it on the thread that does all fetching.
    @Test func `nobody is asked for the pass phrase of a certificate's key`() throws {
        let origin = try SecureOrigin(in: folder.path)
        let (certificate, key) = (folder.path + "/certificate.pem", folder.path + "/key.pem")
        let locked = folder.path + "/locked.pem"
        let made = try Program.run([
            "openssl", "pkey", "-in", key, "-out", locked, "-aes128", "-passout", "pass:secret",
        ])
        #expect(made?.status == 0)
        try write(
            "shop:", "  match: ['https://127.0.0.1:\(origin.port)/']", "  authorities: \(certificate)",
            "  certificate: \(certificate)", "  key: \(locked)")
        let daemon = try DaemonUnderTest(["--origin-profiles", file], hasInput: true)
        let reply = try daemon.get(DaemonUnderTest.target(origin.picture, "w=30"))
        #expect(reply.status == 502 && reply.text.contains("origin_tls"), "\(reply.text)")
    }

    @Test func `it has its own way, with a proxy or without`() throws {
        let proxy = ScriptedOrigin { $0.picture(Pictures.gradient(60, 40)) }
        let origin = ScriptedOrigin { $0.picture(Pictures.gradient(50, 40)) }
        try write(
            "near:", "  match: '\(origin.url("/").absolute)'", "  proxy: none", "far:",
            "  match: http://far.example/", "  proxy: http://127.0.0.1:\(proxy.port)",
            "  proxy-credentials: me:secret")
        let usual = try daemon(["--origin-proxy", "http://127.0.0.1:1"])
        #expect(try usual.get(origin.url("/a"), "w=30").status == 200)
        #expect(try usual.get(DaemonUnderTest.target("http://far.example/a", "w=30")).status == 200)
        #expect(try usual.get(DaemonUnderTest.target("http://others.example/a", "w=30")).status == 502)
        let head = try #require(proxy.heads.first)
        #expect(head.hasPrefix("GET http://far.example/a ") && head.contains("Proxy-Authorization: Basic"))
        #expect(proxy.heads.count == 1 && origin.heads.count == 1)
    }

    @Test func `an origin that sets a cookie and redirects has it back, and what it then gives is kept`()
        throws
    {
        let origin = ScriptedOrigin { peer in
            if peer.has("Cookie: seen=1") {
                peer.picture(Pictures.gradient(60, 40))
            } else {
                peer.answer(
                    "302 Found",
                    fields: ["Location: \(peer.target)", "Set-Cookie: seen=1", "Cache-Control: no-store"])
            }
        }
        let place = "  match: ['\(origin.url("/").absolute)']"
        try write("shop:", place, "  cookies: true", "  cache-control: max-age=60")
        let daemon = try daemon()
        for width in [30, 40] {
            let reply = try daemon.get(origin.url("/a"), "w=\(width)")
            #expect(reply.status == 200 && reply["Cache-Control"] == "public, max-age=60")
        }
        #expect(origin.heads.count == 2)
        try write("shop:", place)
        #expect(try self.daemon().get(origin.url("/a"), "w=30").status == 508)
        try write(
            "a:", place, "  cookies: true", "  pass: [cookie]", "b:", place, "  cookies: true",
            "  headers: {Cookie: a=b}", "c:", place, "  cookies: maybe")
        let check = try PictorCommand(["check", "--origin-profiles", file])
        #expect(check.status == 78)
        for words in ["a keeps cookies beside", "b keeps cookies beside", "c cookies must be true or false"] {
            #expect(check.error.contains(words), "\(words): \(check.error)")
        }
    }

    @Test func `each mistake is named with its line, and no secret with it`() throws {
        try write(
            "a:", "  match: []", "b:", "  match: shop.example", "  basic: nocolon-s3cret",
            "  bearer: 's3 cret'",
            "  headers: {Host: s3cret, 'X Y': s3cret}", "  key: /nowhere", "  colour: s3cret",
            "c:", "  match: '//shop.example/'", "  certificate: /nowhere/c.pem", "  proxy: s3cret")
        let check = try PictorCommand(["check", "--origin-profiles", file])
        #expect(check.status == 78)
        for words in [
            ":2: a match must be a list", "a names no host or URL", "b basic must be user:password",
            "b bearer must be", "b headers may not set Host", "b headers must be names",
            "b has both basic and",
            "b has a key without", "b has no member colour",
        ] { #expect(check.error.contains(words), "\(words): \(check.error)") }
        #expect(!check.error.contains("s3cret") && !check.error.contains("s3 cret"))
        try write("c:", "  match: '//shop.example/'", "  certificate: /nowhere/c.pem", "  proxy: s3cret")
        let second = try PictorCommand(["check", "--origin-profiles", file])
        #expect(second.status == 78)
        for words in [
            "\"//shop.example/\" is no host", "/nowhere/c.pem cannot be read", "proxy is no http://",
        ] {
            #expect(second.error.contains(words), "\(words): \(second.error)")
        }
        for credentials in ["basic: a:s3cret", "bearer: s3cret"] {
            try write("e:", "  match: shop.example", "  headers: {authorization: s3cret}", "  \(credentials)")
            let twofold = try PictorCommand(["check", "--origin-profiles", file])
            #expect(twofold.status == 78 && twofold.error.contains("e has basic or bearer beside"))
        }
        try write("d:", "  match: http://shop.example/", "  basic: a:b")
        let third = try PictorCommand(["check", "--origin-profiles", file])
        #expect(third.status == 0 && third.error.contains("d sends its credentials by http"))
        #expect(try PictorCommand(["check", "--origin-profiles", "/nowhere"]).status == 78)
    }
}
