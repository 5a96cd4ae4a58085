// SPDX-License-Identifier: Apache-2.0

@testable import Dialects
import HTTPSemantics
import RequestGrammar
@testable import Settings
@testable import Signatures
import SourceURLs
import Testing

@Suite("An answer tells where a picture lies only if its URL does")
struct HiddenSourceTests {
    /// Reads a target as the daemon does, with a site for each dialect's paths and with an alias.
    private func read(_ target: String) throws -> ImageRequest {
        var settings = Settings()
        settings.origin.aliases = try #require(NamedPlaces(settingText: "media=http://web.internal/pictures"))
        settings.next.baseURL = "http://web.internal:3000"
        (settings.cloudflare.enabled, settings.cloudflare.baseURL) = (true, "http://web.internal:3000")
        (settings.imgproxy.enabled, settings.imgproxy.baseURL) = (true, "http://web.internal:3000/")
        settings.imgproxy.path = "/imgproxy"
        (settings.thumbor.enabled, settings.thumbor.baseURL) = (true, "http://web.internal:3000")
        (settings.imagor.enabled, settings.imagor.baseURL) = (true, "http://web.internal:3000")
        let dialects = try Dialects(settings)
        let match = dialects.match(try RequestTarget(target.utf8))
        let (dialect, plain) = (try #require(match?.dialect), try #require(match?.target))
        let admission = try dialect.admit(plain, try settings.signatureRule, now: Timestamp(seconds: 0))
        return try dialects.read(admission.target, by: dialect)
    }

    @Test(arguments: [
        "/_next/image?url=%2Fa.png&w=640&q=75", "/cdn-cgi/image/w=80/a.png", "/imgproxy/_/plain/a.png",
        "/imgproxy/_/YS5wbmc", "/imgproxy/info/_/plain/a.png", "/thumbor/unsafe/30x20/a.png",
        "/imagor/unsafe/30x20/a.png", "/imagor/unsafe/30x20/b64:YS5wbmc",
    ])
    func `a path of the settings' site does not`(target: String) throws {
        let asked = try read(target)
        #expect(asked.source.absolute == "http://web.internal:3000/a.png", "\(target)")
        #expect(asked.hidesSource, "\(target)")
    }

    @Test(arguments: [
        "/img?url=media/a.png", "/?url=media/a.png", "/_next/image?url=https://media/a.png&w=640&q=75",
        "/cdn-cgi/image/w=80/https://media/a.png", "/thumbor/unsafe/30x20/http://media/a.png",
    ])
    func `an alias does not`(target: String) throws {
        let asked = try read(target)
        #expect(asked.source.absolute == "http://web.internal/pictures/a.png", "\(target)")
        #expect(asked.hidesSource, "\(target)")
    }

    @Test(arguments: [
        "/img?url=https://a.example/b", "/?url=a.example/b",
        "/_next/image?url=https://a.example/b&w=640&q=75",
        "/cdn-cgi/image/w=80/https://a.example/b", "/imgproxy/_/plain/http://web.internal:3000/b",
        "/thumbor/unsafe/30x20/https://a.example/b", "/imagor/unsafe/30x20/https:/a.example/b",
    ])
    func `a URL does`(target: String) throws {
        #expect(try !read(target).hidesSource, "\(target)")
    }
}
