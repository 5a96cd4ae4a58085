// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import SourceURLs
import Testing

@Suite struct SourceURLTests {
    @Test func `a plain URL comes back as it is`() throws {
        let url = try SourceURL.parse("https://example.com/a/b.jpg?x=1")
        #expect(url == SourceURL(scheme: .https, host: "example.com", port: 443, target: "/a/b.jpg?x=1"))
        #expect(url.absolute == "https://example.com/a/b.jpg?x=1")
        #expect(url.bareKey == OriginalKey(url: "https://example.com/a/b.jpg?x=1"))
    }

    @Test func `what opens an original is sent, and is no part of what its URL means`() {
        func url(_ sent: String?) -> SourceURL {
            SourceURL(scheme: .https, host: "a.example", port: 443, target: "/a?b=1", sentTarget: sent)
        }
        let (one, other) = (url("/a?sig=1&b=1"), url("/a?b=1&sig=2"))
        #expect(one == other && one == url(nil) && Set([one, other, url(nil)]).count == 1)
        #expect(one.absolute == "https://a.example/a?b=1" && one.bareKey == other.bareKey)
        #expect(one.sent.absolute == "https://a.example/a?sig=1&b=1" && one.sent.sentTarget == nil)
        #expect(url(nil).sent.absolute == one.absolute)
    }

    @Test func `a key's text names its URL and its variant, and no URL holds what separates them`() throws {
        for text in [
            "http://a.test/x#y", "a.test#", "//a.test/?q#a#b", "file://folder/a#b", "s3://bucket/a%23b#c",
            "http://a.test/%23?%23#%23", "azure://box/a#",
        ] {
            let url = try SourceURL.parse(text)
            #expect(!url.absolute.contains("#"), "\(text)")
            let variant = OriginalKey(url: url.absolute, variant: "0af")
            #expect(variant.text == url.absolute + "#0af" && OriginalKey(text: variant.text) == variant)
            #expect(url.bareKey.text == url.absolute && OriginalKey(text: url.absolute) == url.bareKey)
            #expect(variant != url.bareKey && variant.text.hasPrefix(url.bareKey.variantPrefix))
        }
    }

    @Test(arguments: [
        ("http://example.com/x", "http://example.com/x"),
        ("HTTP://EXAMPLE.com/X", "http://example.com/X"),
        ("Https://example.com/x", "https://example.com/x"),
        ("https:8080/x", "https://https:8080/x"),
        ("//example.com/x", "https://example.com/x"),
        ("ssl:example.com/x", "https://example.com/x"),
        ("ssl:example.com:8443/x", "https://example.com:8443/x"),
        ("example.com/x", "https://example.com/x"),
        ("example.com", "https://example.com/"),
        ("example.com:8080/x", "https://example.com:8080/x"),
        ("example.com:8080", "https://example.com:8080/"),
        ("127.0.0.1:8080", "https://127.0.0.1:8080/"),
        ("example.com?x", "https://example.com/?x"),
    ])
    func `every way to name the scheme leads to one URL`(text: String, absolute: String) throws {
        #expect(try SourceURL.parse(text).absolute == absolute)
    }

    @Test func `a bare host takes the scheme that the dialect gives it`() throws {
        #expect(try SourceURL.parse("example.com/x", bareScheme: .http).absolute == "http://example.com/x")
        #expect(try SourceURL.parse("//example.com/x", bareScheme: .http).absolute == "https://example.com/x")
    }

    @Test(arguments: [
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com:/", "http://example.com/"),
        ("http://example.com:00081/", "http://example.com:81/"),
        ("http://[::1]:80/", "http://[::1]/"),
        ("http://[::1]:81/", "http://[::1]:81/"),
    ])
    func `default ports are dropped and others kept`(text: String, absolute: String) throws {
        #expect(try SourceURL.parse(text).absolute == absolute)
    }

    @Test func `the fragment is dropped`() throws {
        #expect(try SourceURL.parse("http://a.com/x#y?z").absolute == "http://a.com/x")
        #expect(try SourceURL.parse("http://a.com#@b.com/").absolute == "http://a.com/")
    }

    @Test(arguments: [
        ("", SourceURLError.empty),
        ("ftp://example.com/", .unsupportedScheme),
        ("file:///etc/passwd", .invalidPlace),
        ("data:image/png;base64,AA==", .unsupportedScheme),
        ("unix:/var/run/docker.sock:/info", .unsupportedScheme),
        ("http+unix://x/", .unsupportedScheme),
        ("url:http://example.com/", .unsupportedScheme),
        ("http:example.com/", .missingSlashes),
        ("http:/example.com/", .missingSlashes),
        ("https:/example.com/", .missingSlashes),
        ("https:", .missingSlashes),
        ("http:", .missingSlashes),
        ("http:///example.com/", .missingHost),
        ("///example.com/", .missingHost),
        ("/etc/passwd", .missingHost),
        ("http://:80/", .missingHost),
        ("://example.com/", .missingHost),
        ("?", .missingHost),
        ("http://user@example.com/", .userInformation),
        ("http://user:secret@example.com/", .userInformation),
        ("http://@example.com/", .userInformation),
        ("http://example.com\\@other.com/", .backslash),
        ("\\\\example.com/", .backslash),
        ("http://example.com\\x", .backslash),
        (" http://example.com/", .forbiddenCharacter),
        ("http://example.com/ ", .forbiddenCharacter),
        ("http://exa mple.com/", .forbiddenCharacter),
        ("http://example.com/\r\nX: y", .forbiddenCharacter),
        ("http://exam\tple.com/", .forbiddenCharacter),
        ("http://example.com/\u{0}", .forbiddenCharacter),
        ("http://example.com/\u{7F}", .forbiddenCharacter),
        ("http://example.com:0/", .invalidPort),
        ("http://example.com:65536/", .invalidPort),
        ("http://example.com:4294967376/", .invalidPort),
        ("http://example.com:-1/", .invalidPort),
        ("http://example.com:8a/", .invalidPort),
        ("http://127.0.0.1:80:81/", .invalidPort),
        ("http://[::1", .invalidAddress),
        ("http://[::1]x/", .invalidHost),
        ("http://[[::1]]/", .invalidHost),
        ("../../etc/passwd", .invalidHost),
        ("https%3A%2F%2Fexample.com%2Fa.jpg", .escapedTwice),
        ("HTTP%3a//example.com/a.jpg", .escapedTwice),
        ("https://http%3A%2F%2Fexample.com%2Fa.jpg", .escapedTwice),
        ("httpbin%3A1/a.jpg", .invalidHost),
    ])
    func `what is no http URL is refused with its own word`(text: String, error: SourceURLError) {
        #expect(throws: error) { try SourceURL.parse(text) }
    }

    @Test func `4,096 bytes are the most`() throws {
        let longest = "http://a.com/" + String(repeating: "x", count: SourceURL.longest - 13)
        #expect(try SourceURL.parse(longest).absolute == longest)
        #expect(throws: SourceURLError.tooLong) { try SourceURL.parse(longest + "x") }
    }

    @Test func `every refusal has words of its own that repeat no input`() {
        let messages = SourceURLError.allCases.map(\.message)
        #expect(Set(messages).count == messages.count)
        #expect(messages.allSatisfy { $0.hasSuffix(".") })
    }

    @Test func `random text never traps, and what is accepted is accepted again as it is`() throws {
        var random = SeededRandom(for: "SourceURL")
        let alphabet =
            Array("aZ0.:/?#[]@%-_ü。１x ~\\'\"<>|^`{}+&=;").map(String.init) + ["%2e", "%41", "//", "xn--"]
        var accepted = 0
        for _ in 0..<6_000 {
            let length = Int.random(in: 0...24, using: &random)
            let tail = (0..<length).map { _ in alphabet.randomElement(using: &random) ?? "" }.joined()
            let text = (random.chance(70) ? "http://a" : "") + tail
            guard let url = try? SourceURL.parse(text) else { continue }
            accepted += 1
            #expect(try SourceURL.parse(url.absolute) == url, "from \(text)")
            #expect(url.absolute.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "from \(text)")
        }
        #expect(accepted > 200)
    }
}
