// SPDX-License-Identifier: Apache-2.0

import Answers
@testable import Dialects
import Origin
import RandomInputs
import Recipes
import RequestGrammar
@testable import Settings
import SourceURLs
import Testing

@Suite("A Cloudflare URL holds its source as it is")
struct CloudflareTargetTests {
    /// The text after the options, and the source.
    @Test(arguments: [
        ("https://s3.example.com/bucket/image.png", "https://s3.example.com/bucket/image.png"),
        ("http://a.example:8080/x", "http://a.example:8080/x"), ("https:/a.example/x", "https://a.example/x"),
        ("https:///a.example/x", "https://a.example/x"), ("HTTPS://A.example/x", "https://a.example/x"),
        ("https://a.example/x?v=1&w=2", "https://a.example/x?v=1&w=2"),
        ("https://a.example/x?sig=abc%2Fd&exp=1", "https://a.example/x?sig=abc%2Fd&exp=1"),
        ("https://a.example/a%20b%2Fc%3Fd", "https://a.example/a%20b%2Fc%3Fd"),
        ("https://a.example/a,b=c;d", "https://a.example/a,b=c;d"),
        ("https://a.example/x?", "https://a.example/x?"),
        ("https%3A%2F%2Fa.example%2Fx%3Fv%3D1", "https://a.example/x?v=1"),
        ("https%3a//a.example/x?v=2", "https://a.example/x?v=2"),
        ("https://a.example//b//c", "https://a.example//b//c"), ("https://a.example", "https://a.example/"),
        ("https://a.example/cdn-cgi/image/w=1/x", "https://a.example/cdn-cgi/image/w=1/x"),
        ("uploads/avatar1.jpg", "http://site.example/base/uploads/avatar1.jpg"),
        ("/uploads/a.jpg?x=1", "http://site.example/base/uploads/a.jpg?x=1"),
        ("//b.example/a.jpg", "http://site.example/base/b.example/a.jpg"),
        ("%2Fuploads/a.jpg", "http://site.example/base/uploads/a.jpg"),
        ("ftp://b.example/x", "http://site.example/base/ftp://b.example/x"),
        ("@b.example/x", "http://site.example/base/@b.example/x"),
    ])
    func `absolute, merged, escaped or a path of the site`(rest: String, source: String) throws {
        let found = try read(cloudflare: "/cdn-cgi/image/w=8/\(rest)", base: "http://site.example/base/")
        #expect(found.source.absolute == source)
    }

    @Test(arguments: [
        ("/cdn-cgi/image/w=8/", "has no source"), ("/cdn-cgi/image/w=8", "has no source"),
        ("/cdn-cgi/image/w=8/?https://a.example/x", "has no source"),
        ("/cdn-cgi/image/w=8/a.jpg", "cloudflare.base-url names no site"),
        ("/cdn-cgi/image/", "has no source"), ("/cdn-cgi/image//", "has no source"),
        ("/cdn-cgi/image/w=8/https://", "has no host"),
        ("/cdn-cgi/image/w=8/https://u:p@a.example/x", ""),
    ])
    func `a URL without source, site or option is refused`(target: String, words: String) {
        let message = cloudflareRefusal { try read(cloudflare: target) }
        #expect(message != nil && (words.isEmpty || message?.contains(words) == true), "\(message ?? "–")")
    }

    @Test func `only its own path is its own, and only where it is switched on`() throws {
        var settings = Settings()
        let target = try RequestTarget("/cdn-cgi/image/w=8/https://a.example/x".utf8)
        #expect(try Dialects(settings).match(target) == nil)
        #expect(try !Dialects(settings).list().contains("cloudflare"))
        settings.cloudflare.enabled = true
        let dialects = try Dialects(settings)
        let found = try #require(dialects.match(target))
        #expect(found.dialect.name == .cloudflare && dialects.list().hasSuffix("cloudflare (/cdn-cgi/image)"))
        #expect(found.target.path == "/cdn-cgi/image")
        #expect(found.target.query == Array("w=8&url=https%3A%2F%2Fa.example%2Fx".utf8))
        for other in [
            "/cdn-cgi/image", "/cdn-cgi/image?w=8&url=https://a.example/x",
            "/cdn-cgi/images/w=8/https://a.example/x",
            "/cdn-cgi%2Fimage/w=8/https://a.example/x", "//cdn-cgi/image/w=8/x", "/CDN-CGI/image/w=8/x",
        ] { #expect(try dialects.match(RequestTarget(other.utf8)) == nil, "\(other)") }
    }

    @Test(arguments: [
        "width=80%2Cheight=60%2Cfit=cover", "width=80%2cheight=60%2cfit=cover",
        "width%3D80%2Cheight%3D60%2Cfit%3Dcover", "w%69dth=80,height=60%2Cfit=cover",
    ])
    func `options that are escaped as a whole are the same`(options: String) throws {
        let plain = try read(cloudflareOptions: "width=80,height=60,fit=cover")
        #expect(try read(cloudflareOptions: options).recipe == plain.recipe)
    }

    @Test(arguments: ["/https://", "/https:/", "https://", "HTTPS:/", "/https%3A%2F%2F", ",/https://"])
    func `no option is none, however many slashes are left`(ending: String) throws {
        for base in ["https://site.example", ""] {
            let found = try read(cloudflare: "/cdn-cgi/image/\(ending)a.example/x?y=1", base: base)
            #expect(found.source.absolute == "https://a.example/x?y=1")
            #expect(found.recipe == (try read(cloudflareOptions: "").recipe))
        }
    }

    @Test func `nothing in an option becomes another parameter`() throws {
        let target = try RequestTarget("/cdn-cgi/image/w=8&h=9,q=1%26url=x/https://a.example/x&w=1".utf8)
        let query = String(decoding: try cloudflare().plain(target).query ?? [], as: UTF8.self)
        #expect(query == "w=8%26h%3D9&q=1%26url%3Dx&url=https%3A%2F%2Fa.example%2Fx%26w%3D1")
    }

    @Test func `what was signed is the URL that was made, whatever it holds`() throws {
        var random = SeededRandom(for: "cloudflare URLs, made and read")
        let dialect = try cloudflare(base: "https://site.example")
        let sources = [
            "https://a.example/x?y=1&z=%20#", "http://a.example/ü/a b", "/p/q?r=1",
            "https://a.example/?sig=1",
        ]
        let options: [(String, String?)] = [
            ("background", "#fff"), ("trim", "1;2;3;4"), ("w", "8"), ("fit", "(a,b)/c&d=e"), ("exp", "19"),
            ("x~", nil),
        ]
        for _ in 0..<200 {
            var words = options.filter { _ in random.chance(50) }.map { (name: $0.0, value: $0.1) }
            words.append((name: "url", value: sources.randomElement(using: &random)))
            let query = CanonicalQuery(words)
            let text = CloudflareTarget.path(saying: query, signature: "S")
            let sent = try RequestTarget(text.utf8)
            #expect(dialect.holds(sent))
            let again = CanonicalQuery(dialect.plain(sent).query ?? [])
            #expect(again.bytes == query.bytes && again.signatures == [Array("S".utf8)], "\(text)")
        }
    }

    @Test(arguments: [
        ("https://site.example/", true), ("site.example", false), ("ftp://a", false), ("https://a?b", false),
    ])
    func `a site is an absolute URL`(text: String, isOne: Bool) throws {
        if isOne {
            #expect(
                try read(cloudflare: "/cdn-cgi/image/w=8/a.jpg", base: text).source.absolute
                    == "https://site.example/a.jpg")
        } else {
            let error = #expect(throws: UnusableSetting.self) { try cloudflare(base: text) }
            #expect(error?.description.hasPrefix("cloudflare.base-url: ") == true)
        }
    }

    @Test func `onerror leads to the site and below it`() throws {
        let dialect = try cloudflare(base: "https://site.example")
        let target = { (options: String) in
            dialect.plain(try RequestTarget("/cdn-cgi/image/\(options)/https://a.example/x".utf8))
        }
        #expect(try dialect.fallbacks.fallback(in: target("w=8,onerror=redirect")) == .source)
        #expect(try dialect.fallbacks.fallback(in: target("w=8,onerror=1")) == nil)
        #expect(try dialect.fallbacks.fallback(in: target("w=8,onerror=https:%2F%2Fb.example")) == nil)
        #expect(try dialect.fallbacks.fallback(in: target("w=8")) == nil)
        #expect(try read(cloudflareOptions: "w=8,onerror=redirect").delivery.fallback == .source)
        let home = dialect.fallbacks.home
        for (host, isHome) in [
            ("site.example", true), ("img.site.example", true), ("a.example", false),
            ("evilsite.example", false),
        ] { #expect(home.contains { $0.matches(host) } == isHome, "\(host)") }
    }
}
