// SPDX-License-Identifier: Apache-2.0

import RandomInputs
import SourceURLs
import Testing

@Suite("An origin is a scheme, a host and a port (RFC 6454)")
struct SourceOriginTests {
    private func origin(_ text: String) throws -> SourceOrigin { try SourceURL.parse(text).origin }

    @Test(arguments: [
        ("https://a.example/x?y", "https://a.example"), ("http://A.example:80/", "http://a.example"),
        ("http://a.example:443/", "http://a.example:443"), ("https://a.example:80/", "https://a.example:80"),
        ("https://a.example:8443", "https://a.example:8443"), ("http://[::1]:8080/", "http://[::1]:8080"),
        ("http://[0:0::1]/", "http://[::1]"), ("http://127.1/", "http://127.0.0.1"),
        ("a.example.", "https://a.example"),
    ])
    func `it is written without what goes without saying`(text: String, expected: String) throws {
        #expect(try origin(text).description == expected)
    }

    @Test func `paths and spellings make no other origin, and each of the three does`() throws {
        let one = try origin("https://a.example/x")
        #expect(try origin("https://A.EXAMPLE:443/y?z") == one)
        #expect(one == SourceOrigin(scheme: .https, host: "a.example", port: 443))
        for other in ["http://a.example/x", "https://b.example/x", "https://a.example:444/x"] {
            #expect(try origin(other) != one)
        }
    }

    // MARK: What names the scheme

    @Test(
        arguments: [
            ("ssl:8080", "https://0.0.31.144/"), ("ssl:8080/x", "https://0.0.31.144/x"),
            ("SSL:a.example", "https://a.example/"),
            ("ssl://a.example/x", nil), ("ssl:", nil), ("a.example:80?x", "https://a.example:80/?x"),
            ("a.example:", nil),
            ("a.example:x", nil), ("a:1", "https://a:1/"), ("1a:80/", "https://1a:80/"),
            ("a_b:80/", "https://a_b:80/"),
            ("-a:80/", "https://-a:80/"), ("a+b:80", nil), ("a.example:80#x", "https://a.example:80/"),
            ("a.example:80x", nil), ("HtTpS://a.example", "https://a.example/"), ("https:a.example", nil),
            ("//a.example:80/x", "https://a.example:80/x"), ("//ssl:80", "https://ssl:80/"),
            ("ſsl:a.example", nil),
        ] as [(String, String?)])
    func `a word and digits are a host and its port, unless the word is ssl`(text: String, expected: String?)
    {
        #expect((try? SourceURL.parse(text))?.absolute == expected)
    }

    @Test(arguments: [
        ("1", true), ("65535", true), ("00000000000000080", true), ("0", false), ("65536", false), ("", true),
    ])
    func `a port has sixteen bits and is not nought`(port: String, isPort: Bool) {
        #expect(((try? SourceURL.parse("http://a.example:\(port)/")) != nil) == isPort)
    }

    // MARK: Targets

    @Test(arguments: [
        ("/%e4%BD%a0", "/%E4%BD%A0"), ("/%%41", "/%25%41"), ("/%a%41", "/%25a%41"), ("/%4%41", "/%254%41"),
        ("/a%", "/a%25"), ("/%a", "/%25a"), ("/%af%", "/%AF%25"), ("/%25af", "/%25af"), ("/%2faf", "/%2Faf"),
        ("/'", "/'"), ("?'", "/?%27"), ("?^`{}", "/?^`{}"), ("/^`{}", "/%5E%60%7B%7D"),
        ("?\u{80}", "/?%C2%80"),
        ("/a;b=c:d@e", "/a;b=c:d@e"), ("/.a", "/.a"), ("/..a", "/..a"), ("/a.", "/a."),
        ("/.%2e%2e", "/.%2E%2E"),
        ("/%2E%2e%2E", "/%2E%2E%2E"), ("/a/%2e%2E/b", "/b"), ("/a/b/../..", "/"), ("/a//../b", "/a/b"),
        ("/..//a", "//a"),
        ("?a/../b", "/?a/../b"), ("/a?..", "/a?.."), ("//a//", "//a//"),
    ])
    func `what goes on the wire`(text: String, expected: String) throws {
        #expect(try SourceURL.parse("http://a.example\(text)").target == expected)
    }

    @Test func `no dot segment and no raw sign is left in any target`() throws {
        var random = SeededRandom(for: "targets")
        let pieces = [
            "/", "/", ".", "..", "%2e", "%2E", "a", "%", "%4", "%41", "ü", " ", "?", "'", "\"", "b",
        ]
        for _ in 0..<5_000 {
            let text =
                "/"
                + (0..<Int.random(in: 0...10, using: &random)).map { _ in
                    pieces.randomElement(using: &random) ?? ""
                }.joined() + "x"
            let url = try SourceURL.parse("http://a.example\(text)")
            let path = url.target.prefix { $0 != "?" }
            #expect(path.first == "/")
            for segment in path.split(separator: "/", omittingEmptySubsequences: false) {
                let plain = segment.replacing("%2E", with: ".")
                #expect(plain != "." && plain != "..", "\(text)")
            }
            #expect(
                !url.target.contains(" ") && !url.target.contains("\"") && url.target.allSatisfy(\.isASCII))
            #expect(try SourceURL.parse(url.absolute) == url, "\(text)")
        }
    }

    @Test func `the error of each refusal is an answer to people`() {
        for error in SourceURLError.allCases {
            #expect(error.message.count > 10 && error.message.first?.isUppercase == true, "\(error)")
        }
    }
}
