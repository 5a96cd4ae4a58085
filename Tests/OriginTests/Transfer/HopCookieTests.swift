// SPDX-License-Identifier: Apache-2.0

import HTTPSemantics
@testable import Origin
import SourceURLs
import TestSupport
import Testing

@Suite("Cookies that a redirect sets", .timeLimit(.minutes(2)))
struct HopCookieTests {
    private static let now = Timestamp(seconds: 1_735_689_600)

    private func url(_ text: String) throws -> SourceURL { try SourceURL.parse(text) }

    /// The cookies that a request gets after another URL has set these.
    private func sent(
        _ lines: [String], from setter: String = "https://a.example/in/here?x/y",
        to text: String = "https://a.example/in/there"
    ) throws -> String? {
        var cookies = HopCookies()
        for line in lines {
            let fields = Fields([Fields.Field("Set-Cookie", line)])
            _ = cookies.take(fields, from: try url(setter), at: Self.now)
        }
        return cookies.field(for: try url(text))?.value
    }

    @Test(
        arguments: [
            (["s=1"], "s=1"), (["s=1; Path=/; Secure; HttpOnly; SameSite=Lax"], "s=1"), ([" s = 1 ;"], "s=1"),
            (["s=a=b"], "s=a=b"), (["s="], "s="), (["s=1", "t=2"], "s=1; t=2"), (["s=1", "s=2"], "s=2"),
            (["s=1; Max-Age=9; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], "s=1"),
            (["s=1; Expires=Thu, 01 Jan 2070 00:00:00 GMT"], "s=1"), (["s=1; Path=x"], "s=1"),
            // Cookies that were removed, or never set.
            (["s=1", "s=; Max-Age=0"], nil), (["s=1", "s=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"], nil),
            (["s=1", "s=; Domain=b.example; Max-Age=0"], "s=1"), (["s=1; Path=/x; Path="], "s=1"),
            (["s=1; domain=A.Example"], "s=1"), (["s=1; Domain="], "s=1"), (["s=1; Domain"], "s=1"),
            (["s=1; Domain=b.example"], nil), (["s=1; Domain=www.a.example"], nil),
            (["s=1; Domain=xample"], nil),
            (["s"], nil), (["=1"], nil), ([""], nil), (["s=a\u{1}b"], nil), (["s=ä"], nil),
        ] as [([String], String?)])
    func `are read as RFC 6265 has it`(lines: [String], expected: String?) throws {
        #expect(try sent(lines) == expected)
    }

    @Test(arguments: [
        ("https://a.example/in/", true), ("https://a.example/in/x/y?q", true), ("https://a.example/in", true),
        ("https://a.example/inn", false), ("https://a.example/", false), ("http://a.example/in/x", false),
        ("https://a.example:8443/in/x", false), ("https://www.a.example/in/x", false),
        ("https://example/in/x", false),
    ])
    func `go to their folder at their origin alone`(text: String, isSent: Bool) throws {
        for line in ["s=1", "s=1; Domain=example", "s=1; Domain=.a.example"] {
            #expect(try (sent([line], to: text) != nil) == isSent, "\(line)")
        }
    }

    @Test(
        arguments: [
            ("s=1; Secure", nil), ("s=1; HttpOnly; secure=x", nil), ("s=1; HttpOnly", "s=1"),
            ("s=1; Domain=192.0.2.1", "s=1"), ("s=1; Domain=2.1", nil),
        ] as [(String, String?)])
    func `are not sent over http if they are for TLS, nor to an address for a domain`(
        line: String, expected: String?
    ) throws {
        let place = "http://192.0.2.1/in/"
        #expect(try sent([line], from: "\(place)a", to: "\(place)b") == expected)
    }

    @Test func `are bounded in all`() throws {
        let long = String(repeating: "x", count: 5_000)
        #expect(try sent(["a=\(long)", "b=\(long)"]) == "b=\(long)")
        #expect(try sent(["a=1", "b=\(long)\(long)"]) == "a=1")
    }

    /// An origin that redirects to itself until it gets its cookie.
    private func gate() -> ScriptedOrigin {
        ScriptedOrigin { peer in
            if peer.has("Cookie: s=1") {
                peer.answer(body: "abc".utf8)
            } else {
                peer.answer("302 Found", fields: ["Location: \(peer.target)", "Set-Cookie: s=1; Path=/"])
            }
        }
    }

    @Test func `come back within one fetch, where the profile says so`() async throws {
        let origin = gate()
        let place = try #require(OriginProfile.Place(origin.url("/").absolute))
        try await withDownloader {
            var profile = OriginProfile("shop", at: [place])
            profile.keepsCookies = true
            $0.profiles = [profile]
        } _: { downloader in
            for _ in 1...2 {
                let reply = try await downloader.fetch(origin.url("/a"))
                #expect(try reply.read() == Array("abc".utf8))
                #expect(reply.hops.map(\.status) == [302])
            }
        }
        #expect(origin.heads.map { $0.contains("\r\nCookie: s=1\r\n") } == [false, true, false, true])
        let failure = try await withDownloader { await $0.failure(origin.url("/a")) }
        #expect(failure == .tooManyRedirects(limit: 5))
    }

    @Test(arguments: [("s=1", 2), ("s=", 6)])
    func `end no circle where they stay the same, and none beyond the limit`(cookie: String, asked: Int)
        async throws
    {
        let origin = ScriptedOrigin { peer in
            // Another value each time, or always the same.
            let former = peer.head.filter { $0 == "#" }
            let line = cookie == "s=1" ? cookie : "s=#\(former)"
            peer.answer("302 Found", fields: ["Location: /a", "Set-Cookie: \(line)"])
        }
        let place = try #require(OriginProfile.Place(origin.url("/").absolute))
        let failure = try await withDownloader {
            var profile = OriginProfile("shop", at: [place])
            profile.keepsCookies = true
            $0.profiles = [profile]
        } _: { downloader in
            await downloader.failure(origin.url("/a"))
        }
        #expect(failure == .tooManyRedirects(limit: 5))
        #expect(origin.heads.count == asked)
    }
}
