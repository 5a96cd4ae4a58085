// SPDX-License-Identifier: Apache-2.0

import Foundation
@testable import Origin
import RandomInputs
import SourceURLs
import Testing

/// The URL that is checked must be the URL that is fetched.
@Suite struct `libcurl's parser and ours` {
    @Test(arguments: [
        "http://a.example", "https://a.example:443/", "http://a.example:8080?x=y", "http://a.example/?",
        "a.example/%",
        "http://0x7f.1/", "http://1.2.3/", "http://[::ffff:1.2.3.4]:81/x", "http://[2001:DB8::0:1]/",
        "http://a.example/a/../b//c/./%2e%2E/d", "http://a.example/a b?c d'e", "http://a.example/;a=b,c:d@e",
        "http://a.example/?a=b?c=d&e[]=f|g", "http://bücher.example/é?é", "http://a.example/{x}^`",
        "http://a.example//b.example/", "http://a.example/http://b.example:80/", "http://a_b.example./",
    ])
    func `read the same out of what we have normalised`(text: String) throws {
        let url = try SourceURL.parse(text)
        let reading = try #require(LibcurlReading(url.absolute))
        #expect(reading.scheme == url.scheme.rawValue)
        #expect(reading.host == url.host)
        #expect(reading.port == String(url.port))
        #expect(reading.target == url.target)
    }

    /// Pieces of URLs that parsers have read differently.
    private static let pieces = [
        "http", "https", "ssl", ":", "//", "/", "///", "\\", "@", "a:b@", "#", "?", "%", "%2f", "%00", "%40",
        "%23",
        "%5c", "%2e", "..", ".", ";", "&", "=", "[", "]", "[::1]", "[::ffff:7f00:1]", "127.0.0.1", "0x7f",
        "017",
        "2130706433", "a.example", "b.example", "xn--bcher-kva", "é", "ｅ", "。", "\u{200D}", " ", "\t", "80",
        ":80",
        ":", ":0", ":65536", "*", "{}", "|", "^", "`", "\"", "<", ">", "'", "~", "_", "-", "$", "+", ",", "!",
    ]

    @Test func `read the same out of whatever else passes for a URL`() {
        var random = SeededRandom(for: "libcurl's parser and ours")
        var passed = 0
        for _ in 0..<20_000 {
            let start =
                ["http://", "https://", "//", "", "http://a.example"].randomElement(using: &random) ?? ""
            let count = Int.random(in: 1...7, using: &random)
            let text =
                start + (0..<count).map { _ in Self.pieces.randomElement(using: &random) ?? "" }.joined()
            guard let url = try? SourceURL.parse(text) else { continue }
            passed += 1
            #expect(LibcurlReading(url.absolute)?.agrees(with: url) == true, "\(text) → \(url.absolute)")
        }
        #expect(passed > 1000)
    }

    @Test(arguments: [
        "http://u:p@a.example/", "http://a.example/#b", "http://[fe80::1%25lo]/", "", "ftp://a.example/",
    ])
    func `refuse what has no place in a normalised URL`(text: String) {
        let url = SourceURL(scheme: .http, host: "a.example", port: 80, target: "/")
        #expect(LibcurlReading(text)?.agrees(with: url) != true)
    }
}
